#pragma once
#include <optional>
#include <tensorloom/workloads/training/network_costs.h>

namespace tensorloom::workloads {

/// The step with transfers that make it fit the unified memory. A tensor that is not used for a while leaves it: it is
/// stored in memory on the bus, unless it is there already, and loaded again before its next use; of a batch's features
/// the GATHER is repeated. A tensor that is used inside and outside of a loop over batches or blocks is loaded and
/// stored in every iteration. Tensors with the most bytes and the longest time per byte of transfers leave first.
///
/// `bytes`: of the unified memory that they may take at most.
///
/// None if the tensors of an operation, or of a layer's loop, do not fit at the same time.
std::optional<network_step> fitted(network_step step, const model_contractions& contractions,
                                   const network_device& device, std::uint64_t bytes);

} // namespace tensorloom::workloads
