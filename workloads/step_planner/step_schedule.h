#pragma once
#include <optional>
#include <tensorloom/workloads/step_planner/step_estimate.h>

namespace tensorloom::workloads {

/// Operations and their estimate.
struct timed_list {
    operation_list list;
    step_estimate estimate;
};

/// Moves transfers to positions where the DMA is free before the next command, so that they overlap with the work: a
/// LOAD or GATHER comes earlier, if the memory has room for its tensor from then on, a STORE later. Commands of the
/// engines and of the vector unit keep their order, and no transfer leaves its loop. Returns the list unchanged if its
/// tensors would no longer find places, or if no order is faster.
timed_list with_hidden_transfers(operation_list list, const step_device& device);

/// The fastest of several lists whose tensors fit the unified memory: all stay, or some leave it (step_spills.h), and
/// transfers overlap with the work; if tensors do not fit within a layer's loop, without such loops. None if the
/// tensors of an operation do not fit at the same time.
std::optional<timed_list> fastest_fit(const operation_list& list, const step_device& device);

} // namespace tensorloom::workloads
