#pragma once
#include <cstdint>
#include <vector>
#include <tensorloom/workloads/step_planner/program_writer.h>
#include <tensorloom/workloads/step_planner/step_plan.h>

namespace tensorloom::workloads {

/// Addresses of a step's tensors in memory on the bus.
struct step_addresses {
    /// By tensor: address of its first block; of X and dY the first sample; of cores and their gradients. 0: not in
    /// memory.
    std::vector<std::uint64_t> tensor;
    std::vector<std::uint64_t> block_bytes; ///< by tensor: pitch of blocks; of X and dY pitch of samples
    std::uint64_t list = 0;                 ///< 32-bit numbers of the samples of the batch
    std::uint64_t cores = 0;                ///< all cores, one after the other
    std::uint64_t gradients = 0;            ///< of cores, likewise, float32; 0: not in memory
    std::uint64_t masters = 0;              ///< of cores, likewise, float32; 0: not in memory
    std::uint64_t rate = 0;                 ///< of the update: factor on the gradients, float32
    std::uint64_t end = 0;
};

/// A whole training step of a layer.
struct step_program : written_program {
    step_addresses addresses;
};

/// Places the tensors in memory from data_base on and writes the program of the plan's operations (plan_operations.h).
/// Throws base::input_error when the tensors do not fit into data_bytes.
step_program write_step(const step_plan& plan, std::uint64_t data_base, std::uint64_t data_bytes);

} // namespace tensorloom::workloads
