#pragma once
#include <cstdint>
#include <cstring>
#include <limits>
#include <tensorloom/models/arithmetic/bfloat16.h>
#include <tensorloom/models/arithmetic/mac.h>

namespace tensorloom::arithmetic {

/// Partial sums of a contraction engine in float: one rounding per operation; a NaN result is the canonical quiet NaN.
struct psum_f32 {
    static float mac(float acc, float a, float b) { return arithmetic::mac(acc, a, b); }
    static float add(float left, float right)
    {
        const float sum = left + right;
        return sum == sum ? sum : std::numeric_limits<float>::quiet_NaN();
    }
};

/// Partial sums in bfloat16, stored as the equal floats; operands must also be values of bfloat16.
///
/// acc + a b and left + right are exact, then rounded once to nearest, ties to even (subnormals too); NaN is canonical.
/// A float's fused multiply-add rounded to bfloat16 would round twice and give a few wrong results.
struct psum_bf16 {
    static float mac(float acc, float a, float b) { return rounded_sum(double{a} * double{b}, double{acc}); }
    static float add(float left, float right) { return rounded_sum(double{left}, double{right}); }

private:
    /// x has at most 16 bits of mantissa, y 8: both are exact in double.
    ///
    /// Rounding is monotonic and the midpoints between bfloat16s are floats: a float that is not a midpoint lies on the
    /// same side of all midpoints as the exact sum, and rounds alike. At a midpoint the rounded-off part decides.
    static float rounded_sum(double x, double y)
    {
        const double sum = x + y;
        const float nearest = static_cast<float>(sum);
        std::uint32_t bits = 0;
        std::memcpy(&bits, &nearest, sizeof bits);
        if ((bits & 0xffffu) != 0x8000u) { return static_cast<float>(bfloat16(nearest)); }
        const double from_nearest = sum - double{nearest};
        const double rest = from_nearest != 0 ? from_nearest : rounded_off(x, y, sum);
        if (rest != 0) { bits += (rest > 0) == (nearest > 0) ? 1u : ~0u; }
        float beside = 0;
        std::memcpy(&beside, &bits, sizeof beside);
        return static_cast<float>(bfloat16(beside));
    }
    /// x + y - sum, exactly (the two-sum of Moller and Knuth).
    static double rounded_off(double x, double y, double sum)
    {
        const double of_y = sum - x;
        return (x - (sum - of_y)) + (y - of_y);
    }
};

} // namespace tensorloom::arithmetic
