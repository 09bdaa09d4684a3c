#include <tensorloom/models/arithmetic/number_format.h>
#include <cmath>
#include <limits>
#include <gtest/gtest.h>
#include <tensorloom/models/arithmetic/mac.h>

namespace tensorloom::arithmetic {
namespace {

float back(float x) { return static_cast<float>(bfloat16(x)); }

TEST(bfloat16, every_number_of_16_bits_comes_back)
{
    for (unsigned bits = 0; bits < 65536; ++bits) {
        bfloat16 x;
        x.bits = static_cast<std::uint16_t>(bits);
        const float value = static_cast<float>(x);
        if (std::isnan(value)) {
            EXPECT_EQ(bfloat16(value).bits, 0x7fc0);
        } else {
            EXPECT_EQ(bfloat16(value).bits, bits);
        }
    }
}

TEST(bfloat16, rounds_to_the_nearest_and_ties_to_even)
{
    const float step = std::ldexp(1.0f, -7);
    EXPECT_EQ(back(1 + 0.49f * step), 1);
    EXPECT_EQ(back(1 + 0.51f * step), 1 + step);
    EXPECT_EQ(back(1 + 0.5f * step), 1);
    EXPECT_EQ(back(1 + 1.5f * step), 1 + 2 * step);
    EXPECT_EQ(back(-1 - 1.5f * step), -1 - 2 * step);
    EXPECT_EQ(back(std::numeric_limits<float>::max()), std::numeric_limits<float>::infinity());
    EXPECT_TRUE(std::signbit(back(-0.0f)));
}

TEST(int8_operand, is_a_shifted_sum_rounded_to_the_nearest_even)
{
    for (unsigned shift = 0; shift < 12; ++shift) {
        for (std::int32_t sum = -70000; sum <= 70000; ++sum) {
            const double exact = std::nearbyint(std::ldexp(static_cast<double>(sum), -static_cast<int>(shift)));
            const double kept = std::fmin(127, std::fmax(-128, exact));
            const auto found = narrowed<std::int8_t>(sum, shift);
            ASSERT_EQ(found.value, kept) << sum << " >> " << shift;
            ASSERT_EQ(found.saturated, exact != kept) << sum << " >> " << shift;
        }
    }
}

TEST(int8_operand, takes_the_extremes_of_a_sum)
{
    constexpr std::int32_t low = std::numeric_limits<std::int32_t>::min();
    constexpr std::int32_t high = std::numeric_limits<std::int32_t>::max();
    EXPECT_EQ(shifted_to_nearest(high, 0), high);
    EXPECT_EQ(shifted_to_nearest(high, 31), 1);
    EXPECT_EQ(shifted_to_nearest(low, 31), -1);
    EXPECT_EQ(shifted_to_nearest(1 << 30, 31), 0);
    EXPECT_EQ(narrowed<std::int8_t>(low, 0).value, -128);
    EXPECT_TRUE(narrowed<std::int8_t>(low, 0).saturated);
}

TEST(int8_mac, wraps_and_tells_that_it_overflowed)
{
    constexpr std::int32_t high = std::numeric_limits<std::int32_t>::max();
    const std::int8_t a = 100, b = 2;
    EXPECT_EQ(mac(std::int32_t{5}, a, b), 205);
    EXPECT_FALSE(mac_overflows(high - 200, a, b));
    EXPECT_TRUE(mac_overflows(high - 199, a, b));
    EXPECT_EQ(mac(high - 199, a, b), std::numeric_limits<std::int32_t>::min());
}

TEST(bfloat16_mac, rounds_once)
{
    const bfloat16 x(1 + std::ldexp(1.0f, -7));
    const float acc = std::ldexp(1.0f, -30);
    EXPECT_EQ(mac(acc, x, x), static_cast<float>(static_cast<double>(acc) + std::pow(1 + std::ldexp(1.0, -7), 2)));
    EXPECT_TRUE(is_zero(bfloat16(-0.0f)));
    EXPECT_FALSE(is_zero(bfloat16(std::nanf(""))));
    EXPECT_TRUE(counts_as_zero(bfloat16(-0.25f), 0.25));
}

} // namespace
} // namespace tensorloom::arithmetic
