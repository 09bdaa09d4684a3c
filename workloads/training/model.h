#pragma once
#include <cstdint>
#include <string>
#include <variant>
#include <vector>
#include <tensorloom/models/base/values/named_value.h>
#include <tensorloom/workloads/training/labelled_samples.h>
#include <tensorloom/workloads/training/layers/layer_kinds.h>
#include <tensorloom/workloads/training/losses/loss.h>

namespace tensorloom::workloads {

/// A layer of a model. Its kind (layers/) defines what it computes.
struct model_layer {
    std::string name;
    layer_kind what;
};

/// Calls f(layer of its kind).
template <class F> auto of_kind(const model_layer& layer, F f) { return std::visit(f, layer.what); }
std::uint64_t inputs_of(const model_layer& layer);  ///< input values per sample
std::uint64_t outputs_of(const model_layer& layer); ///< output values per sample
std::string text_of(const model_layer& layer);      ///< its description, without the name

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
    float rate_decay = 1;        ///< factor on the rate after every epoch
};

inline constexpr std::uint64_t most_epochs = 1000000;
inline constexpr std::uint64_t most_batch_samples = 65536;

/// A network of layers, each of which takes the output of the one before, and its training.
struct model_description {
    std::string name;
    sample_set data = sample_set::digits;
    std::string data_digest; ///< digest_of() samples that were read from files; empty: those of `data` that ship
    std::uint64_t epochs = 1;
    std::uint64_t batch = 32;
    loss_settings loss;
    optimizer_settings optimizer;
    std::vector<model_layer> layers;

    std::uint64_t features() const { return inputs_of(layers.front()); }
    std::uint64_t vocabulary() const; ///< tokens accepted by the first layer; 0: it takes numbers
    std::uint64_t classes() const { return outputs_of(layers.back()); } ///< outputs: classes, or targets
    std::uint64_t parameters() const;                                   ///< of all layers
    std::uint64_t dense_parameters() const; ///< with a dense matrix for every tensor network
    model_description dense_twin() const;   ///< the same network with dense matrices
};

/// Throws base::input_error, one line: no layer, layers whose sizes do not match, an invalid layer, numbers out of
/// range.
void check_model(const model_description& model);
/// Throws base::input_error when a model does not match the samples.
void check_samples(const model_description& model, const labelled_samples& samples);

} // namespace tensorloom::workloads
