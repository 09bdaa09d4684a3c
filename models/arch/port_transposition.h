#pragma once
#include <cstdint>

namespace tensorloom::arch {

/// The port transposition of a butterfly's transpose layer: upper and lower half of the bits of the port change places.
/// Its own inverse.
constexpr std::uint32_t transposed(std::uint32_t port, std::uint32_t index_bits)
{
    const std::uint32_t half = index_bits / 2;
    return (port & ((1u << half) - 1)) << half | port >> half;
}

} // namespace tensorloom::arch
