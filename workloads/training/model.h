#pragma once
#include <cstdint>
#include <string>
#include <vector>
#include <tensorloom/models/arch/values/named_value.h>
#include <tensorloom/workloads/tensor_network/layer.h>
#include <tensorloom/workloads/training/labelled_samples.h>

namespace tensorloom::workloads {

/// What follows the sums of a layer, element by element.
enum class activation_kind : std::uint8_t { none, relu, sigmoid, tanh, gelu };
inline constexpr arch::named_value activation_values[] = {
    {0, "none", "the sums as they are"},
    {1, "relu", "the larger of x and 0"},
    {2, "sigmoid", "1 / (1 + e^-x)"},
    {3, "tanh", "hyperbolic tangent"},
    {4, "gelu", "x (1 + tanh(sqrt(2 / pi) (x + 0.044715 x^3))) / 2"},
};

/// A linear layer Y = activation(X W^T + bias) of a model; W dense (ttm of one factor) or a tensor network.
struct model_layer {
    std::string name;
    tensorized_layer shape; ///< its batch is that of the model
    bool dense = false;     ///< one matrix, ttm of one factor
    bool bias = true;
    activation_kind activation = activation_kind::none;
};

enum class optimizer_kind : std::uint8_t { sgd, adam };
inline constexpr arch::named_value optimizer_values[] = {
    {0, "sgd", "stochastic gradient descent, with momentum"},
    {1, "adam", "Adam"},
};

struct optimizer_settings {
    optimizer_kind kind = optimizer_kind::sgd;
    float rate = 0.05f;
    float momentum = 0.9f;       ///< of sgd
    float first_decay = 0.9f;    ///< of adam: beta 1
    float second_decay = 0.999f; ///< of adam: beta 2
    float epsilon = 1e-8f;       ///< of adam
    float rate_decay = 1;        ///< the rate is multiplied with it behind every epoch
};

inline constexpr std::uint64_t most_epochs = 1000000;
inline constexpr std::uint64_t most_batch_samples = 65536;

/// A network of layers, each of which takes what the one before made, and how it is trained: classification by cross
/// entropy over the outputs of the last one.
struct model_description {
    std::string name;
    sample_set data = sample_set::digits;
    std::uint64_t epochs = 1;
    std::uint64_t batch = 32;
    optimizer_settings optimizer;
    std::vector<model_layer> layers;

    std::uint64_t features() const { return column_count(layers.front().shape); }
    std::uint64_t classes() const { return row_count(layers.back().shape); }
    std::uint64_t parameters() const;       ///< of cores and biases
    std::uint64_t dense_parameters() const; ///< with every layer dense
};

/// Throws arch::input_error, one line: no layer, layers that do not fit to one another, a layer that is none, numbers
/// out of range.
void check_model(const model_description& model);

} // namespace tensorloom::workloads
