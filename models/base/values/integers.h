#pragma once
#include <cstdint>

namespace tensorloom::base {

/// a / b, rounded up; a + b must be below 2^64.
constexpr std::uint64_t quotient_up(std::uint64_t a, std::uint64_t b) { return (a + b - 1) / b; }

/// a / positive, rounded towards minus infinity.
constexpr std::int64_t quotient_down(std::int64_t a, std::int64_t positive)
{
    return a / positive - (a % positive < 0 ? 1 : 0);
}

constexpr bool is_power_of_two(std::uint64_t n) { return n != 0 && (n & (n - 1)) == 0; }

/// Base-2 logarithm, rounded down.
constexpr std::uint32_t log2_of(std::uint64_t power)
{
    std::uint32_t bits = 0;
    for (; power > 1; power /= 2) { ++bits; }
    return bits;
}

/// The port permutation of a butterfly's transpose layer: swaps the upper and the lower half of the port number's bits.
/// Its own inverse.
constexpr std::uint32_t transposed(std::uint32_t port, std::uint32_t index_bits)
{
    const std::uint32_t half = index_bits / 2;
    return (port & ((1u << half) - 1)) << half | port >> half;
}

} // namespace tensorloom::base
