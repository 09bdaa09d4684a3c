#pragma once
#include <cstdint>
#include <vector>
#include <tensorloom/models/fetta/isa/device_limits.h>
#include <tensorloom/workloads/step_planner/buffer_allocation.h>
#include <tensorloom/workloads/step_planner/training_memory.h>
#include <tensorloom/workloads/training/network_operations.h>

namespace tensorloom::workloads {

/// Bytes of the unified memory that each tensor of a step wants, and for which operations: what stays for all of them,
/// others from the first one with it to the last, what a loop has in it as long as the loop.
std::vector<wanted_place> lifetimes_of(const network_step& step);

/// Where each tensor lies in the unified memory, and how far it is used.
struct step_places {
    std::vector<std::uint64_t> byte; ///< by tensor
    std::uint64_t occupied = 0;      ///< bytes, from the first to the last that anything lies in
};
/// Throws base::input_error for tensors that do not fit.
step_places places_of(const network_step& step, const fetta::device_limits& g);

/// Bytes of a training step by layer and kind, in whole blocks, as they are placed. Behind the layers one entry more:
/// the loss, the list of the batch, constants.
training_memory memory_of(const model_contractions& contractions, const network_step& step,
                          const fetta::device_limits& g);
/// The same, planned for it; whether it fits is no matter.
training_memory memory_of(const model_description& model, const fetta::device_limits& g);

} // namespace tensorloom::workloads
