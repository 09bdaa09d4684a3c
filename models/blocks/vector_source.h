#pragma once
#include <cstdint>
#include <limits>

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

} // namespace tensorloom::blocks
