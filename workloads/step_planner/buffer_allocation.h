#pragma once
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace tensorloom::workloads {

/// Bytes that are wanted in the unified memory for some time; times are positions in a program.
struct wanted_place {
    std::uint64_t bytes = 0;
    std::size_t first = 0, last = 0; ///< both included
};

/// Places for all of them, in their order: whole blocks of `granule` bytes, in which both windows have the same bytes;
/// what is wanted at the same time does not overlap. The largest first, each at the lowest place. Nothing when they do
/// not fit into so many bytes.
std::optional<std::vector<std::uint64_t>> places_for(const std::vector<wanted_place>& wanted, std::uint64_t granule,
                                                     std::uint64_t bytes);

} // namespace tensorloom::workloads
