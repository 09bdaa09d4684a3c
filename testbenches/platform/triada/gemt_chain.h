#pragma once
#include <cstdint>
#include <vector>
#include "platform/run/chain_job.h"
#include "platform/triada/gemt_job.h"

namespace tensorloom::testbench {

// Programs for chains on a TriADA: a command per step, and tensors that stay in the cells between them.

/// Whether tensors of a batch are loaded and unloaded beside the work on others: the next one beside the last transform
/// of a chain, the previous result beside the first step, if that is a transform. Not with an initial tensor.
bool moves_beside_work(const gemt_job& job, const isa::mode_sizes& mesh);

/// Registers that a cell needs for a chain on a mesh that it fits.
unsigned registers_needed(const gemt_job& job, const isa::mode_sizes& mesh);

/// The program of a job whose tensors fit the mesh: for each tensor of the batch a command per step.
std::vector<std::uint8_t> chain_program(const gemt_job& job, const gemt_layout& at);

/// Bytes of that program.
std::uint64_t chain_program_bytes(const gemt_job& job);

} // namespace tensorloom::testbench
