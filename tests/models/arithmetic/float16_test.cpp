// Numbers of 16 bits against what their bits mean.
#include <tensorloom/models/arithmetic/float16.h>
#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>
#include <gtest/gtest.h>
#include <tensorloom/models/arithmetic/mac.h>

namespace tensorloom::test {
namespace {

using arithmetic::float16;

float16 of_half_bits(std::uint32_t bits)
{
    float16 x;
    x.bits = static_cast<std::uint16_t>(bits);
    return x;
}

/// The modulus that 15 bits stand for; 2^16 in place of infinity, where the next number would be.
double modulus_of_half(std::uint32_t bits)
{
    const int exponent = static_cast<int>(bits >> 10);
    const double fraction = bits & 0x3ffu;
    return exponent == 0 ? std::ldexp(fraction, -24) : std::ldexp(1024 + fraction, exponent - 25);
}
bool is_half_nan(std::uint32_t bits) { return (bits & 0x7fffu) > 0x7c00u; }

TEST(float16, every_number_becomes_the_float_that_it_is_and_comes_back)
{
    for (std::uint32_t bits = 0; bits < 0x10000; ++bits) {
        const auto value = static_cast<float>(of_half_bits(bits));
        if (is_half_nan(bits)) {
            ASSERT_TRUE(std::isnan(value)) << bits;
            ASSERT_EQ(float16(value).bits, 0x7e00) << bits;
            continue;
        }
        const double size = (bits & 0x7fffu) == 0x7c00u ? HUGE_VAL : modulus_of_half(bits & 0x7fffu);
        ASSERT_EQ(std::fabs(value), size) << bits;
        ASSERT_EQ(std::signbit(value), (bits & 0x8000u) != 0) << bits;
        ASSERT_EQ(float16(value).bits, bits);
    }
}

// Every number, and floats just below, at and just above the middle between it and the next one away from 0.
TEST(float16, floats_become_the_nearest_number_and_ties_go_to_the_even_one)
{
    for (std::uint32_t bits = 0; bits < 0x10000; ++bits) {
        const std::uint32_t size = bits & 0x7fffu;
        if (size >= 0x7c00u) { continue; }
        const float sign = (bits & 0x8000u) != 0 ? -1.0f : 1.0f;
        const auto middle = static_cast<float>((modulus_of_half(size) + modulus_of_half(size + 1)) / 2);
        const std::uint32_t away = bits + 1, even = bits + (bits & 1u);
        ASSERT_EQ(float16(sign * std::nextafter(middle, 0.0f)).bits, bits);
        ASSERT_EQ(float16(sign * middle).bits, even);
        ASSERT_EQ(float16(sign * std::nextafter(middle, HUGE_VALF)).bits, away);
    }
    EXPECT_EQ(float16(std::numeric_limits<float>::max()).bits, 0x7c00);
    EXPECT_EQ(float16(-std::numeric_limits<float>::infinity()).bits, 0xfc00);
    EXPECT_EQ(float16(std::numeric_limits<float>::denorm_min()).bits, 0);
    EXPECT_EQ(float16(-0.0f).bits, 0x8000);
    EXPECT_EQ(float16(-std::numeric_limits<float>::quiet_NaN()).bits, 0x7e00);
}

TEST(float16, is_an_operand_of_multiply_adds_that_round_once)
{
    const float16 x(1 + std::ldexp(1.0f, -10)), least = of_half_bits(1), most = of_half_bits(0x7bff);
    const float sum = std::ldexp(1.0f, -30);
    EXPECT_EQ(arithmetic::mac(sum, x, x), static_cast<float>(sum + std::pow(1 + std::ldexp(1.0, -10), 2)));
    EXPECT_EQ(arithmetic::mac(0.0f, least, least), std::ldexp(1.0f, -48)); // exact, as the product of the largest
    EXPECT_EQ(arithmetic::mac(0.0f, most, most), 65504.0f * 65504.0f);
    EXPECT_TRUE(arithmetic::is_zero(float16(-0.0f)));
    EXPECT_FALSE(arithmetic::is_zero(least));
    EXPECT_TRUE(arithmetic::counts_as_zero(float16(-0.25f), 0.25));
}

} // namespace
} // namespace tensorloom::test
