#pragma once
#include <cstdint>
#include <memory>
#include <string>
#include <vector>
#include <tensorloom/workloads/training/layers/layer_kind.h>

namespace tensorloom::workloads {

/// Dropout. In a training step every value is 0 with probability `rate`, else it is multiplied by 1 / (1 - rate); in
/// the test pass all values stay as they are. Value i of the batch, however many blocks it has, is dropped in the
/// forward and the backward pass if arithmetic::random_fraction(key of the step, number of the layer, i) < rate: no
/// mask is kept. No parameters.
struct dropout_layer {
    static constexpr const char* kind_name = "dropout";
    std::uint64_t features = 0; ///< of a sample
    float rate = 0.5f;

    float scale() const { return 1 / (1 - rate); }

    static dropout_layer read(layer_reader& from);
    std::uint64_t inputs() const { return features; }
    std::uint64_t outputs() const { return features; }
    std::uint64_t parameters() const { return 0; }
    dropout_layer dense_twin() const { return *this; }
    std::vector<layer_map> maps() const { return {}; }
    void check() const;
    std::string text() const;
    std::string element_work() const { return "dropout"; }
    std::vector<layer_field> fields() const { return {{"features", features}, {"rate", rate}}; }
    parameter_values initial_values(std::uint64_t /*seed*/) const { return {}; }

    void declare(std::uint64_t batch, bool with_dx, layer_declaration& declaration) const;
    std::unique_ptr<layer_operations> operations(const layer_contractions& contractions, const std::string& name) const;
    std::unique_ptr<layer_emulation> emulation(const layer_contractions& contractions,
                                               emulated_parameters& parameters) const;
};

} // namespace tensorloom::workloads
