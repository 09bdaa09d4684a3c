#pragma once
#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace tensorloom::workloads {

// Summation order of a GEMT: the order of its stages, and of the matrix rows within a stage.

/// The order in which the three stages sum over the modes: "312" is {3, 1, 2}, mode 3 first.
/// Throws base::input_error for anything but a permutation of 123.
std::array<unsigned, 3> parse_mode_order(const std::string& digits);

/// Order in which an actuator streams the rows of its matrix: step t streams row pi(t), with its tag at k = pi(t).
/// Source: TriADA; the paper's tags sit on the diagonal, any permutation gives the same totals.
enum class tag_kind {
    diagonal, ///< pi(t) = t
    reverse,  ///< pi(t) = n - 1 - t
    random    ///< uniformly distributed permutation from the seed, the same on every machine
};

/// "diagonal", "reverse" or "random"; throws base::input_error.
tag_kind parse_tags(const std::string& name);

/// The permutation pi of 0 .. n-1. Only random depends on the seed. Throws base::input_error when n > 2^32.
std::vector<std::uint32_t> row_order(tag_kind kind, std::size_t n, std::uint64_t seed);

} // namespace tensorloom::workloads
