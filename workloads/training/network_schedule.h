#pragma once
#include <tensorloom/workloads/training/network_costs.h>

namespace tensorloom::workloads {

/// The step with its transfers moved to where the DMA is free ahead of the next command, so that they run beside the
/// work: a LOAD or GATHER comes earlier, if the memory has room for its tensor from then on, a STORE later. Commands of
/// the engines and of the vector unit keep their order, and no transfer leaves its loop. Returns the step as it was if
/// its tensors would no longer find places, or if it is faster.
network_step with_hidden_transfers(network_step step, const model_contractions& contractions,
                                   const network_device& device);

} // namespace tensorloom::workloads
