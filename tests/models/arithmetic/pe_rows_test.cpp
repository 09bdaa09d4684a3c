// Multiply-adds of rows of processing elements: every kernel gives the bits of the one definition (arithmetic/psum.h).
#include <tensorloom/models/arithmetic/kernels/pe_rows.h>
#include <cmath>
#include <limits>
#include <random>
#include <vector>
#include <gtest/gtest.h>
#include <tensorloom/models/arithmetic/psum.h>
#include <tensorloom/models/arithmetic/kernels/kernel_selection.h>
#include "models/arithmetic/bfloat16_values.h"

namespace tensorloom::test {
namespace {

using arithmetic::pe_row_pitch;
using arithmetic::pe_rows;

/// Values of bfloat16: of a few bits (many sums lie at midpoints), of any size, and those that are not finite.
float operand(std::mt19937& random)
{
    switch (random() % 8) {
    case 0: return of_upper_bits(random() & 0xffffu);
    case 1: return std::ldexp(1.0f, static_cast<int>(random() % 250) - 130);
    case 2: return 0.0f;
    default: return (static_cast<float>(random() % 255) - 127.0f) / 64.0f;
    }
}

struct array_case {
    array_case(unsigned side, std::mt19937& random)
        : columns(side), pitch(std::max(side, pe_row_pitch)), ia(side), ib(side * pitch), psum(side * pitch),
          zeros(pitch)
    {
        for (auto* numbers : {&ia, &ib, &psum}) {
            for (float& x : *numbers) { x = operand(random); }
        }
    }
    // Row r adds to the row above, or to itself.
    std::vector<const float*> sums(bool moving)
    {
        std::vector<const float*> rows;
        for (unsigned r = 0; r < columns; ++r) {
            const float* const above = r == 0 ? zeros.data() : psum.data() + (r - 1) * pitch;
            rows.push_back(moving ? above : psum.data() + r * pitch);
        }
        return rows;
    }
    std::vector<float> after(void (*multiply)(const pe_rows&), std::uint32_t rows, bool moving)
    {
        const std::vector<float> before = psum;
        const auto sum = sums(moving);
        std::vector<const float*> factors;
        for (unsigned r = 0; r < columns; ++r) { factors.push_back(ib.data() + r * pitch); }
        multiply({rows, columns, pitch, sum.data(), ia.data(), factors.data(), psum.data()});
        std::vector<float> result;
        for (unsigned r = 0; r < columns; ++r) {
            result.insert(result.end(), psum.data() + r * pitch, psum.data() + r * pitch + columns);
        }
        psum = before;
        return result;
    }
    template <class Psum> std::vector<float> expected(std::uint32_t rows, bool moving)
    {
        const auto sum = sums(moving);
        std::vector<float> result;
        for (unsigned r = 0; r < columns; ++r) {
            for (unsigned n = 0; n < columns; ++n) {
                result.push_back((rows >> r & 1u) != 0 ? Psum::mac(sum[r][n], ia[r], ib[r * pitch + n])
                                                       : psum[r * pitch + n]);
            }
        }
        return result;
    }

    unsigned columns;
    std::size_t pitch;
    std::vector<float> ia, ib, psum, zeros;
};

TEST(pe_rows_test, every_kernel_gives_the_bits_of_the_definition)
{
    std::mt19937 random(5);
    for (const auto* kernel : arithmetic::runnable_kernels<arithmetic::pe_rows_kernel>()) {
        for (const unsigned side : {2u, 4u, 8u, 16u}) {
            for (int trial = 0; trial < 2000; ++trial) {
                array_case c(side, random);
                const std::uint32_t rows = random() & ((1u << side) - 1);
                const bool moving = trial % 2 == 0;
                ASSERT_TRUE(same_bits(c.after(kernel->multiply_f32, rows, moving),
                                      c.expected<arithmetic::psum_f32>(rows, moving)))
                    << kernel->name << " side " << side << " trial " << trial;
                ASSERT_TRUE(same_bits(c.after(kernel->multiply_bf16, rows, moving),
                                      c.expected<arithmetic::psum_bf16>(rows, moving)))
                    << kernel->name << " bf16, side " << side << " trial " << trial;
            }
        }
    }
}

TEST(pe_rows_test, the_machine_rounds_to_nearest_afterwards)
{
    const volatile float one = 1.0f;
    const volatile float three = 3.0f;
    const float third = one / three;
    std::mt19937 random(5);
    for (const auto* kernel : arithmetic::runnable_kernels<arithmetic::pe_rows_kernel>()) {
        array_case c(4, random);
        c.after(kernel->multiply_bf16, 0xf, true);
        EXPECT_EQ(one / three, third) << kernel->name;
        EXPECT_EQ(-one / three, -third) << kernel->name;
    }
}

} // namespace
} // namespace tensorloom::test
