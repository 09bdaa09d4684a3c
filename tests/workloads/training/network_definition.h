#pragma once
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>
#include <tensorloom/models/arithmetic/counter_random.h>
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

inline double sigmoid(double x) { return 1 / (1 + std::exp(-x)); }

inline double activated(workloads::activation_kind kind, double x)
{
    using workloads::activation_kind;
    switch (kind) {
    case activation_kind::none: break;
    case activation_kind::relu: return std::max(x, 0.0);
    case activation_kind::sigmoid: return sigmoid(x);
    case activation_kind::tanh: return std::tanh(x);
    case activation_kind::gelu:
        return x * (1 + std::tanh(std::sqrt(2 / std::acos(-1.0)) * (x + 0.044715 * x * x * x))) / 2;
    }
    return x;
}

// W of a map as one matrix; `next` is behind its cores afterwards.
inline matrix matrix_of(const workloads::linear_map& map, const workloads::parameter_values& parameters,
                        std::size_t& next)
{
    const auto w = workloads::dense_matrix(map.shape, cores_in(map.shape, parameters, next));
    matrix rows(w.shape[0]);
    for (std::size_t m = 0; m < rows.size(); ++m) {
        const auto first = w.data.begin() + static_cast<std::ptrdiff_t>(m * w.shape[1]);
        rows[m].assign(first, first + static_cast<std::ptrdiff_t>(w.shape[1]));
    }
    return rows;
}

// With the numbers of x from `first` on.
inline double product(const std::vector<double>& w, const std::vector<double>& x, std::size_t first = 0)
{
    double sum = 0;
    for (std::size_t n = 0; n < w.size(); ++n) { sum += w[n] * x.at(first + n); }
    return sum;
}

// Outputs of a layer. `next` is its first parameter, afterwards the one behind its last.

