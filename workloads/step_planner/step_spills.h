#pragma once
#include <optional>
#include <tensorloom/workloads/step_planner/step_estimate.h>

namespace tensorloom::workloads {

/// Adds transfers so that a step fits the unified memory. A tensor that is not used for a while leaves the memory: it
/// is stored in memory on the bus, unless it is there already, and loaded before its next use; for features of a batch
/// the GATHER is repeated. A tensor that is used inside and outside of a loop over batches or blocks is loaded and
/// stored in every iteration. Large tensors that are not used for a long time leave first, in relation to their
/// transfers' cycles.
///
/// `bytes`: the part of the unified memory that the tensors may occupy.
///
/// None if the tensors of an operation, or of a layer's loop, do not fit at the same time.
std::optional<operation_list> fitted(operation_list step, const step_device& device, std::uint64_t bytes);

} // namespace tensorloom::workloads
