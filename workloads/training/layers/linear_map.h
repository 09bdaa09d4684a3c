#pragma once
#include <cstdint>
#include <string>
#include <vector>
#include <tensorloom/models/base/values/named_value.h>
#include <tensorloom/workloads/tensor_network/layer.h>

namespace tensorloom::workloads {

/// Values of the parameters of a layer, each in C order, in the order of the layer's parameters.
using parameter_values = std::vector<std::vector<float>>;

/// Element-wise function applied to the sums of a layer.
enum class activation_kind : std::uint8_t { none, relu, sigmoid, tanh, gelu };
inline constexpr base::named_value activation_values[] = {
    {0, "none", "identity"},
    {1, "relu", "the larger of x and 0"},
    {2, "sigmoid", "1 / (1 + e^-x)"},
    {3, "tanh", "hyperbolic tangent"},
    {4, "gelu", "x (1 + tanh(sqrt(2 / pi) (x + 0.044715 x^3))) / 2"},
};

/// "tanh"; empty for none.
std::string activation_work(activation_kind kind);

/// The constants of GELU: sqrt(2 / pi), the factor of x^3, and 3 times that.
inline constexpr float gelu_scale = 0.797884561f, gelu_cube = 0.044715f, gelu_cube_slope = 0.134145f;

/// A matrix W of a layer, dense or a tensor network: Y = X W^T + bias.
struct linear_map {
    tensorized_layer shape; ///< its batch is that of the step
    bool dense = false;     ///< one matrix, ttm of one factor
    bool bias = true;

    std::uint64_t inputs() const { return column_count(shape); }
    std::uint64_t outputs() const { return row_count(shape); }
    std::uint64_t parameters() const { return workloads::parameters(shape) + (bias ? outputs() : 0); }
    std::string text() const;
    linear_map dense_twin() const; ///< the same as one matrix
    /// Values of the cores in their order, then of the bias, which is 0. The matrix of the cores keeps the variance of
    /// its operand, times `gain`.
    parameter_values initial_values(double gain, std::uint64_t seed) const;
};

/// A dense matrix of this size.
linear_map dense_map(std::uint64_t outputs, std::uint64_t inputs, bool bias = true);

} // namespace tensorloom::workloads
