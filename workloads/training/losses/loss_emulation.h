#pragma once
#include <cstddef>
#include <cstdint>
#include <tensorloom/workloads/training/labelled_samples.h>
#include <tensorloom/workloads/training/layers/layer_emulation.h>
#include <tensorloom/workloads/training/losses/loss.h>
#include <tensorloom/workloads/training/training_run.h>

namespace tensorloom::workloads {

/// A loss on the host, with the same bits as the device.
struct emulated_loss {
    batch_metrics metrics;
    emulated_values gradient; ///< with respect to the outputs, of the mean over the samples
};

/// Samples of a block, the first `count`; others only fill it up.
struct block_list {
    const std::uint32_t* samples = nullptr; ///< their numbers
    std::size_t count = 0;
    std::size_t of_batch = 0; ///< samples of the whole batch, over which the mean is taken
};
/// The loss of a block with the outputs `y`.
emulated_loss loss_of(const loss_settings& loss, const labelled_samples& samples, const block_list& list,
                      const emulated_values& y);

} // namespace tensorloom::workloads
