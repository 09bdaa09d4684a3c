#pragma once
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>
#include <tensorloom/workloads/tensor_formats/layer_values.h>
#include <tensorloom/workloads/training/training_run.h>

namespace tensorloom::test {

using matrix = std::vector<std::vector<double>>;

// The cores of a layer, those of its blocks one behind the other in each parameter; `next` is behind them afterwards.
inline workloads::layer_values cores_in(const workloads::tensorized_layer& shape,
                                        const workloads::parameter_values& all, std::size_t& next)
{
    auto values = workloads::random_cores(shape, 1, 1);
    const std::size_t count = values.blocks.front().size();
    for (std::size_t c = 0; c < count; ++c, ++next) {
        std::size_t at = 0;
        for (auto& block : values.blocks) {
            for (double& x : block[c].data) { x = all.at(next).at(at++); }
        }
    }
    return values;
}

// Outputs of a layer. `next` is its first parameter, afterwards the one behind its last.

inline matrix outputs_of(const workloads::linear_layer& layer, const workloads::parameter_values& parameters,
                         std::size_t& next, const matrix& x)
{
    using workloads::activation_kind;
    const auto w = workloads::dense_matrix(layer.map.shape, cores_in(layer.map.shape, parameters, next));
    const std::size_t rows = w.shape[0], columns = w.shape[1];
    matrix y(x.size());
    for (std::size_t s = 0; s < x.size(); ++s) {
        for (std::size_t i = 0; i < layer.frames * rows; ++i) {
            const std::size_t frame = i / rows, m = i % rows;
            double sum = layer.map.bias ? parameters.at(next).at(m) : 0;
            for (std::size_t n = 0; n < columns; ++n) { sum += x[s][frame * columns + n] * w.data[m * columns + n]; }
            switch (layer.activation) {
            case activation_kind::none: break;
            case activation_kind::relu: sum = std::max(sum, 0.0); break;
            case activation_kind::sigmoid: sum = 1 / (1 + std::exp(-sum)); break;
            case activation_kind::tanh: sum = std::tanh(sum); break;
            case activation_kind::gelu:
                sum *= (1 + std::tanh(std::sqrt(2 / std::acos(-1.0)) * (sum + 0.044715 * sum * sum * sum))) / 2;
                break;
            }
            y[s].push_back(sum);
        }
    }
    if (layer.map.bias) { ++next; }
    return y;
}

inline matrix outputs_of(const workloads::embedding_layer& layer, const workloads::parameter_values& parameters,
                         std::size_t& next, const matrix& tokens)
{
    const auto& table = parameters.at(next++);
    matrix z;
    for (const auto& sample : tokens) {
        auto& row = z.emplace_back();
        for (const double token : sample) {
            for (std::size_t k = 0; k < layer.features; ++k) {
                row.push_back(table.at(static_cast<std::size_t>(token) * layer.features + k));
            }
        }
        for (std::size_t i = 0; layer.positions && i < row.size(); ++i) { row[i] += parameters.at(next).at(i); }
    }
    next += layer.positions ? 1 : 0;
    return z;
}

/// Outputs of a model in double precision, by its definition: W of each layer as one matrix, no rounding.
inline matrix outputs_of(const workloads::model_description& model, const workloads::parameter_values& parameters,
                         matrix x)
{
    std::size_t next = 0;
    for (const auto& layer : model.layers) {
        x = workloads::of_kind(layer, [&](const auto& kind) { return outputs_of(kind, parameters, next, x); });
    }
    return x;
}

/// Sum over samples of -log(softmax of the outputs at the label).
inline double cross_entropy(const workloads::model_description& model, const workloads::parameter_values& parameters,
                            const workloads::labelled_samples& samples, const std::vector<std::uint32_t>& of)
{
    matrix x;
    for (const auto s : of) {
        const auto* first = samples.values.data() + s * samples.features;
        x.emplace_back(first, first + samples.features);
    }
    const auto y = outputs_of(model, parameters, x);
    double loss = 0;
    for (std::size_t s = 0; s < y.size(); ++s) {
        double sum = 0;
        for (const double output : y[s]) { sum += std::exp(output); }
        loss += std::log(sum) - y[s][samples.labels[of[s]]];
    }
    return loss;
}

} // namespace tensorloom::test
