#pragma once
#include <optional>
#include <tensorloom/workloads/step_planner/step_estimate.h>

namespace tensorloom::workloads {

/// Operations and their estimate.
struct timed_list {
    operation_list list;
    step_estimate estimate;
};

/// Puts operations in an order in which the units overlap more: list scheduling by the estimated cycles, in each
/// straight line between loops over batches or blocks and their ends. A LOAD or GATHER comes earlier if the memory has
/// room for its tensor from then on, a STORE later; commands of the engines come before or after those of the vector
/// unit that do not depend on them. The vector unit keeps its order, and nothing leaves its loop. Operations on the
/// same tensor that write it keep their order, so that all results keep their bits. Tries several degrees of freedom;
/// returns the list unchanged if its tensors would no longer find places, or if no order is faster.
timed_list with_hidden_transfers(operation_list list, const step_device& device);

/// The fastest of several lists whose tensors fit the unified memory: all stay, or some leave it (step_spills.h), and
/// transfers overlap with the work; if tensors do not fit within a layer's loop, without such loops. None if the
/// tensors of an operation do not fit at the same time.
std::optional<timed_list> fastest_fit(const operation_list& list, const step_device& device);

/// For a list of which tensors leave the memory in its fastest fit: the same work with tensors that are made again
/// instead of leaving (step_recomputation.h) and with chains of the vector unit, if there are any, in groups of rows
/// (step_row_groups.h), if that is faster.
timed_list faster_fit(const operation_list& list, timed_list fit, const step_device& device);

} // namespace tensorloom::workloads
