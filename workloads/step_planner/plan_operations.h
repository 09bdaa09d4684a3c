#pragma once
#include <cstddef>
#include <vector>
#include <tensorloom/workloads/step_planner/step_operations.h>
#include <tensorloom/workloads/step_planner/step_plan.h>

namespace tensorloom::workloads {

/// Arrays of a plan in memory on the bus: regions are the tensors by their number, then these two. Further arrays are
/// the list of samples (lists), the masters of the cores, and the rate of the update (constants).
struct plan_regions {
    explicit plan_regions(const step_plan& plan)
        : cores(plan.graph.tensors.size()), gradients(plan.graph.tensors.size() + 1)
    {}

    std::size_t cores, gradients; ///< of all cores, one after the other
};

/// Elements from a block of a tensor to the next one in memory on the bus; of X and dY from a sample to the next one.
std::uint64_t pitch_on_bus(const step_plan& plan, std::size_t tensor);

/// The operations of a plan.
struct plan_operations {
    operation_list list;
    planned_graph graph;                 ///< of its contractions
    std::vector<operation_range> passes; ///< operations of each pass, without those of the update

    /// Reserves the tensors that each pass loads from the last block of the pass before, so that the loads wait for no
    /// other tensor. These may be too many.
    operation_list with_early_places() const;
    std::vector<std::size_t> last_block;          ///< of each pass: its first operation
    std::vector<std::vector<std::size_t>> loaded; ///< by each pass: tensors
};

/// List, cores, loop of the forward pass, loop of the backward pass, the operations after it, update. Two loops count
/// the blocks, one over pairs and one over the two blocks of a pair, because places alternate. The last one or two
/// blocks, after which nothing is loaded, are written out.
plan_operations operations_of(const step_plan& plan);
step_plan::operation_totals totals_of(const step_plan& plan, const operation_list& list);

} // namespace tensorloom::workloads
