#pragma once
#include <cstdint>
#include <memory>
#include <string>
#include <vector>
#include <tensorloom/workloads/training/layers/layer_kind.h>

namespace tensorloom::workloads {

struct model_layer; // model.h

/// A residual sum: z = x + f(x), where f is a list of layers, each of which takes the output of the one before, with as
/// many outputs as inputs. Source: He and others, "Deep residual learning for image recognition" (2015). Parameters:
/// those of its layers.
struct residual_layer {
    static constexpr const char* kind_name = "residual";
    static constexpr std::uint64_t most_depth = 2; ///< of residual sums inside of one another
    std::vector<model_layer> layers;

    std::uint64_t depth() const;

    static residual_layer read(layer_reader& from);
    std::uint64_t inputs() const;
    std::uint64_t outputs() const;
    std::uint64_t parameters() const;
    residual_layer dense_twin() const;
    std::vector<layer_map> maps() const;
    void check() const;
    std::string text() const;
    std::string element_work() const;
    std::vector<layer_field> fields() const;
    parameter_values initial_values(std::uint64_t seed) const;

    void declare(std::uint64_t batch, bool with_dx, layer_declaration& declaration) const;
    std::unique_ptr<layer_operations> operations(const layer_contractions& contractions, const std::string& name) const;
    std::unique_ptr<layer_emulation> emulation(const layer_contractions& contractions,
                                               emulated_parameters& parameters) const;
};

} // namespace tensorloom::workloads
