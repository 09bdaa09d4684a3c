#pragma once
#include <cstdint>
#include <string>
#include <vector>
#include <tensorloom/models/base/values/named_value.h>
#include <tensorloom/workloads/tensor_network/layer.h>

namespace tensorloom::workloads {

/// Numbers of each parameter of a layer, in C order, in the order in which the layer has them.
using parameter_values = std::vector<std::vector<float>>;

/// What follows the sums of a layer, element by element.
enum class activation_kind : std::uint8_t { none, relu, sigmoid, tanh, gelu };
inline constexpr base::named_value activation_values[] = {
    {0, "none", "the sums as they are"},
    {1, "relu", "the larger of x and 0"},
    {2, "sigmoid", "1 / (1 + e^-x)"},
    {3, "tanh", "hyperbolic tangent"},
    {4, "gelu", "x (1 + tanh(sqrt(2 / pi) (x + 0.044715 x^3))) / 2"},
};

/// A matrix W that a layer multiplies with, dense or a tensor network: Y = X W^T + bias.
struct linear_map {
    tensorized_layer shape; ///< its batch is that of the step
    bool dense = false;     ///< one matrix, ttm of one factor
    bool bias = true;

    std::uint64_t inputs() const { return column_count(shape); }
    std::uint64_t outputs() const { return row_count(shape); }
    std::uint64_t parameters() const { return workloads::parameters(shape) + (bias ? outputs() : 0); }
    std::string text() const;
    linear_map dense_twin() const; ///< the same as one matrix
    /// Of its cores, in their order, then of the bias, which is 0: cores whose matrix keeps the variance of what passes
    /// it, times `gain`.
    parameter_values initial_values(double gain, std::uint64_t seed) const;
};

/// A matrix of a layer, multiplied with so many rows of each sample.
struct layer_map {
    std::string role; ///< what it is in the layer; empty where it is the only one
    linear_map map;
    std::uint64_t rows = 1;
};

/// One matrix of so many outputs and inputs.
linear_map dense_map(std::uint64_t outputs, std::uint64_t inputs, bool bias = true);

/// A linear layer Y = activation(X W^T + bias). A sample has `frames` rows of X, one behind the other, all of which
/// are multiplied with the same W.
///
/// Parameters: the cores of W in their order, bias.
struct linear_layer {
    linear_map map;
    activation_kind activation = activation_kind::none;
    std::uint64_t frames = 1;

    std::uint64_t inputs() const { return frames * map.inputs(); }   ///< numbers of a sample that it takes
    std::uint64_t outputs() const { return frames * map.outputs(); } ///< likewise that it makes
    std::uint64_t parameters() const { return map.parameters(); }
    linear_layer dense_twin() const { return {map.dense_twin(), activation, frames}; }
    std::vector<layer_map> maps() const { return {{"", map, frames}}; }
    void check() const;       ///< throws base::input_error, one line
    std::string text() const; ///< all that it is, in one line
    parameter_values initial_values(std::uint64_t seed) const;
};

} // namespace tensorloom::workloads
