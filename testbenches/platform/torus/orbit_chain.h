#pragma once
#include <cstdint>
#include <vector>
#include <tensorloom/models/torus/isa/orbit_command.h>
#include "platform/run/chain_job.h"
#include "platform/torus/orbit_job.h"

namespace tensorloom::testbench {

// Programs for chains on an orbital torus: a command per step, and a tensor that stays on the nodes between them.
//
// A forward transform leaves its result where an inverse one begins, and vice versa. So the transforms of a chain run
// forward and inverse in turn, whatever they compute: the matrices of those that run inverse are loaded conjugate and
// transposed. The placement of blocks depends on the order of the modes, so those that run inverse sum the modes in the
// reverse of the first one's order.

/// The chain with the orders of a torus. Throws base::input_error, which names the step, for a chain that a torus does
/// not have: one that begins with an operation on elements, that leaves out modes in transforms between others, or not
/// the same ones before and after, or that keeps an operand from before a transform until after it.
std::vector<workloads::chain_step> chain_of_torus(std::vector<workloads::chain_step> chain);

/// Of each step: the way in which it runs, if it is a transform.
std::vector<torus::direction> ways_of(const orbit_job& job);

/// The data of a chain as the torus loads it.
template <class T>
workloads::chain_data<T> loaded_chain(const orbit_job& job, const workloads::chain_data<T>& of_steps);

/// Rows of its matrices, by step and mode.
std::vector<workloads::shape3> rows_of_torus(const orbit_job& job);

/// The largest sizes of the tensor before forward and after inverse transforms, and those between.
torus::orbit_sizes chain_sizes(const orbit_job& job);

/// Whether a tensor of the chain is smaller than its blocks, which are filled with zeros then.
bool is_padded(const orbit_job& job, const torus_fit& fit);

/// The program: for each tensor of the batch a command per step.
std::vector<std::uint8_t> chain_program(const orbit_job& job, const torus_fit& fit, const orbit_layout& at);

/// Bytes of that program.
std::uint64_t chain_program_bytes(const orbit_job& job);

} // namespace tensorloom::testbench
