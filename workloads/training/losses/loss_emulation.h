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

/// Of the outputs `y` of a batch, whose first `count` samples are those of the list; the others only fill it up.
emulated_loss loss_of(const loss_settings& loss, const labelled_samples& samples, const std::uint32_t* list,
                      std::size_t count, const emulated_values& y);

} // namespace tensorloom::workloads
