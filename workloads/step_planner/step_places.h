#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <vector>
#include <tensorloom/models/base/values/input_error.h>
#include <tensorloom/models/fetta/isa/device_limits.h>
#include <tensorloom/workloads/step_planner/buffer_allocation.h>
#include <tensorloom/workloads/step_planner/step_operations.h>

namespace tensorloom::workloads {

/// Blocks in which both windows of the unified memory have the same bytes: places are whole ones.
constexpr std::uint64_t place_granule(const fetta::device_limits& g)
{
    return std::uint64_t{g.engines} * g.row_bytes(base::element_type::f32);
}

/// The error for a step whose tensors need so many bytes on chip, which are too many; `part`: the share of a layer.
base::input_error step_too_large(const fetta::device_limits& g, std::uint64_t bytes, const std::string& part);

/// Bytes of the unified memory for each tensor of a step, and its lifetime: from the first operation that uses it to
/// the last, and during those that it is reserved for. Tensors used in a layer's loop, or inside and outside of a loop
/// over batches or blocks, live throughout the loop.
std::vector<wanted_place> lifetimes_of(const operation_list& list);

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
/// Places for these lifetimes in so many bytes, in one order of placing or another.
std::optional<std::vector<std::uint64_t>> places_in(const std::vector<wanted_place>& lifetimes, std::uint64_t bytes,
                                                    const fetta::device_limits& g);
std::optional<step_places> find_places(const operation_list& list, const fetta::device_limits& g);
/// Throws base::input_error for tensors that do not fit.
step_places places_of(const operation_list& list, const fetta::device_limits& g);

} // namespace tensorloom::workloads
