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
described_layer description_of(const model_layer& layer);
std::vector<model_layer> dense_twins_of(std::vector<model_layer> layers); ///< the same with dense matrices
/// Throws base::input_error, one line: no layer, an invalid one, two of one name, sizes that do not match.
void check_chain(const std::vector<model_layer>& layers);

enum class optimizer_kind : std::uint8_t { sgd, adam, adamw };
inline constexpr base::named_value optimizer_values[] = {
    {0, "sgd", "stochastic gradient descent, with momentum"},
    {1, "adam", "Adam"},
    {2, "adamw", "Adam with decoupled weight decay"},
};

/// How the rate changes from step to step, after the warm-up.
enum class rate_schedule : std::uint8_t { constant, step, cosine };
inline constexpr base::named_value rate_schedule_values[] = {
    {0, "constant", "the rate of the optimizer"},
    {1, "step", "times step_factor after every step_epochs epochs"},
    {2, "cosine", "half a period of a cosine, from the rate to least_rate"},
};

struct optimizer_settings {
    optimizer_kind kind = optimizer_kind::sgd;
    float rate = 0.05f;
    float momentum = 0.9f;       ///< of sgd
    float first_decay = 0.9f;    ///< of adam: beta 1
    float second_decay = 0.999f; ///< of adam: beta 2
    float epsilon = 1e-8f;       ///< of adam
    float rate_decay = 1;        ///< factor on the rate after every epoch
    float weight_decay = 0;      ///< sgd, adam: times the parameter, added to its gradient; adamw: times rate, off it
    float clip_norm = 0;         ///< most L2 norm of all gradients together; 0: any
    rate_schedule schedule = rate_schedule::constant;
    std::uint64_t warm_up = 0;         ///< steps in which the rate rises linearly
    std::uint64_t step_epochs = 1;     ///< of step
    float step_factor = 0.1f;          ///< of step
    float least_rate = 0;              ///< of cosine
    std::uint64_t schedule_epochs = 0; ///< of cosine: its length, with the warm-up; 0: all epochs

    bool is_adaptive() const { return kind != optimizer_kind::sgd; }
    /// The rate differs from step to step; the host computes it.
    bool has_schedule() const { return schedule != rate_schedule::constant || warm_up != 0; }
};

/// Added to the norm of the gradients before it divides clip_norm.
inline constexpr float clip_epsilon = 1e-6f;

inline constexpr std::uint64_t most_epochs = 1000000;
inline constexpr std::uint64_t most_batch_samples = 65536;
inline constexpr std::uint64_t most_warm_up_steps = 1000000000;

/// A network of layers, each of which takes the output of the one before, and its training.
struct model_description {
    std::string name;
    sample_set data = sample_set::digits;
    std::string data_digest; ///< digest_of() samples that were read from files; empty: those of `data` that ship
    std::uint64_t epochs = 1;
    std::uint64_t batch = 32;
    loss_settings loss;
    float validation = 0;       ///< share of the training set that is held out
    std::uint64_t patience = 0; ///< epochs without a smaller validation loss after which training ends; 0: any number
    optimizer_settings optimizer;
    std::vector<model_layer> layers;

    /// Epochs of a cosine schedule, with its warm-up.
    std::uint64_t cosine_epochs() const { return optimizer.schedule_epochs == 0 ? epochs : optimizer.schedule_epochs; }
    std::uint64_t features() const { return inputs_of(layers.front()); }
    bool has_dropout() const;         ///< anywhere
    std::uint64_t vocabulary() const; ///< tokens accepted by the first layer; 0: it takes numbers
    std::uint64_t classes() const { return outputs_of(layers.back()); } ///< outputs: classes, or targets
    std::uint64_t parameters() const;                                   ///< of all layers
    std::uint64_t dense_parameters() const; ///< with a dense matrix for every tensor network
    model_description dense_twin() const;   ///< the same network with dense matrices
};

/// Largest share of the training set that can be held out.
inline constexpr double most_validation = 0.9;

/// Throws base::input_error, one line: no layer, layers whose sizes do not match, an invalid layer, numbers out of
/// range.
void check_model(const model_description& model);
/// Throws base::input_error when a model does not match the samples.
void check_samples(const model_description& model, const labelled_samples& samples);

} // namespace tensorloom::workloads
