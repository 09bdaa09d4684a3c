#pragma once
#include <cstddef>
#include <cstdint>
#include <memory>
#include <tensorloom/workloads/training/losses/loss.h>
#include <tensorloom/workloads/training/network_step_builder.h>

namespace tensorloom::workloads {

/// A loss as operations of a step: measured once and, in a training step, its gradient once.
class loss_operations {
public:
    loss_operations() = default;
    virtual ~loss_operations() = default;
    loss_operations(const loss_operations&) = delete;
    loss_operations& operator=(const loss_operations&) = delete;

    /// Gathers the answers of the batch and sets the metrics. `y`: outputs of the last layer, in words.
    virtual void measure(step_builder& to, std::size_t y) = 0;
    /// The gradient with respect to `y`, of the mean over the samples; in words.
    virtual std::size_t gradient(step_builder& to) = 0;
};

std::unique_ptr<loss_operations> operations_of(const loss_settings& loss, std::uint64_t outputs);

} // namespace tensorloom::workloads
