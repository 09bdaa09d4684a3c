#pragma once
#include <cstdint>
#include <memory>
#include <vector>
#include <tensorloom/models/fetta/isa/device_limits.h>
#include <tensorloom/workloads/training/labelled_samples.h>
#include <tensorloom/workloads/training/layers/layer_emulation.h>
#include <tensorloom/workloads/training/training_run.h>

namespace tensorloom::workloads {

/// Trains a model on the host with the same bits as a device. layers/layer_emulation.h computes the layers; this class
/// handles the batch, the loss and the optimizer.
class model_emulation {
public:
    model_emulation(const model_description& model, const labelled_samples& samples,
                    const model_contractions& contractions, const fetta::device_limits& g, training_state state);

    std::vector<batch_metrics> train(const std::vector<std::uint32_t>& order);
    std::vector<batch_metrics> validate();
    std::vector<batch_metrics> test();

    training_state state() const;

private:
    std::vector<batch_metrics> over(const std::vector<std::uint32_t>& order, bool training);
    /// Gradients and metrics.
    batch_metrics run_batch(const std::uint32_t* list, std::size_t count, bool training);
    /// Runs the samples of a block of a batch of `all` samples; adds its gradients to those of earlier blocks.
    batch_metrics run_block(const std::uint32_t* list, std::size_t count, std::size_t all, bool training);
    void update(float rate_factor);
    void clip();
    void decay();
    void descend();
    void adapt();
    float& constant(step_constant c) { return m_state.constants[static_cast<std::size_t>(c)]; }

    const model_description& m_model;
    const labelled_samples& m_samples;
    training_state m_state; // by part of large matrices
    emulated_parameters m_parameters;
    float m_rate = 0; // of the step, negative
    std::vector<std::unique_ptr<layer_emulation>> m_layers;
};

} // namespace tensorloom::workloads
