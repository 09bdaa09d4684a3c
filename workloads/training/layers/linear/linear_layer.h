#pragma once
#include <cstdint>
#include <memory>
#include <string>
#include <vector>
#include <tensorloom/workloads/training/layers/layer_kind.h>

namespace tensorloom::workloads {

/// A linear layer Y = activation(X W^T + bias). A sample has `frames` consecutive rows of X, all multiplied by the same
/// W. Parameters: the cores of W in their order, bias.
struct linear_layer {
    static constexpr const char* kind_name = "linear";
    linear_map map;
    activation_kind activation = activation_kind::none;
    std::uint64_t frames = 1;

    static linear_layer read(layer_reader& from);
    std::uint64_t inputs() const { return frames * map.inputs(); }
    std::uint64_t outputs() const { return frames * map.outputs(); }
    std::uint64_t parameters() const { return map.parameters(); }
    linear_layer dense_twin() const { return {map.dense_twin(), activation, frames}; }
    std::vector<layer_map> maps() const { return {{"", map, frames}}; }
    void check() const;
    std::string text() const;
    std::string element_work() const { return activation_work(activation); }
    std::vector<layer_field> fields() const;
    parameter_values initial_values(std::uint64_t seed) const;

    void declare(std::uint64_t batch, bool with_dx, layer_declaration& declaration) const;
    std::unique_ptr<layer_operations> operations(const layer_contractions& contractions, const std::string& name) const;
    std::unique_ptr<layer_emulation> emulation(const layer_contractions& contractions,
                                               emulated_parameters& parameters) const;
};

} // namespace tensorloom::workloads
