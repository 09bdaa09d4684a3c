#pragma once
#include <cstdint>
#include <vector>
#include <tensorloom/workloads/tensor_formats/layer_values.h>
#include <tensorloom/workloads/training/labelled_samples.h>
#include <tensorloom/workloads/training/training_run.h>

namespace tensorloom::test {

/// The training of a model as a textbook has it, in float64: nothing is rounded to bf16 and no sum has an order.
///
/// Forward and backward are dense: W is made of the cores of a layer, and the gradient of a core is that of W
/// contracted with all other cores. So it shares no sequence of contractions with what it is compared with.
class plain_training {
public:
    using numbers = std::vector<double>;
    using by_parameter = std::vector<numbers>; ///< as parameter_values: of every core and bias

    plain_training(const workloads::model_description& model, const workloads::labelled_samples& samples,
                   const workloads::training_state& begin);

    /// An epoch, and the sum of its losses; accuracy is not counted.
    workloads::batch_metrics train(const std::vector<std::uint32_t>& order);

    /// Of the mean loss of some samples at most a batch, the parameters as they are.
    by_parameter gradients(const std::vector<std::uint32_t>& list) { return gradients_and_loss(list).gradients; }
    double mean_loss(const std::vector<std::uint32_t>& list) { return forward(list); }

    by_parameter parameters;

private:
    struct findings {
        by_parameter gradients;
        double loss = 0;
    };

    double forward(const std::vector<std::uint32_t>& list);
    findings gradients_and_loss(const std::vector<std::uint32_t>& list);
    void update(const by_parameter& gradients);
    workloads::layer_values cores_of_layer(std::size_t layer) const;
    void add_core_gradients(std::size_t layer, const numbers& matrix_gradient, by_parameter& to) const;

    struct layer_state {
        std::size_t first = 0, cores = 0; ///< its parameters: cores, then the bias
        numbers matrix, inputs, sums, outputs;
    };

    workloads::model_description m_model;
    const workloads::labelled_samples& m_samples;
    std::vector<by_parameter> m_moments;
    double m_rate, m_steps = 0;
    std::vector<layer_state> m_layers;
    numbers m_softmax; // less label, by sample and class
};

} // namespace tensorloom::test
