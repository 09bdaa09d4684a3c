#pragma once
#include <cstddef>
#include <cstdint>
#include <vector>
#include <tensorloom/workloads/contraction/plan.h>

namespace tensorloom::workloads {

/// The body of a loop over blocks, as executed by the command processor: commands of the engines in order, and
/// concurrent transfers of tensors.
struct loop_body {
    struct moved_tensor {
        std::size_t tensor = 0;
        double cycles = 0; ///< of its LOAD or STORE
        unsigned places = 1;
        std::size_t first = 0, last = 0; ///< commands of the engines that use it; of a STORE the first one computes it
    };
    std::vector<double> cycles; ///< of the engines' commands
    /// Cycles of the vector unit's additions after each command and its transfers; 0, or empty: none.
    std::vector<double> sums;
    std::vector<moved_tensor> loads, stores;
};

/// A transfer after the start of a command of the engines.
struct scheduled_transfer {
    std::size_t moved = 0; ///< index in loads or stores
    bool is_load = false;
    std::size_t behind = 0;
};

/// Positions of LOADs of the next block and STOREs of this one in the body. Commands are issued in order, and each
/// waits for its unit. A transfer is placed where the DMA becomes free before the engines need their next command, the
/// most urgent transfers first; or as early as its data allows, if this takes less time for `blocks` blocks.
std::vector<scheduled_transfer> schedule_transfers(const loop_body& body, std::uint64_t blocks);

/// Cycles of `blocks` blocks with these transfers, the first LOADs before the loop: in-order issue, one command of the
/// engines, one transfer and one sum at a time, each after the accesses to its data. For thousands of blocks only the
/// first ones are simulated; the others take as long as the last of these.
double cycles_of_loop(const loop_body& body, const std::vector<scheduled_transfer>& transfers, std::uint64_t blocks);

} // namespace tensorloom::workloads
