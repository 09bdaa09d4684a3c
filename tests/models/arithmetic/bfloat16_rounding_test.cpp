// Rounding rows of sums to bfloat16, on every instruction set that this machine runs, against the number format itself.
#include <tensorloom/models/arithmetic/kernels/bfloat16_rounding.h>
#include <cmath>
#include <cstdint>
#include <random>
#include <vector>
#include <gtest/gtest.h>
#include <tensorloom/models/arithmetic/number_format.h>
#include <tensorloom/models/arithmetic/kernels/kernel_selection.h>
#include "models/arithmetic/bfloat16_values.h"

namespace tensorloom::test {
namespace {

using arithmetic::bfloat16;

void expect_same(const std::vector<float>& from, float small)
{
    std::vector<float> expected;
    for (const float x : from) {
        const auto rounded = static_cast<float>(arithmetic::narrowed<bfloat16>(x, 0).value);
        expected.push_back(std::fabs(rounded) <= small ? 0.0f : rounded);
    }
    for (const auto* rounding : arithmetic::runnable_kernels<arithmetic::bfloat16_rounding>()) {
        std::vector<float> to(from.size(), 7.0f);
        rounding->round(from.data(), to.data(), from.size(), small);
        EXPECT_TRUE(same_bits(to, expected)) << rounding->name << ", " << from.size() << " numbers, " << small;
    }
}

TEST(bfloat16_rounding_test, every_upper_half_with_the_lower_halves_that_decide)
{
    std::vector<float> from;
    for (std::uint32_t upper = 0; upper < 0x10000; ++upper) {
        for (const std::uint32_t lower : {0x0000u, 0x0001u, 0x7fffu, 0x8000u, 0x8001u, 0xffffu}) {
            from.push_back(of_bits(upper << 16 | lower));
        }
    }
    expect_same(from, -1);
    expect_same(from, 0);
    expect_same(from, 1.5f);
}

TEST(bfloat16_rounding_test, rows_of_any_length)
{
    std::mt19937 random{23};
    for (std::size_t n = 1; n <= 70; ++n) {
        std::vector<float> from(n);
        for (auto& x : from) { x = of_bits(static_cast<std::uint32_t>(random())); }
        expect_same(from, n % 2 == 0 ? -1 : 1e-3f);
    }
}

} // namespace
} // namespace tensorloom::test
