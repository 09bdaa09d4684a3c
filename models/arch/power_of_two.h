#pragma once
#include <cstdint>

namespace tensorloom::arch {

constexpr bool is_power_of_two(std::uint64_t n) { return n != 0 && (n & (n - 1)) == 0; }

/// Of a power of two; of what lies between two, the smaller one's.
constexpr std::uint32_t log2_of(std::uint64_t power)
{
    std::uint32_t bits = 0;
    for (; power > 1; power /= 2) { ++bits; }
    return bits;
}

} // namespace tensorloom::arch
