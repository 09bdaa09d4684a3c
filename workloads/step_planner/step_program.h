#pragma once
#include <cstdint>
#include <string>
#include <vector>
#include <tensorloom/workloads/step_planner/step_plan.h>

namespace tensorloom::workloads {

/// Where a step's tensors lie in memory on the bus.
struct step_addresses {
    /// By tensor: of its first block, of X and dY of the first sample of all; of cores and their gradients. 0: not
    /// there.
    std::vector<std::uint64_t> tensor;
    std::vector<std::uint64_t>
        block_bytes;             ///< by tensor: from one block to the next; of X and dY from sample to sample
    std::uint64_t list = 0;      ///< which samples are the batch: their numbers, of 32 bits each
    std::uint64_t cores = 0;     ///< all of them, one behind the other
    std::uint64_t gradients = 0; ///< of cores, likewise, float32; 0: not there
    std::uint64_t masters = 0;   ///< of cores, likewise, float32; 0: not there
    std::uint64_t rate = 0;      ///< of the update: what a gradient is multiplied with, a float32
    std::uint64_t end = 0;
};

/// What a command of the program is for.
struct step_command {
    step_phase phase = step_phase::fp;
    std::string what; ///< "contract X.G4", "load X"
};

/// A whole training step.
struct step_program {
    step_addresses addresses;
    std::vector<std::uint8_t> bytes;    ///< of the program
    std::vector<step_command> commands; ///< by index in the program
};

/// Places the tensors from data_base on and writes the program: list, cores, loop of the forward pass, loop of the
/// backward pass, what comes behind it, update. Blocks are counted by two loops, of pairs and of the two in a pair,
/// because places alternate; the last one or two, behind which nothing is to be loaded, stand in a straight line.
/// Throws base::input_error when the tensors do not fit into data_bytes.
step_program write_step(const step_plan& plan, std::uint64_t data_base, std::uint64_t data_bytes);

} // namespace tensorloom::workloads
