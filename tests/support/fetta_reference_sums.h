#pragma once
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>

namespace tensorloom::test {

// Multiply-adds and sums of a FETTA as its reference does them, in words of its own.

inline float canonical(float r) { return std::isnan(r) ? std::numeric_limits<float>::quiet_NaN() : r; }

/// x y + z, which double holds but for its last bits: those make it odd. So a second rounding to much fewer bits is
/// right.
inline double odd_fused(double x, double y, double z)
{
    const double p = x * y; // exact: 16 bits at most
    const double s = p + z;
    const double rest = s - p;
    const double lost = (p - (s - rest)) + (z - rest); // exactly what s lacks
    std::uint64_t bits;
    std::memcpy(&bits, &s, sizeof bits);
    if (!std::isfinite(s) || lost == 0 || (bits & 1) != 0) { return s; }
    return std::nextafter(s, lost > 0 ? std::numeric_limits<double>::infinity()
                                      : -std::numeric_limits<double>::infinity());
}

/// To nearest, ties to even: 8 bits of mantissa, exponents of float.
inline float rounded_to_bf16(double x)
{
    if (std::isnan(x)) { return std::numeric_limits<float>::quiet_NaN(); }
    if (x == 0 || std::isinf(x)) { return static_cast<float>(x); }
    const int last_bit = std::max(std::ilogb(x), -126) - 7;
    const double r = std::ldexp(std::nearbyint(std::ldexp(x, -last_bit)), last_bit);
    return std::fabs(r) >= std::ldexp(1.0, 128)
               ? static_cast<float>(std::copysign(std::numeric_limits<double>::infinity(), x))
               : static_cast<float>(r);
}

/// Sums in one psum format.
struct reference_sums {
    bool bf16 = false;

    float fused(float acc, float x, float y) const
    {
        return bf16 ? rounded_to_bf16(odd_fused(x, y, acc)) : canonical(std::fma(x, y, acc));
    }
    float sum(float a, float b) const { return bf16 ? rounded_to_bf16(odd_fused(a, 1, b)) : canonical(a + b); }
};

} // namespace tensorloom::test
