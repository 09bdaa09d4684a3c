#include <tensorloom/workloads/element_rounding.h>

#include <cmath>
#include <cstdint>

#include <gmock/gmock.h>

#include "support/message_of.h"

namespace tensorloom::test {
namespace {

using arithmetic::bfloat16;
using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using workloads::holds_element;
using workloads::nearest_bfloat16;
using workloads::nearest_float16;
using workloads::rounded_elements;
using workloads::rounded_to;

long double value_of(std::uint32_t bits)
{
    bfloat16 x;
    x.bits = static_cast<std::uint16_t>(bits);
    return static_cast<float>(x);
}

// Between every two neighbours, 0 and the largest included: both ends, both sides of the tie, and the tie itself.
TEST(nearest_bfloat16, is_right_around_every_tie)
{
    const long double sliver = 0x1p-62L; // of the value; long double has no finer
    for (std::uint32_t low = 0; low < 0x7f7f; ++low) {
        const long double a = value_of(low), b = value_of(low + 1), tie = a + (b - a) / 2;
        for (int sign : {1, -1}) {
            const std::uint32_t minus = sign < 0 ? 0x8000 : 0;
            ASSERT_EQ(nearest_bfloat16(sign * a).bits, low == 0 ? nearest_bfloat16(sign * 0.0L).bits : low | minus);
            ASSERT_EQ(nearest_bfloat16(sign * tie).bits, (low % 2 == 0 ? low : low + 1) | minus) << low;
            ASSERT_EQ(nearest_bfloat16(sign * (tie - tie * sliver)).bits, low | minus) << low;
            ASSERT_EQ(nearest_bfloat16(sign * (tie + tie * sliver)).bits, (low + 1) | minus) << low;
        }
    }
}

TEST(nearest_bfloat16, the_ends_of_the_range)
{
    const long double largest = value_of(0x7f7f), tie = largest + 0x1p119L;
    EXPECT_EQ(nearest_bfloat16(largest).bits, 0x7f7f);
    EXPECT_EQ(nearest_bfloat16(tie - 0x1p64L).bits, 0x7f7f);
    EXPECT_EQ(nearest_bfloat16(tie).bits, 0x7f80);
    EXPECT_EQ(nearest_bfloat16(-1e4000L).bits, 0xff80);
    EXPECT_EQ(nearest_bfloat16(1e-4000L).bits, 0);
    EXPECT_EQ(nearest_bfloat16(-1e-4000L).bits, 0x8000);
    EXPECT_EQ(nearest_bfloat16(INFINITY).bits, 0x7f80);
    EXPECT_EQ(nearest_bfloat16(NAN).bits, 0x7fc0);
}

// As of bfloat16: 5 bits of exponent, 10 of fraction.
TEST(nearest_float16, is_right_around_every_tie)
{
    const auto value = [](std::uint32_t bits) {
        const int exponent = static_cast<int>(bits >> 10);
        const long double fraction = bits & 0x3ff;
        return exponent == 0 ? std::ldexp(fraction, -24) : std::ldexp(1024 + fraction, exponent - 25);
    };
    const long double sliver = 0x1p-62L;
    for (std::uint32_t low = 0; low < 0x7c00; ++low) { // the last tie is on the way to infinity
        const long double a = value(low), tie = a + (value(low + 1) - a) / 2;
        for (int sign : {1, -1}) {
            const std::uint32_t minus = sign < 0 ? 0x8000 : 0;
            ASSERT_EQ(nearest_float16(sign * a).bits, low | minus);
            ASSERT_EQ(nearest_float16(sign * tie).bits, (low % 2 == 0 ? low : low + 1) | minus) << low;
            ASSERT_EQ(nearest_float16(sign * (tie - tie * sliver)).bits, low | minus) << low;
            ASSERT_EQ(nearest_float16(sign * (tie + tie * sliver)).bits, (low + 1) | minus) << low;
        }
    }
    EXPECT_EQ(nearest_float16(1e-4000L).bits, 0);
    EXPECT_EQ(nearest_float16(-1e4000L).bits, 0xfc00);
    EXPECT_EQ(nearest_float16(NAN).bits, 0x7e00);
}

TEST(rounded_to, is_the_nearest_number_of_a_real_format)
{
    using base::element_type;
    const double third = 1.0 / 3;
    EXPECT_EQ(rounded_to(element_type::f64, third), third);
    EXPECT_EQ(rounded_to(element_type::f32, third), std::nearbyint(third * 0x1p25) * 0x1p-25);
    EXPECT_EQ(rounded_to(element_type::bf16, third), std::nearbyint(third * 0x1p9) * 0x1p-9);
    EXPECT_EQ(rounded_to(element_type::f16, third), std::nearbyint(third * 0x1p12) * 0x1p-12);
    EXPECT_EQ(rounded_to(element_type::int8, 0.5), 0.5); // no real format
    EXPECT_EQ(rounded_to(element_type::f16, 1e5), HUGE_VAL);
}

TEST(holds_element, whole_numbers_in_range)
{
    for (long double held : {-128.0L, -1.0L, 0.0L, 127.0L}) { EXPECT_TRUE(holds_element<std::int8_t>(held)) << held; }
    for (long double refused : {-129.0L, 128.0L, 0.5L, 1 + 0x1p-60L, static_cast<long double>(NAN), 1e300L}) {
        EXPECT_FALSE(holds_element<std::int8_t>(refused)) << refused;
    }
    EXPECT_TRUE(holds_element<std::int32_t>(-2147483648.0L));
    EXPECT_FALSE(holds_element<std::int32_t>(2147483648.0L));
    EXPECT_TRUE(holds_element<double>(0.5L));
}

TEST(rounded_elements, an_element_that_does_not_fit_is_named)
{
    const std::vector<double> values{1, 2, 3, 4, 5, 6.5};
    EXPECT_THAT(rounded_elements<float>(values, {2, 3}, "x"), ElementsAre(1, 2, 3, 4, 5, 6.5f));
    EXPECT_THAT(message_of([&] {
                    rounded_elements<std::int8_t>(values, {2, 3}, "x.npy");
                }),
                AllOf(HasSubstr("x.npy: element 6.5 at (1, 2) found"), HasSubstr("whole numbers from -128 to 127")));
    EXPECT_THAT(message_of([&] {
                    rounded_elements<std::int32_t>(std::vector<double>{1, -3e9}, {2}, "y");
                }),
                AllOf(HasSubstr("y: element -3e+09 at (1) found"), HasSubstr("from -2147483648 to 2147483647")));
}

} // namespace
} // namespace tensorloom::test
