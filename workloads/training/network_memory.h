#pragma once
#include <cstdint>
#include <optional>
#include <vector>
#include <tensorloom/models/fetta/isa/device_limits.h>
#include <tensorloom/workloads/step_planner/buffer_allocation.h>
#include <tensorloom/workloads/step_planner/training_memory.h>
#include <tensorloom/workloads/training/network_operations.h>

namespace tensorloom::workloads {

/// Bytes of the unified memory for each tensor of a step, and its lifetime: from the first operation that uses it to
/// the last. Tensors used in a layer's loop, or inside and outside of a loop over batches or blocks, live throughout
/// the loop.
std::vector<wanted_place> lifetimes_of(const network_step& step);

/// A number of bytes, rounded up to whole blocks of the memory, in which tensors are placed.
std::uint64_t in_whole_blocks(std::uint64_t bytes, const fetta::device_limits& g);
/// Bytes of the tensors that are needed at each operation, in whole blocks.
std::vector<std::int64_t> occupation_of(const std::vector<wanted_place>& lifetimes, std::size_t operations,
                                        const fetta::device_limits& g);

/// Place of each tensor in the unified memory, and the occupied bytes.
struct step_places {
    std::vector<std::uint64_t> byte; ///< by tensor
    std::uint64_t occupied = 0;      ///< bytes, from the first to the last used one
};
std::optional<step_places> find_places(const network_step& step, const fetta::device_limits& g);
/// Throws base::input_error for tensors that do not fit.
step_places places_of(const network_step& step, const fetta::device_limits& g);

/// Bytes of a training step by layer and kind, in whole blocks, as placed. After the layers follows one more entry: the
/// loss, the list of the batch, constants.
training_memory memory_of(const model_contractions& contractions, const network_step& step,
                          const fetta::device_limits& g);
/// The same for a model, which is planned first; the tensors need not fit.
training_memory memory_of(const model_description& model, const fetta::device_limits& g);

} // namespace tensorloom::workloads
