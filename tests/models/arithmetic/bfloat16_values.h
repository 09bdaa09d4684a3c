#pragma once
#include <cstdint>
#include <cstring>
#include <vector>
#include "support/same_bits.h"

namespace tensorloom::test {

// Floats by their bits; those of bfloat16 by their upper 16.

inline float of_bits(std::uint32_t bits)
{
    float x = 0;
    std::memcpy(&x, &bits, sizeof x);
    return x;
}
inline std::uint32_t bits_of(float x)
{
    std::uint32_t bits = 0;
    std::memcpy(&bits, &x, sizeof bits);
    return bits;
}
inline float of_upper_bits(std::uint32_t upper) { return of_bits(upper << 16); }

/// Finite numbers of both signs where rounding is delicate: at and beside midpoints, around 0, the smallest normal
/// number, powers of two, the largest number.
inline std::vector<float> finite_corners()
{
    std::vector<float> all;
    for (const std::uint32_t upper :
         {0x0000u, 0x0001u, 0x0002u, 0x0003u, 0x0040u, 0x007fu, 0x0080u, 0x0081u, 0x00ffu, 0x0100u,
          0x1f80u, 0x2000u, 0x207fu, 0x3c00u, 0x3f00u, 0x3f7fu, 0x3f80u, 0x3f81u, 0x3f88u, 0x3fc0u,
          0x3fffu, 0x4000u, 0x4001u, 0x4380u, 0x5f00u, 0x7e80u, 0x7effu, 0x7f00u, 0x7f7eu, 0x7f7fu}) {
        all.push_back(of_upper_bits(upper));
        all.push_back(of_upper_bits(upper | 0x8000u));
    }
    return all;
}

} // namespace tensorloom::test
