#pragma once
#include <cstdint>
#include <string>
#include <variant>
#include <vector>
#include <tensorloom/models/base/values/named_value.h>
#include <tensorloom/workloads/training/labelled_samples.h>
#include <tensorloom/workloads/training/layers/layer_kinds.h>

namespace tensorloom::workloads {

/// A layer of a model: what it computes is its kind's (layers/).
struct model_layer {
    std::string name;
    layer_kind what;
};

/// Of a layer of any kind.
template <class F> auto of_kind(const model_layer& layer, F f) { return std::visit(f, layer.what); }
std::uint64_t inputs_of(const model_layer& layer);  ///< numbers of a sample that it takes
std::uint64_t outputs_of(const model_layer& layer); ///< likewise that it makes
std::string text_of(const model_layer& layer);      ///< all that it is, its name aside

enum class optimizer_kind : std::uint8_t { sgd, adam };
inline constexpr base::named_value optimizer_values[] = {
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

    std::uint64_t features() const { return inputs_of(layers.front()); }
    std::uint64_t vocabulary() const; ///< tokens that its first layer takes; 0: it takes numbers
    std::uint64_t classes() const { return outputs_of(layers.back()); }
    std::uint64_t parameters() const;       ///< of all layers
    std::uint64_t dense_parameters() const; ///< with every tensor network as one matrix
    model_description dense_twin() const;   ///< with these
};

/// Throws base::input_error, one line: no layer, layers that do not fit to one another, a layer that is none, numbers
/// out of range.
void check_model(const model_description& model);
/// Likewise when a model does not fit to samples.
void check_samples(const model_description& model, const labelled_samples& samples);

} // namespace tensorloom::workloads
