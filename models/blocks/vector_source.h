#pragma once
#include <algorithm>
#include <cstdint>
#include <limits>
#include <tensorloom/models/arithmetic/word_operations.h>

namespace tensorloom::blocks {

/// An operand of a vector instruction as the lanes see it: 0 before element `zeros`, then one word after the other, or
/// the same one.
template <class W> struct vector_source {
    static constexpr std::uint64_t all = std::numeric_limits<std::uint64_t>::max();

    const W* words = nullptr;
    std::uint64_t zeros = all;
    bool broadcast = false;

    W operator[](std::uint64_t i) const { return i < zeros ? W(0) : words[broadcast ? 0 : i - zeros]; }
    /// Of elements 0 to length - 1, words that are read.
    std::uint64_t reads(std::uint64_t length) const
    {
        const std::uint64_t left = zeros < length ? length - zeros : 0;
        return broadcast && left > 1 ? 1 : left;
    }
};

// Words that are indices.

/// Of a word that has been checked.
template <class W> std::uint64_t as_index(const W& w) { return static_cast<std::uint64_t>(w); }

/// Whether elements 0 to n - 1 are all whole numbers from low to high.
template <class W> bool all_are_indices(const vector_source<W>& x, std::uint64_t n, std::int64_t low, std::int64_t high)
{
    const std::uint64_t zeros = std::min(x.zeros, n);
    unsigned bad = zeros != 0 && !arithmetic::is_index(W(0), low, high) ? 1 : 0;
    for (std::uint64_t i = 0; i < n - zeros; ++i) { bad |= arithmetic::is_index(x.words[i], low, high) ? 0u : 1u; }
    return bad == 0;
}

} // namespace tensorloom::blocks
