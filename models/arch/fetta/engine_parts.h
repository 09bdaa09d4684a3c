#pragma once
#include <cstdint>

namespace tensorloom::arch::fetta {

// The parts that a mask of bits of the engine's index splits a group of indices into (contract_command.h).

/// Number of parts that a mask splits a group into: 2^bits.
constexpr std::uint32_t parts(std::uint32_t mask)
{
    std::uint32_t n = 1;
    for (; mask != 0; mask &= mask - 1) { n *= 2; }
    return n;
}

/// The bits of the engine's index under the mask, lowest first: which part is its own.
constexpr std::uint32_t part_of(std::uint32_t engine, std::uint32_t mask)
{
    std::uint32_t part = 0;
    for (std::uint32_t to = 1; mask != 0; mask &= mask - 1, to *= 2) {
        if ((engine & mask & (~mask + 1)) != 0) { part |= to; }
    }
    return part;
}

/// The other way: bits of the part, lowest first, to where the mask has ones.
constexpr std::uint32_t deposit(std::uint32_t part, std::uint32_t mask)
{
    std::uint32_t bits = 0;
    for (; mask != 0; mask &= mask - 1, part /= 2) {
        if ((part & 1) != 0) { bits |= mask & (~mask + 1); }
    }
    return bits;
}

} // namespace tensorloom::arch::fetta
