// Rows of bfloat16 in memory to floats and back, against what their bits mean.
#include <tensorloom/models/arithmetic/bfloat16.h>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <vector>
#include <gtest/gtest.h>
#include "models/arithmetic/bfloat16_values.h"

namespace tensorloom::test {
namespace {

/// The sum of what sign, exponent and mantissa stand for; of a NaN nothing.
double meaning(std::uint32_t upper)
{
    const int exponent = static_cast<int>(upper >> 7 & 0xffu);
    const double mantissa = (upper & 0x7fu) + (exponent == 0 ? 0.0 : 128.0);
    const double magnitude = exponent == 255 ? HUGE_VAL : std::ldexp(mantissa, (exponent == 0 ? 1 : exponent) - 134);
    return (upper & 0x8000u) != 0 ? -magnitude : magnitude;
}
bool is_nan(std::uint32_t upper) { return (upper & 0x7fffu) > 0x7f80u; }

std::vector<unsigned char> all_numbers()
{
    std::vector<std::uint16_t> numbers(0x10000);
    for (std::size_t k = 0; k < numbers.size(); ++k) { numbers[k] = static_cast<std::uint16_t>(k); }
    std::vector<unsigned char> bytes(1 + 2 * numbers.size()); // not aligned
    std::memcpy(bytes.data() + 1, numbers.data(), 2 * numbers.size());
    return bytes;
}

TEST(bfloat16_rows_test, every_number_becomes_the_float_that_it_is)
{
    const auto bytes = all_numbers();
    std::vector<float> floats(0x10000);
    arithmetic::widen_row(bytes.data() + 1, floats.size(), floats.data());
    for (std::uint32_t upper = 0; upper < floats.size(); ++upper) {
        if (is_nan(upper)) {
            ASSERT_TRUE(std::isnan(floats[upper])) << upper;
        } else {
            ASSERT_EQ(floats[upper], meaning(upper)) << upper;
            ASSERT_EQ(std::signbit(floats[upper]), (upper & 0x8000u) != 0) << upper;
        }
    }
}

TEST(bfloat16_rows_test, floats_become_the_nearest_number)
{
    // Every finite number, what lies just below, at and just above the midpoint to the next one away from 0: ties go to
    // the even one.
    for (const int beside : {-1, 0, 1}) {
        std::vector<float> from;
        std::vector<std::uint16_t> expected;
        for (std::uint32_t upper = 0; upper < 0x10000; ++upper) {
            if ((upper & 0x7f80u) == 0x7f80u) { continue; }
            const std::uint32_t bits = (upper << 16 | 0x8000u) + static_cast<std::uint32_t>(beside);
            from.push_back(of_bits(bits));
            const bool away = beside > 0 || (beside == 0 && upper % 2 == 1);
            expected.push_back(static_cast<std::uint16_t>(upper + (away ? 1 : 0)));
        }
        std::vector<unsigned char> to(1 + 2 * from.size());
        arithmetic::narrow_row(from.data(), from.size(), to.data() + 1);
        EXPECT_EQ(std::memcmp(to.data() + 1, expected.data(), 2 * from.size()), 0) << beside;
    }
}

TEST(bfloat16_rows_test, there_and_back_changes_only_nan)
{
    const auto bytes = all_numbers();
    for (const std::size_t n : {1u, 3u, 4u, 16u, 17u, 0x10000u}) {
        const std::size_t first = 0x10000 - n;
        std::vector<float> floats(n);
        arithmetic::widen_row(bytes.data() + 1 + 2 * first, n, floats.data());
        std::vector<unsigned char> back(2 * n + 2, 0x5a);
        arithmetic::narrow_row(floats.data(), n, back.data());
        for (std::size_t k = 0; k < n; ++k) {
            std::uint16_t number = 0;
            std::memcpy(&number, back.data() + 2 * k, sizeof number);
            ASSERT_EQ(number, is_nan(static_cast<std::uint32_t>(first + k)) ? 0x7fc0 : first + k);
        }
        EXPECT_EQ(back[2 * n], 0x5a) << "written behind a row of " << n;
    }
}

} // namespace
} // namespace tensorloom::test
