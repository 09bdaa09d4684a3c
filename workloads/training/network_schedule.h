#pragma once
#include <tensorloom/workloads/training/network_costs.h>

namespace tensorloom::workloads {

/// A step and its estimate.
struct timed_step {
    network_step step;
    network_estimate estimate;
};

/// Moves transfers to positions where the DMA is free before the next command, so that they overlap with the work: a
/// LOAD or GATHER comes earlier, if the memory has room for its tensor from then on, a STORE later. Commands of the
/// engines and of the vector unit keep their order, and no transfer leaves its loop. Returns the step unchanged if its
/// tensors would no longer find places, or if no order is faster.
timed_step with_hidden_transfers(network_step step, const model_contractions& contractions,
                                 const network_device& device);

} // namespace tensorloom::workloads
