#pragma once
#include <array>
#include <cstdint>

namespace tensorloom::arithmetic {

/// Philox-2x32-10: two random words from a counter of two words and a key; every counter has its own words, in any
/// order. Source: Salmon and others, "Parallel random numbers: as easy as 1, 2, 3" (2011).
constexpr std::array<std::uint32_t, 2> philox_2x32(std::uint32_t counter_0, std::uint32_t counter_1, std::uint32_t key)
{
    constexpr std::uint64_t multiplier = 0xd256d193;
    constexpr std::uint32_t key_step = 0x9e3779b9; // golden ratio
    constexpr unsigned rounds = 10, word_bits = 32;
    for (unsigned r = 0; r < rounds; ++r) {
        const std::uint64_t product = multiplier * counter_0;
        counter_0 = static_cast<std::uint32_t>(product >> word_bits) ^ key ^ counter_1;
        counter_1 = static_cast<std::uint32_t>(product);
        key += key_step;
    }
    return {counter_0, counter_1};
}

/// Random number number `i` of a stream: a multiple of 2^-24 from 0 to below 1. Numbers 2j and 2j + 1 are the two words
/// of counter (j, stream), without their lowest 8 bits.
constexpr float random_fraction(std::uint32_t key, std::uint32_t stream, std::uint32_t i)
{
    constexpr unsigned dropped_bits = 8;
    constexpr float unit = 1.0f / 16777216;
    return static_cast<float>(philox_2x32(i / 2, stream, key)[i % 2] >> dropped_bits) * unit;
}

} // namespace tensorloom::arithmetic
