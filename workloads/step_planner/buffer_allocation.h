#pragma once
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace tensorloom::workloads {

/// A buffer in the unified memory with its lifetime; times are positions in a program.
struct wanted_place {
    std::uint64_t bytes = 0;
    std::size_t first = 0, last = 0; ///< both included
};

/// Which buffers are placed first: those that live longest, or the largest.
enum class placing_order : std::uint8_t { longest, largest };

/// Allocates all buffers and returns their places in order: whole blocks of `granule` bytes, in which both windows have
/// the same bytes. Buffers with overlapping lifetimes do not overlap. Each is placed at the lowest free place. None if
/// they do not fit into `bytes`.
std::optional<std::vector<std::uint64_t>> places_for(const std::vector<wanted_place>& wanted, std::uint64_t granule,
                                                     std::uint64_t bytes, placing_order first = placing_order::longest);

/// The most bytes that are wanted at one time; places_for() needs as many or more.
std::uint64_t bytes_for(const std::vector<wanted_place>& wanted, std::uint64_t granule);

} // namespace tensorloom::workloads
