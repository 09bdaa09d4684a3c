#pragma once
#include <algorithm>
#include <cstdint>
#include <tensorloom/models/arithmetic/word_operations.h>
#include <tensorloom/models/blocks/vector_source.h>

namespace tensorloom::blocks {

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
