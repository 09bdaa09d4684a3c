// Rows of functions and multiply-adds, on every instruction set that this machine runs, against those of one number.
#include <tensorloom/models/arithmetic/row_operations.h>
#include <cstdint>
#include <cstring>
#include <random>
#include <vector>
#include <gtest/gtest.h>
#include <tensorloom/models/arithmetic/bfloat16.h>
#include <tensorloom/models/arithmetic/elementary_functions.h>
#include <tensorloom/models/arithmetic/kernels/kernel_selection.h>
#include <tensorloom/models/arithmetic/kernels/row_kernel.h>
#include <tensorloom/models/arithmetic/mac.h>
#include "models/arithmetic/bfloat16_values.h"

namespace tensorloom::test {
namespace {

using arithmetic::row_kernel;

/// Of every exponent and sign, what is no number and infinities among them, and many of moderate size.
std::vector<float> many_floats(std::size_t n)
{
    std::mt19937 random{11};
    std::vector<float> all(n);
    for (std::size_t i = 0; i < n; ++i) {
        const auto bits = static_cast<std::uint32_t>(random());
        all[i] = i % 3 == 0 ? of_bits(bits) : of_bits((bits & 0x807fffffu) | (100u + bits % 36u) << 23);
    }
    const float corners[] = {0.0f,
                             -0.0f,
                             1.0f,
                             -1.0f,
                             22.0f,
                             -22.0f,
                             23.0f,
                             88.72284f,
                             -103.97208f,
                             -150.0f,
                             200.0f,
                             of_bits(1),
                             of_bits(0x80000001u),
                             of_bits(0x7f800000u),
                             of_bits(0xff800000u),
                             of_bits(0x7fc00000u),
                             of_bits(0xffc12345u),
                             of_bits(0x31800000u),
                             of_bits(0x317fffffu)};
    std::memcpy(all.data(), corners, sizeof corners);
    return all;
}

struct row_function {
    void (*row_kernel::*of_row)(const float*, std::size_t, float*);
    float (*of_number)(float);
};

const row_function row_functions[] = {{&row_kernel::exponential, arithmetic::exponential},
                                      {&row_kernel::logarithm, arithmetic::logarithm},
                                      {&row_kernel::sigmoid, arithmetic::sigmoid},
                                      {&row_kernel::hyperbolic_tangent, arithmetic::hyperbolic_tangent}};

TEST(row_operations_test, functions_have_the_bits_of_those_of_one_number)
{
    const auto x = many_floats(200000);
    for (std::size_t f = 0; f < std::size(row_functions); ++f) {
        std::vector<float> expected;
        for (const float of : x) { expected.push_back(row_functions[f].of_number(of)); }
        for (const auto* kernel : arithmetic::runnable_kernels<row_kernel>()) {
            auto y = x; // in place
            (kernel->*row_functions[f].of_row)(y.data(), y.size(), y.data());
            for (std::size_t i = 0; i < y.size(); ++i) {
                ASSERT_EQ(std::memcmp(&y[i], &expected[i], sizeof(float)), 0)
                    << kernel->name << ", function " << f << " of " << std::hexfloat << x[i] << " is " << expected[i]
                    << ", not " << y[i];
            }
        }
    }
}

TEST(row_operations_test, rows_of_any_length)
{
    const auto x = many_floats(80);
    for (const auto* kernel : arithmetic::runnable_kernels<row_kernel>()) {
        for (std::size_t n = 0; n <= 70; ++n) {
            for (const auto& function : row_functions) {
                std::vector<float> y(n + 1, 7.0f);
                (kernel->*function.of_row)(x.data(), n, y.data());
                for (std::size_t i = 0; i < n; ++i) {
                    const float expected = function.of_number(x[i]);
                    ASSERT_EQ(std::memcmp(&y[i], &expected, sizeof(float)), 0) << kernel->name << ", " << n;
                }
                ASSERT_EQ(y[n], 7.0f) << kernel->name << " writes behind " << n;
            }
        }
    }
}

TEST(row_operations_test, multiply_adds_are_rounded_once)
{
    const auto a = many_floats(20000);
    std::vector<float> b(a.rbegin(), a.rend());
    for (const float factor : {1.0f + 0x1p-20f, -0.01f, of_bits(0x7f800000u)}) {
        std::vector<float> expected;
        for (std::size_t i = 0; i < a.size(); ++i) { expected.push_back(arithmetic::mac(a[i], factor, b[i])); }
        for (const auto* kernel : arithmetic::runnable_kernels<row_kernel>()) {
            auto y = a;
            kernel->multiply_add(y.data(), factor, b.data(), y.size(), y.data());
            EXPECT_TRUE(same_bits(y, expected)) << kernel->name << ", " << factor;
        }
    }
}

TEST(row_operations_test, alternating_rows_of_16_bits_are_two_layers)
{
    const auto values = many_floats(8192);
    for (const auto* kernel : arithmetic::runnable_kernels<row_kernel>()) {
        for (const std::size_t row : {2u, 4u, 8u, 16u}) {
            for (const std::size_t rows : {1u, 4u, 16u, 64u}) {
                const std::size_t layer = row * rows, blocks = 3;
                std::vector<std::uint16_t> packed(2 * blocks * layer), expected(packed.size());
                std::vector<float> wide(packed.size()), expected_wide(packed.size());
                for (std::size_t i = 0; i < packed.size(); ++i) { // of block, layer, row, element in the row
                    const std::size_t block = i / (2 * layer), l = i / layer % 2, r = i / row % rows;
                    const std::size_t place = block * 2 * layer + (2 * r + l) * row + i % row;
                    expected[place] = arithmetic::bfloat16(values[i]).bits;
                    expected_wide[i] = static_cast<float>(arithmetic::bfloat16(values[i]));
                }
                auto* const bytes = reinterpret_cast<unsigned char*>(packed.data());
                kernel->narrow_layers(values.data(), row, rows, blocks, bytes);
                EXPECT_EQ(packed, expected) << kernel->name << ", " << rows << " rows of " << row;
                kernel->widen_layers(bytes, row, rows, blocks, wide.data());
                EXPECT_TRUE(same_bits(wide, expected_wide)) << kernel->name << ", " << rows << " rows of " << row;
            }
        }
    }
}

} // namespace
} // namespace tensorloom::test
