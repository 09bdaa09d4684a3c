// Rows times weights that stay, of every kernel, bit for bit what a naive loop gives: sides, strides, in place, zeros
// of both signs, NaN, overflow.
#include <complex>
#include <cstring>
#include <limits>
#include <random>
#include <string>
#include <vector>
#include <gtest/gtest.h>
#include <tensorloom/models/arithmetic/kernels/gemm_kernel.h>
#include <tensorloom/models/arithmetic/mac.h>
#include <tensorloom/models/arithmetic/weighted_rows.h>
#include <tensorloom/models/arithmetic/kernels/kernel_selection.h>
#include "models/arithmetic/naive_rows.h"

namespace tensorloom::test {
namespace {

std::vector<std::string> instruction_sets()
{
    std::vector<std::string> names;
    for (const auto* kernel : arithmetic::runnable_kernels<arithmetic::gemm_kernel<double>>()) {
        names.push_back(kernel->name);
    }
    return names;
}

template <class Element> class weighted_rows_test : public testing::Test {
protected:
    using word = word_of<Element>;

    /// Rows of x are x_stride apart, of z z_stride; negative: the last row comes first in memory.
    void expect_naive(std::size_t side, std::size_t rows, std::ptrdiff_t x_stride, std::ptrdiff_t z_stride,
                      const std::vector<Element>& weights, const std::vector<Element>& values)
    {
        const auto first = [&](std::ptrdiff_t stride) {
            return stride < 0 ? -stride * static_cast<std::ptrdiff_t>(rows - 1) : 0;
        };
        std::vector<word> expected((rows - 1) * static_cast<std::size_t>(std::abs(z_stride)) + side, word(77));
        const std::vector<word> before = expected;
        std::uint64_t overflowed = 0;
        for (std::size_t r = 0; r < rows; ++r) {
            const auto row = static_cast<std::ptrdiff_t>(r);
            for (std::size_t j = 0; j < side; ++j) {
                expected[static_cast<std::size_t>(first(z_stride) + row * z_stride) + j] = naive_sum(
                    values.data() + first(x_stride) + row * x_stride, weights.data() + j, side, side, overflowed);
            }
        }
        for (const auto& name : instruction_sets()) {
            arithmetic::weighted_rows<Element> product(side, name);
            product.prepare(weights.data());
            std::vector<word> z = before;
            const auto counted =
                product.run(values.data() + first(x_stride), x_stride, rows, z.data() + first(z_stride), z_stride);
            const std::string where = name + ", side " + std::to_string(side) + ", rows " + std::to_string(rows);
            ASSERT_EQ(std::memcmp(z.data(), expected.data(), z.size() * sizeof(word)), 0) << where;
            ASSERT_EQ(counted, overflowed) << where;
        }
    }

    template <class Draw> std::vector<Element> draw(std::size_t n, const Draw& of)
    {
        return elements<Element>(n, m_random, of);
    }

    std::mt19937_64 m_random{5};
};

using weighted_row_formats = testing::Types<double, float, std::complex<double>, arithmetic::bfloat16,
                                            arithmetic::float16, std::int8_t, std::int32_t, std::int64_t>;
TYPED_TEST_SUITE(weighted_rows_test, weighted_row_formats);

TYPED_TEST(weighted_rows_test, every_side_gives_the_sums_of_a_naive_loop)
{
    const auto of = ordinary_element<TypeParam, std::mt19937_64>;
    for (std::size_t side = 1; side <= 67; ++side) {
        const std::size_t rows = 1 + this->m_random() % 20;
        const auto stride = static_cast<std::ptrdiff_t>(side);
        this->expect_naive(side, rows, stride, stride, this->draw(side * side, of), this->draw(side * rows, of));
    }
}

TYPED_TEST(weighted_rows_test, a_large_side_and_many_rows_too)
{
    const auto of = ordinary_element<TypeParam, std::mt19937_64>;
    this->expect_naive(16, 300, 16, 16, this->draw(256, of), this->draw(16 * 300, of));
    this->expect_naive(257, 70, 257, 257, this->draw(257 * 257, of), this->draw(257 * 70, of));
    this->expect_naive(1024, 2, 1024, 1024, this->draw(1024 * 1024, of), this->draw(1024 * 2, of));
}

TYPED_TEST(weighted_rows_test, rows_may_lie_apart_overlap_repeat_and_come_backwards)
{
    const auto of = ordinary_element<TypeParam, std::mt19937_64>;
    for (const std::ptrdiff_t x_stride : {9, 3, 1, 0, -2, -12}) {
        for (const std::ptrdiff_t z_stride : {6, 11, -6, -9}) {
            this->expect_naive(6, 21, x_stride, z_stride, this->draw(36, of), this->draw(12 * 20 + 6, of));
        }
    }
}

TYPED_TEST(weighted_rows_test, odd_numbers_give_the_bits_of_a_naive_loop)
{
    const auto of = odd_element<TypeParam, std::mt19937_64>;
    for (const std::size_t side : {1u, 2u, 3u, 5u, 8u, 16u, 25u, 33u, 50u}) {
        const auto stride = static_cast<std::ptrdiff_t>(side);
        this->expect_naive(side, 70, stride, stride, this->draw(side * side, of), this->draw(side * 70, of));
    }
}

TYPED_TEST(weighted_rows_test, before_weights_are_given_all_are_zero)
{
    arithmetic::weighted_rows<TypeParam> product(3);
    const std::vector<TypeParam> x(6, TypeParam(5.0f));
    std::vector<word_of<TypeParam>> z(6, word_of<TypeParam>(1));
    EXPECT_EQ(product.run(x.data(), 3, 2, z.data(), 3), 0u);
    EXPECT_EQ(z, std::vector<word_of<TypeParam>>(6));
}

template <class Element> class weighted_rows_in_place_test : public weighted_rows_test<Element> {};
using same_words = testing::Types<double, float, std::complex<double>, std::int32_t, std::int64_t>;
TYPED_TEST_SUITE(weighted_rows_in_place_test, same_words);

TYPED_TEST(weighted_rows_in_place_test, results_may_replace_the_operands)
{
    for (const std::size_t side : {1u, 4u, 16u, 17u, 40u, 100u}) {
        for (const bool odd : {false, true}) {
            const auto of =
                odd ? odd_element<TypeParam, std::mt19937_64> : ordinary_element<TypeParam, std::mt19937_64>;
            const std::size_t rows = 150;
            const auto stride = static_cast<std::ptrdiff_t>(side + 3);
            const auto weights = this->draw(side * side, of);
            const auto x = this->draw(rows * (side + 3), of);
            for (const auto& name : instruction_sets()) {
                arithmetic::weighted_rows<TypeParam> product(side, name);
                product.prepare(weights.data());
                auto apart = x;
                auto in_place = x;
                const auto expected = product.run(x.data(), stride, rows, apart.data(), stride);
                const auto counted = product.run(in_place.data(), stride, rows, in_place.data(), stride);
                EXPECT_EQ(counted, expected);
                EXPECT_EQ(std::memcmp(in_place.data(), apart.data(), x.size() * sizeof(TypeParam)), 0)
                    << name << ", side " << side;
            }
        }
    }
}

template <class Element> class weighted_integer_limits_test : public weighted_rows_test<Element> {};
using wide_integers = testing::Types<std::int32_t, std::int64_t>;
TYPED_TEST_SUITE(weighted_integer_limits_test, wide_integers);

TYPED_TEST(weighted_integer_limits_test, a_sum_may_reach_the_limits_but_not_pass_them)
{
    using limits = std::numeric_limits<TypeParam>;
    const auto run = [](TypeParam a, TypeParam b) { // a + b
        arithmetic::weighted_rows<TypeParam> product(2);
        const std::vector<TypeParam> weights{1, 0, 1, 0};
        product.prepare(weights.data());
        const std::vector<TypeParam> x{a, b};
        std::vector<TypeParam> z(2);
        const auto overflowed = product.run(x.data(), 2, 1, z.data(), 2);
        return std::make_pair(z[0], overflowed);
    };
    const auto same = [](TypeParam z, std::uint64_t n) { return std::make_pair(z, n); };
    EXPECT_EQ(run(limits::max() - 1, 1), same(limits::max(), 0));
    EXPECT_EQ(run(limits::max(), 1), same(limits::min(), 1));
    EXPECT_EQ(run(limits::min() + 1, -1), same(limits::min(), 0));
    EXPECT_EQ(run(limits::min(), -1), same(limits::max(), 1));
    EXPECT_EQ(run(limits::max(), limits::min()), same(-1, 0));
}

TYPED_TEST(weighted_integer_limits_test, the_least_number_has_no_opposite)
{
    constexpr auto least = std::numeric_limits<TypeParam>::min();
    arithmetic::weighted_rows<TypeParam> product(1);
    TypeParam z = 0;
    for (const bool negative_weight : {false, true}) {
        const TypeParam weight = negative_weight ? TypeParam(-1) : TypeParam(1);
        product.prepare(&weight);
        EXPECT_EQ(product.run(&least, 1, 1, &z, 1), negative_weight ? 1u : 0u);
        EXPECT_EQ(z, least);
    }
}

TYPED_TEST(weighted_integer_limits_test, every_multiply_add_out_of_range_counts_once)
{
    using limits = std::numeric_limits<TypeParam>;
    arithmetic::weighted_rows<TypeParam> product(4);
    const std::vector<TypeParam> weights{1, 2, 0, -1, 1, 2, 0, -1, 1, 2, 0, -1, 1, 2, 0, -1};
    product.prepare(weights.data());
    const std::vector<TypeParam> x(4, limits::max());
    std::vector<TypeParam> z(4);
    std::uint64_t expected = 0;
    for (std::size_t j = 0; j < 4; ++j) { naive_sum(x.data(), weights.data() + j, 4, 4, expected); }
    EXPECT_GT(expected, 4u);
    EXPECT_EQ(product.run(x.data(), 4, 1, z.data(), 4), expected);
    EXPECT_EQ(z[2], 0);
}

TEST(multiply_add, of_integers_wraps_and_says_so)
{
    using arithmetic::mac;
    using arithmetic::mac_overflows;
    constexpr auto most = std::numeric_limits<std::int64_t>::max();
    constexpr auto least = std::numeric_limits<std::int64_t>::min();
    EXPECT_EQ(mac(most, std::int64_t{1}, std::int64_t{1}), least);
    EXPECT_TRUE(mac_overflows<std::int64_t>(most, 1, 1));
    EXPECT_FALSE(mac_overflows<std::int64_t>(most - 6, 2, 3));
    EXPECT_TRUE(mac_overflows<std::int64_t>(most - 5, 2, 3));
    EXPECT_TRUE(mac_overflows<std::int64_t>(0, least, least));
    EXPECT_EQ(mac(std::int64_t{5}, least, least), 5);
    EXPECT_TRUE(mac_overflows<std::int64_t>(0, least, -1));
    EXPECT_FALSE(mac_overflows<std::int64_t>(-1, least, -1));
    constexpr auto least32 = std::numeric_limits<std::int32_t>::min();
    EXPECT_TRUE(mac_overflows<std::int32_t>(0, least32, least32));
    EXPECT_TRUE(mac_overflows<std::int32_t>(0, least32, -1));
    EXPECT_FALSE(mac_overflows<std::int32_t>(-1, least32, -1));
    EXPECT_EQ(mac(std::int32_t{7}, std::int32_t{65536}, std::int32_t{65536}), 7);
}

} // namespace
} // namespace tensorloom::test
