#pragma once
#include <cstddef>
#include <cstdint>
#include <vector>
#include <tensorloom/workloads/contraction/plan.h>

namespace tensorloom::workloads {

/// The body of a loop over blocks, as the command processor sees it: commands of the engines one after the other, and
/// tensors that are moved meanwhile.
struct loop_body {
    struct moved_tensor {
        std::size_t tensor = 0;
        double cycles = 0; ///< of its LOAD or STORE
        unsigned places = 1;
        std::size_t first = 0, last = 0; ///< commands of the engines that use it: a STORE's first makes it
    };
    std::vector<double> cycles; ///< of the engines' commands
    /// Of what the vector unit adds up behind each of them and the transfers that stand there; 0, or none: nothing.
    std::vector<double> sums;
    std::vector<moved_tensor> loads, stores;
};

/// A transfer behind the start of a command of the engines.
struct scheduled_transfer {
    std::size_t moved = 0; ///< index in loads or stores
    bool is_load = false;
    std::size_t behind = 0;
};

/// Where LOADs of the next block and STOREs of this one stand in the body. Commands are issued in order, and each waits
/// for its unit: a transfer stands where the DMA is free again before the engines need their next command, those that
/// are wanted first before the others; or as early as its bytes allow, where so many blocks take less time that way.
std::vector<scheduled_transfer> schedule_transfers(const loop_body& body, std::uint64_t blocks);

/// Cycles of so many blocks with these transfers, the first LOADs ahead of the loop: issue in order, one command of the
/// engines, one transfer and one sum at a time, each after those whose bytes it uses. Of thousands of blocks the first
/// are followed, the others take as long as the last of these.
double cycles_of_loop(const loop_body& body, const std::vector<scheduled_transfer>& transfers, std::uint64_t blocks);

} // namespace tensorloom::workloads
