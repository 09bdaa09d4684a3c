#pragma once
#include <cstdint>
#include <tensorloom/workloads/step_planner/step_estimate.h>
#include <tensorloom/workloads/training/network_operations.h>

namespace tensorloom::workloads {

/// A training on a device: the blocks of its batches, and the operations of its programs, which fit the unified memory.
struct network_plan {
    model_contractions contractions;
    literal_list literals;
    operation_list training, forward;
    training_memory memory; ///< that a step of a whole batch would need if nothing left the chip
    bool stays = false;     ///< nothing leaves it
    step_estimate estimate; ///< of the training program
};

/// Settings of a plan.
struct network_settings {
    std::uint64_t block = 0;            ///< samples of a block; 0: chosen
    std::uint64_t steps = 1, tests = 1; ///< of an epoch, batches of the test set
};

/// The whole batch as one block, if it fits on chip. Else tries blocks of a half, a third and so on, as far as the
/// estimated cycles of a step fall, and takes the fastest; tensors that do not fit leave the chip between their uses
/// (step_spills.h), and where that is faster, the vector unit works on groups of rows (step_row_groups.h) and tensors
/// are computed again (step_recomputation.h). Throws step_too_large() if not even a sample fits.
network_plan plan_network(const model_description& model, const step_device& device, const network_settings& settings);

} // namespace tensorloom::workloads
