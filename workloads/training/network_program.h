#pragma once
#include <cstdint>
#include <vector>
#include <tensorloom/models/fetta/isa/device_limits.h>
#include <tensorloom/workloads/step_planner/program_writer.h>
#include <tensorloom/workloads/training/network_operations.h>

namespace tensorloom::workloads {

/// Addresses of a model and its data in memory on the bus. The host writes everything once, except the lists.
struct model_addresses {
    std::uint64_t masters = 0;          ///< all parameters, float32, with the gaps of their layouts
    std::vector<std::uint64_t> moments; ///< likewise
    std::uint64_t constants = 0;        ///< step_constants of float32
    std::uint64_t literals = 0;         ///< constants, float32
    std::uint64_t ones = 0;             ///< of bf16
    std::uint64_t features = 0;         ///< sample by sample in C order, bf16, or 32-bit tokens
    std::uint64_t indices = 0;          ///< tokens in float32
    std::uint64_t labels = 0;           ///< answers_of() of the loss
    std::uint64_t lists = 0;            ///< list_layout of each batch, 32 bits each
    std::vector<std::uint64_t> regions; ///< of the model
    std::uint64_t metrics = 0;          ///< metric_words of each block
    std::uint64_t spills = 0;           ///< of any step, one array after the other
    std::uint64_t end = 0;
};

/// Addresses for these numbers of literals, samples, batches and bytes of spills from `base` on; throws
/// base::input_error if `bytes` are too few.
struct model_arrays {
    std::uint64_t literals = 0, samples = 0, batches = 0, spill_bytes = 0;
};
model_addresses model_addresses_of(const model_description& model, const model_contractions& contractions,
                                   const model_arrays& arrays, std::uint64_t base, std::uint64_t bytes);
std::uint64_t spill_bytes_of(const operation_list& list); ///< of memory on the bus

/// Places the tensors and writes the program. Throws base::input_error for tensors that do not fit into the unified
/// memory.
written_program write_steps(const model_contractions& contractions, const operation_list& list,
                            const fetta::device_limits& g, const model_addresses& addresses);

} // namespace tensorloom::workloads
