// Partial sums in float and bfloat16, against integers of any length that are rounded by searching the number format.
#include <tensorloom/models/arithmetic/psum.h>
#include <cmath>
#include <cstdint>
#include <limits>
#include <random>
#include <vector>
#include <boost/multiprecision/cpp_int.hpp>
#include <gtest/gtest.h>
#include "models/arithmetic/bfloat16_values.h"

namespace tensorloom::test {
namespace {

using arithmetic::psum_bf16;
using arithmetic::psum_f32;
using boost::multiprecision::cpp_int;

constexpr std::uint32_t canonical_nan = 0x7fc00000;
constexpr std::uint32_t infinite_bits = 0x7f80;
constexpr unsigned smallest = 133; // the smallest bfloat16 is 2^-133, the smallest product 2^-266

/// 2^133 |x| of the number with these bits; of infinity what the next number would be if there were one.
cpp_int magnitude(std::uint32_t upper)
{
    const std::uint32_t exponent = (upper >> 7) & 0xffu;
    const std::uint32_t mantissa = upper & 0x7fu;
    return exponent == 0 ? cpp_int(mantissa) : cpp_int(mantissa | 0x80u) << (exponent - 1);
}
cpp_int scaled(float x)
{
    const std::uint32_t upper = bits_of(x) >> 16;
    return (upper & 0x8000u) != 0 ? cpp_int(-magnitude(upper)) : magnitude(upper);
}

/// x / 2^266, which is not 0, rounded to nearest, ties to even.
float nearest(const cpp_int& x)
{
    const cpp_int wanted = abs(x);
    std::uint32_t below = 0; // the largest number that is not above
    std::uint32_t above = infinite_bits;
    while (above - below > 1) {
        const std::uint32_t middle = (below + above) / 2;
        ((magnitude(middle) << smallest) <= wanted ? below : above) = middle;
    }
    const cpp_int twice = 2 * wanted;
    const cpp_int midpoint = (magnitude(below) + magnitude(above)) << smallest;
    const std::uint32_t rounded = twice > midpoint || (twice == midpoint && below % 2 == 1) ? above : below;
    return of_upper_bits(rounded | (x < 0 ? 0x8000u : 0u));
}

void expect_mac(float acc, float a, float b)
{
    const cpp_int exact = (scaled(acc) << smallest) + scaled(a) * scaled(b);
    // The sign of an exact zero is that of IEEE 754, which a float's sum keeps.
    const float expected = exact == 0 ? std::fma(a, b, acc) : nearest(exact);
    ASSERT_EQ(bits_of(psum_bf16::mac(acc, a, b)), bits_of(expected))
        << std::hexfloat << acc << " + " << a << " x " << b << " = " << expected;
}
void expect_add(float left, float right)
{
    const cpp_int exact = (scaled(left) + scaled(right)) << smallest;
    const float expected = exact == 0 ? left + right : nearest(exact);
    ASSERT_EQ(bits_of(psum_bf16::add(left, right)), bits_of(expected))
        << std::hexfloat << left << " + " << right << " = " << expected;
}

bool finite(std::uint32_t upper) { return (upper & 0x7f80u) != infinite_bits; }

TEST(psum_bf16_test, corners_are_rounded_once)
{
    const auto corners = finite_corners();
    for (const float a : corners) {
        for (const float b : corners) {
            expect_add(a, b);
            for (const float acc : corners) { expect_mac(acc, a, b); }
        }
    }
}

TEST(psum_bf16_test, any_numbers_are_rounded_once)
{
    std::mt19937 random{5};
    const auto number = [&] {
        for (;;) {
            const std::uint32_t upper = random() & 0xffffu;
            if (finite(upper)) { return of_upper_bits(upper); }
        }
    };
    for (int i = 0; i < 30000; ++i) {
        const float acc = number();
        const float a = number();
        expect_add(acc, a);
        expect_mac(acc, a, number());
    }
}

TEST(psum_bf16_test, sums_at_and_beside_midpoints_are_rounded_once)
{
    // Products near the midpoints of the accumulator's last bit, and accumulators far below a product at a midpoint.
    std::mt19937 random{6};
    for (int i = 0; i < 60000; ++i) {
        const std::uint32_t exponent = 100 + random() % 40;
        const std::uint32_t sign = (random() & 1u) << 15;
        const float a = of_upper_bits(exponent << 7 | (random() & 0x7fu) | sign);
        const float b = of_upper_bits((127 + random() % 4) << 7 | (random() & 0x7fu));
        const int distance = static_cast<int>(random() % 60) - 30;
        const auto near = static_cast<std::uint32_t>(static_cast<int>(exponent) + distance);
        expect_mac(of_upper_bits(near << 7 | (random() & 0x7fu) | (random() & 0x8000u)), a, b);
        expect_mac(of_upper_bits((exponent - 90) << 7 | (random() & 0x8000u)), a, b);
        expect_add(a, of_upper_bits((exponent - random() % 12) << 7 | (random() & 0x7fu) | (random() & 0x8000u)));
    }
}

TEST(psum_bf16_test, a_sum_rounded_through_float_would_differ)
{
    // The square is the midpoint of two numbers; the rest is lost in a float, which then rounds to the even one.
    const float tiny = std::ldexp(1.0f, -40);
    const float a = 1 + std::ldexp(1.0f, -4);
    EXPECT_EQ(psum_bf16::mac(tiny, a, a), nearest((scaled(tiny) << smallest) + scaled(a) * scaled(a)));
    EXPECT_EQ(psum_bf16::mac(tiny, a, a), 1 + std::ldexp(17.0f, -7));
    EXPECT_EQ(static_cast<float>(arithmetic::bfloat16(std::fma(a, a, tiny))), 1 + std::ldexp(16.0f, -7));
}

TEST(psum_bf16_test, infinities_go_on_and_every_nan_is_canonical)
{
    const float inf = std::numeric_limits<float>::infinity();
    const float largest = of_upper_bits(0x7f7f);
    EXPECT_EQ(psum_bf16::mac(1, inf, 2), inf);
    EXPECT_EQ(psum_bf16::mac(-inf, 3, 2), -inf);
    EXPECT_EQ(psum_bf16::mac(0, largest, -2), -inf);
    EXPECT_EQ(psum_bf16::mac(-inf, largest, largest), -inf);
    EXPECT_EQ(psum_bf16::add(largest, largest), inf);
    EXPECT_EQ(psum_bf16::add(-largest, -largest), -inf);
    const float strange = of_upper_bits(0xffa5);
    for (const float x : {psum_bf16::mac(strange, 1, 1), psum_bf16::mac(1, strange, 1), psum_bf16::mac(1, 1, strange),
                          psum_bf16::mac(0, inf, 0), psum_bf16::mac(-inf, inf, 1), psum_bf16::add(inf, -inf),
                          psum_bf16::add(strange, 1), psum_bf16::add(1, strange)}) {
        EXPECT_EQ(bits_of(x), canonical_nan);
    }
}

TEST(psum_f32_test, multiplies_and_adds_with_one_rounding)
{
    const float e = std::ldexp(1.0f, -13);
    EXPECT_EQ(psum_f32::mac(-1, 1 + e, 1 - e), -std::ldexp(1.0f, -26));
    EXPECT_EQ(bits_of(psum_f32::add(-0.0f, -0.0f)), bits_of(-0.0f));
    EXPECT_EQ(psum_f32::add(1, std::ldexp(1.0f, -24)), 1.0f);
    EXPECT_EQ(psum_f32::add(1, std::ldexp(3.0f, -24)), 1 + std::ldexp(4.0f, -24));
}

TEST(psum_f32_test, every_nan_is_canonical)
{
    const float inf = std::numeric_limits<float>::infinity();
    const float strange = of_bits(0xffdeadbe);
    for (const float x : {psum_f32::mac(strange, 1, 1), psum_f32::mac(inf, inf, -1), psum_f32::add(strange, 1),
                          psum_f32::add(1, strange), psum_f32::add(inf, -inf)}) {
        EXPECT_EQ(bits_of(x), canonical_nan);
    }
}

} // namespace
} // namespace tensorloom::test