inline matrix outputs_of(const workloads::linear_layer& layer, const workloads::parameter_values& parameters,
                         std::size_t& next, const matrix& x)
{
    const auto w = matrix_of(layer.map, parameters, next);
    matrix y(x.size());
    for (std::size_t s = 0; s < x.size(); ++s) {
        for (std::size_t i = 0; i < layer.frames * w.size(); ++i) {
            const auto& row = w[i % w.size()];
            const double sum = product(row, x[s], i / w.size() * row.size()) +
                               (layer.map.bias ? parameters.at(next).at(i % w.size()) : 0);
            y[s].push_back(activated(layer.activation, sum));
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

// Of each channel and place of the kernel the sum over what is in the picture; nothing is unfolded.
inline matrix outputs_of(const workloads::convolution_layer& layer, const workloads::parameter_values& parameters,
                         std::size_t& next, const matrix& x)
{
    const auto w = workloads::dense_matrix(layer.map.shape, cores_in(layer.map.shape, parameters, next));
    const auto height = static_cast<int>(layer.height), width = static_cast<int>(layer.width),
               channels = static_cast<int>(layer.channels), stride = static_cast<int>(layer.stride),
               padding = static_cast<int>(layer.padding), tall = static_cast<int>(layer.kernel_height),
               wide = static_cast<int>(layer.kernel_width);
    matrix z;
    for (const auto& picture : x) {
        auto& made = z.emplace_back();
        for (int top = -padding; top + tall <= height + padding; top += stride) {
            for (int left = -padding; left + wide <= width + padding; left += stride) {
                for (std::size_t m = 0; m < w.shape[0]; ++m) {
                    double sum = layer.map.bias ? parameters.at(next).at(m) : 0;
                    for (int y = std::max(top, 0); y < std::min(top + tall, height); ++y) {
                        for (int i = std::max(left, 0); i < std::min(left + wide, width); ++i) {
                            for (int c = 0; c < channels; ++c) {
                                sum += picture.at(static_cast<std::size_t>((y * width + i) * channels + c)) *
                                       w.data.at(m * w.shape[1] + static_cast<std::size_t>(
                                                                      ((y - top) * wide + i - left) * channels + c));
                            }
                        }
                    }
                    made.push_back(activated(layer.activation, sum));
                }
            }
        }
    }
    if (layer.map.bias) { ++next; }
    return z;
}

// Each row of a sample, less its mean and divided by its deviation.
inline matrix outputs_of(const workloads::norm_layer& layer, const workloads::parameter_values& parameters,
                         std::size_t& next, const matrix& x)
{
    const auto &gamma = parameters.at(next), &beta = parameters.at(next + 1);
    next += 2;
    matrix z = x;
    for (auto& sample : z) {
        for (std::size_t first = 0; first < sample.size(); first += layer.features) {
            const auto count = static_cast<double>(layer.features);
            double sum = 0, squares = 0;
            for (std::size_t i = 0; i < layer.features; ++i) {
                sum += sample[first + i];
                squares += sample[first + i] * sample[first + i];
            }
            const double mean = sum / count, deviation = std::sqrt(squares / count - mean * mean + layer.epsilon);
            for (std::size_t i = 0; i < layer.features; ++i) {
                sample[first + i] = (sample[first + i] - mean) / deviation * gamma.at(i) + beta.at(i);
            }
        }
    }
    return z;
}

// The pixels that the kernel covers, for each of its places and each channel; with zeros around for an average.
inline matrix outputs_of(const workloads::pool_layer& layer, const workloads::parameter_values& /*parameters*/,
                         std::size_t& /*next*/, const matrix& x)
{
    const auto height = static_cast<int>(layer.height), width = static_cast<int>(layer.width),
               channels = static_cast<int>(layer.channels), padding = static_cast<int>(layer.padding),
               tall = static_cast<int>(layer.kernel_height), wide = static_cast<int>(layer.kernel_width);
    matrix z;
    for (const auto& picture : x) {
        auto& made = z.emplace_back();
        for (int top = -padding; top + tall <= height + padding; top += static_cast<int>(layer.stride_height)) {
            for (int left = -padding; left + wide <= width + padding; left += static_cast<int>(layer.stride_width)) {
                for (int c = 0; c < channels; ++c) {
                    std::vector<double> pixels;
                    double sum = 0;
                    for (int y = std::max(top, 0); y < std::min(top + tall, height); ++y) {
                        for (int i = std::max(left, 0); i < std::min(left + wide, width); ++i) {
                            pixels.push_back(picture.at(static_cast<std::size_t>((y * width + i) * channels + c)));
                            sum += pixels.back();
                        }
                    }
                    made.push_back(layer.function == workloads::pool_function::max
                                       ? *std::max_element(pixels.begin(), pixels.end())
                                       : sum / (tall * wide));
                }
            }
        }
    }
    return z;
}

inline matrix outputs_of(const workloads::activation_layer& layer, const workloads::parameter_values& /*parameters*/,
                         std::size_t& /*next*/, const matrix& x)
{
    matrix z = x;
    for (auto& sample : z) {
        for (double& value : sample) { value = activated(layer.function, value); }
    }
    return z;
}

/// The masks of dropout while a network's outputs are computed; none: as in the test pass.
struct dropout_masks {
    std::optional<std::uint32_t> key;
    std::uint32_t next_layer = 0;
};
inline dropout_masks masks;

inline matrix outputs_of(const workloads::dropout_layer& layer, const workloads::parameter_values& /*parameters*/,
                         std::size_t& /*next*/, const matrix& x)
{
    if (!masks.key) { return x; }
    const auto number = masks.next_layer++;
    matrix z = x;
    std::uint32_t i = 0; // of the batch
    for (auto& sample : z) {
        for (double& value : sample) {
            const bool is_dropped = arithmetic::random_fraction(*masks.key, number, i++) < layer.rate;
            value = is_dropped ? 0 : value / (1 - double{layer.rate});
        }
    }
    return z;
}

inline matrix outputs_of(const workloads::lstm_layer& layer, const workloads::parameter_values& parameters,
                         std::size_t& next, const matrix& x)
{
    const auto w = matrix_of(layer.weights, parameters, next);
    const std::size_t bias = next;
    next += layer.weights.bias ? 1 : 0;
    const auto u = matrix_of(layer.hidden_weights, parameters, next);
    const bool all = layer.output == workloads::sequence_output::all;
    matrix y(x.size());
    for (std::size_t s = 0; s < x.size(); ++s) {
        std::vector<double> h(layer.hidden), c(layer.hidden);
        for (std::size_t t = 0; t < layer.frames; ++t) {
            auto next_h = h;
            for (std::size_t k = 0; k < layer.hidden; ++k) {
                const auto inside = [&](std::size_t gate) {
                    const std::size_t m = gate * layer.hidden + k;
                    return product(w[m], x[s], t * layer.features) + product(u[m], h) +
                           (layer.weights.bias ? parameters.at(bias).at(m) : 0);
                };
                c[k] = sigmoid(inside(1)) * c[k] + sigmoid(inside(0)) * std::tanh(inside(2));
                next_h[k] = sigmoid(inside(3)) * std::tanh(c[k]);
            }
            h = next_h;
            if (all || t + 1 == layer.frames) { y[s].insert(y[s].end(), h.begin(), h.end()); }
        }
    }
    return y;
}

// Of a sample a row for each frame, which a norm divides by its deviation; heads are parts of rows.
inline matrix outputs_of(const workloads::encoder_layer& layer, const workloads::parameter_values& parameters,
                         std::size_t& next, const matrix& x)
{
    const auto map_of = [&parameters, &next](const workloads::linear_map& map) {
        const auto w = workloads::dense_matrix(map.shape, cores_in(map.shape, parameters, next));
        const std::vector<float> bias = map.bias ? parameters.at(next++) : std::vector<float>(w.shape[0]);
        return [w, bias](const matrix& rows) {
            matrix y;
            for (const auto& row : rows) {
                auto& of = y.emplace_back(bias.begin(), bias.end());
                for (std::size_t i = 0; i < w.data.size(); ++i) {
                    of[i / w.shape[1]] += row.at(i % w.shape[1]) * w.data[i];
                }
            }
            return y;
        };
    };
    const auto query = map_of(layer.attention), key = map_of(layer.attention), value = map_of(layer.attention),
               output = map_of(layer.attention), up = map_of(layer.up), down = map_of(layer.down);
    const std::size_t norms = next;
    next += 4;
    const auto normal = [&](matrix rows, std::size_t number) {
        for (auto& row : rows) {
            const auto count = static_cast<double>(row.size());
            double mean = 0, variance = 0;
            for (const double v : row) { mean += v / count; }
            for (const double v : row) { variance += (v - mean) * (v - mean) / count; }
            for (std::size_t i = 0; i < row.size(); ++i) {
                row[i] = (row[i] - mean) / std::sqrt(variance + layer.epsilon) * parameters.at(norms + 2 * number)[i] +
                         parameters.at(norms + 2 * number + 1)[i];
            }
        }
        return rows;
    };
    const auto attention = [&](const matrix& rows) {
        const auto q = query(rows), k = key(rows), v = value(rows);
        const std::size_t width = layer.features / layer.heads;
        matrix mixed(rows.size(), std::vector<double>(layer.features));
        for (std::size_t t = 0; t < rows.size(); ++t) {
            for (std::size_t head = 0; head < layer.features; head += width) {
                std::vector<double> power;
                double powers = 0;
                for (std::size_t s = 0; s < rows.size(); ++s) {
                    double score = 0;
                    for (std::size_t e = head; e < head + width; ++e) { score += q[t][e] * k[s][e]; }
                    power.push_back(std::exp(score / std::sqrt(static_cast<double>(width))));
                    powers += power.back();
                }
                for (std::size_t s = 0; s < rows.size(); ++s) {
                    for (std::size_t e = head; e < head + width; ++e) { mixed[t][e] += power[s] / powers * v[s][e]; }
                }
            }
        }
        return output(mixed);
    };
    const auto feed_forward = [&](const matrix& rows) {
        auto hidden = up(rows);
        for (auto& row : hidden) {
            for (double& h : row) { h = activated(workloads::activation_kind::gelu, h); }
        }
        return down(hidden);
    };
    const auto sum = [](matrix a, const matrix& b) {
        for (std::size_t t = 0; t < a.size(); ++t) {
            for (std::size_t i = 0; i < a[t].size(); ++i) { a[t][i] += b[t][i]; }
        }
        return a;
    };
    matrix z;
    for (const auto& sample : x) {
        matrix rows;
        for (std::size_t i = 0; i < sample.size(); ++i) {
            if (i % layer.features == 0) { rows.emplace_back(); }
            rows.back().push_back(sample[i]);
        }
        if (layer.norm == workloads::norm_place::pre) {
            rows = sum(rows, attention(normal(rows, 0)));
            rows = sum(rows, feed_forward(normal(rows, 1)));
        } else {
            rows = normal(sum(rows, attention(rows)), 0);
            rows = normal(sum(rows, feed_forward(rows)), 1);
        }
        auto& made = z.emplace_back();
        for (const auto& row : rows) { made.insert(made.end(), row.begin(), row.end()); }
    }
    return z;
}

inline matrix outputs_of(const workloads::residual_layer& layer, const workloads::parameter_values& parameters,
                         std::size_t& next, const matrix& x)
{
    matrix z = x;
    for (const auto& inner : layer.layers) {
        z = workloads::of_kind(inner, [&](const auto& kind) { return outputs_of(kind, parameters, next, z); });
    }
    for (std::size_t s = 0; s < z.size(); ++s) {
        for (std::size_t i = 0; i < z[s].size(); ++i) { z[s][i] += x[s].at(i); }
    }
    return z;
}

/// Outputs of a model in double precision, by its definition: W of each layer as one matrix, no rounding.
inline matrix outputs_of(const workloads::model_description& model, const workloads::parameter_values& parameters,
                         matrix x)
{
    std::size_t next = 0;
    masks.next_layer = 0;
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
