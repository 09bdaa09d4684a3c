// Every kernel that this machine runs against a scalar chain of fused multiply-adds, bit for bit.
#include <tensorloom/models/arithmetic/ordered_gemm.h>
#include <algorithm>
#include <cfenv>
#include <cmath>
#include <cstring>
#include <limits>
#include <numeric>
#include <random>
#include <vector>
#include <gtest/gtest.h>

namespace tensorloom::test {
namespace {

using arithmetic::gemm_kernel;
using arithmetic::gemm_kernels;
using arithmetic::ordered_gemm;

// One product C (+)= A B in memory: A row-major with its columns permuted, the rows of B in any order and with gaps.
template <class R> struct product_case {
    std::size_t rows, columns, terms;
    std::ptrdiff_t a_row, c_row;
    std::vector<R> a, b, c;
    std::vector<std::ptrdiff_t> a_offset, b_offset;

    product_case(std::size_t m, std::size_t n, std::size_t k, std::mt19937& random, bool permuted)
        : rows(m), columns(n), terms(k), a_row(static_cast<std::ptrdiff_t>(k) + 3),
          c_row(static_cast<std::ptrdiff_t>(n) + 2)
    {
        const auto b_row = static_cast<std::ptrdiff_t>(n) + 1;
        a = values(m * static_cast<std::size_t>(a_row), random);
        b = values(k * static_cast<std::size_t>(b_row), random);
        c = values(m * static_cast<std::size_t>(c_row), random);
        a_offset.resize(k);
        b_offset.resize(k);
        std::iota(a_offset.begin(), a_offset.end(), 0);
        std::iota(b_offset.begin(), b_offset.end(), 0);
        if (permuted) {
            std::shuffle(a_offset.begin(), a_offset.end(), random);
            std::shuffle(b_offset.begin(), b_offset.end(), random);
        }
        for (auto& o : b_offset) { o *= b_row; }
    }

    // Numbers of very different size, so that every other order of the sum shows; zeros of both signs and denormals among them.
    static std::vector<R> values(std::size_t n, std::mt19937& random)
    {
        std::vector<R> v(n);
        for (auto& x : v) {
            const auto kind = random() % 16;
            const R u = static_cast<R>(static_cast<std::int32_t>(random())) / R(2147483648.0);
            x = kind == 0   ? R(0)
                : kind == 1 ? -R(0)
                : kind == 2 ? u * std::numeric_limits<R>::min()
                            : std::ldexp(u, static_cast<int>(random() % 24) - 12);
        }
        return v;
    }

    std::vector<R> expected(bool accumulate) const
    {
        std::vector<R> r = c;
        for (std::size_t i = 0; i < rows; ++i) {
            for (std::size_t j = 0; j < columns; ++j) {
                R& to = r[i * static_cast<std::size_t>(c_row) + j];
                R sum = accumulate ? to : R(0);
                for (std::size_t t = 0; t < terms; ++t) {
                    sum = std::fma(a[i * static_cast<std::size_t>(a_row) + static_cast<std::size_t>(a_offset[t])],
                                   b[static_cast<std::size_t>(b_offset[t]) + j], sum);
                }
                to = sum;
            }
        }
        return r;
    }

    std::vector<R> computed(ordered_gemm<R>& gemm, bool accumulate) const
    {
        std::vector<R> r = c;
        const auto height = static_cast<std::ptrdiff_t>(gemm.kernel().tile_rows);
        const arithmetic::tiled_rows<R> left{a.data(), height * a_row, a_row, a_offset.data()};
        const arithmetic::result_rows<R> result{r.data(), c_row};
        gemm.multiply({rows, columns, terms}, &left, {b.data(), b_offset.data()}, &result, 1, accumulate);
        return r;
    }
};

// Also compares what lies between the rows of C: nobody may write there.
template <class R> bool same_bits(const std::vector<R>& a, const std::vector<R>& b)
{
    return a.size() == b.size() && (a.empty() || std::memcmp(a.data(), b.data(), a.size() * sizeof(R)) == 0);
}

template <class R> class ordered_gemm_test : public testing::Test {
protected:
    void expect_same(std::size_t rows, std::size_t columns, std::size_t terms, bool permuted, bool accumulate)
    {
        const product_case<R> g(rows, columns, terms, m_random, permuted);
        const auto expected = g.expected(accumulate);
        for (const gemm_kernel<R>* kernel : gemm_kernels<R>()) {
            ordered_gemm<R> gemm(*kernel);
            EXPECT_TRUE(same_bits(g.computed(gemm, accumulate), expected))
                << kernel->name << ": " << rows << " x " << columns << ", " << terms << " terms";
        }
    }
    std::mt19937 m_random{11};
};

using reals = testing::Types<float, double>;
TYPED_TEST_SUITE(ordered_gemm_test, reals);

TYPED_TEST(ordered_gemm_test, random_shapes_from_1_to_40)
{
    for (int i = 0; i < 400; ++i) {
        const auto size = [this] { return 1 + this->m_random() % 40; };
        const std::size_t rows = size();
        const std::size_t columns = size();
        this->expect_same(rows, columns, size(), true, i % 2 == 0);
    }
}

TYPED_TEST(ordered_gemm_test, every_row_count_at_the_edge_of_a_tile)
{
    for (std::size_t rows = 1; rows <= 17; ++rows) { this->expect_same(rows, 33, 5, true, rows % 2 == 0); }
}

TYPED_TEST(ordered_gemm_test, every_column_count_at_the_edge_of_a_tile)
{
    for (std::size_t columns = 1; columns <= 66; ++columns) {
        this->expect_same(9, columns, 5, true, columns % 2 == 0);
    }
}

TYPED_TEST(ordered_gemm_test, one_large_odd_shape)
{
    this->expect_same(130, 131, 129, false, false);
    this->expect_same(130, 131, 129, true, true);
}

TYPED_TEST(ordered_gemm_test, more_terms_than_one_block_of_b_holds)
{
    this->expect_same(3, 70, 9001, true, true); // a block of columns is one tile wide
}

TYPED_TEST(ordered_gemm_test, more_columns_than_one_block_of_b_holds) { this->expect_same(20, 3001, 40, false, true); }

TYPED_TEST(ordered_gemm_test, sums_without_terms_are_zero) { this->expect_same(5, 7, 0, false, false); }

TYPED_TEST(ordered_gemm_test, accumulation_without_terms_changes_nothing) { this->expect_same(5, 7, 0, false, true); }

TYPED_TEST(ordered_gemm_test, products_without_rows_or_columns_do_nothing)
{
    this->expect_same(0, 7, 3, false, false);
    this->expect_same(7, 0, 3, false, false);
}

TYPED_TEST(ordered_gemm_test, products_that_share_b_are_each_right)
{
    using R = TypeParam;
    for (const gemm_kernel<R>* kernel : gemm_kernels<R>()) {
        product_case<R> first(13, 37, 19, this->m_random, true);
        product_case<R> second(13, 37, 19, this->m_random, true);
        second.b = first.b;
        second.b_offset = first.b_offset;
        std::vector<R> c[2] = {first.c, second.c};
        ordered_gemm<R> gemm(*kernel);
        const auto tile = static_cast<std::ptrdiff_t>(kernel->tile_rows) * first.a_row;
        const arithmetic::tiled_rows<R> left[2] = {{first.a.data(), tile, first.a_row, first.a_offset.data()},
                                                   {second.a.data(), tile, second.a_row, second.a_offset.data()}};
        const arithmetic::result_rows<R> result[2] = {{c[0].data(), first.c_row}, {c[1].data(), second.c_row}};
        gemm.multiply({13, 37, 19}, left, {first.b.data(), first.b_offset.data()}, result, 2, true);
        EXPECT_TRUE(same_bits(c[0], first.expected(true))) << kernel->name;
        EXPECT_TRUE(same_bits(c[1], second.expected(true))) << kernel->name;
    }
}

TYPED_TEST(ordered_gemm_test, a_may_be_packed_by_tiles)
{
    using R = TypeParam;
    const std::size_t rows = 19;
    const std::size_t terms = 6;
    const product_case<R> g(rows, 21, terms, this->m_random, false);
    for (const gemm_kernel<R>* kernel : gemm_kernels<R>()) {
        const std::size_t height = kernel->tile_rows;
        std::vector<R> packed((rows + height - 1) / height * height * terms);
        std::vector<std::ptrdiff_t> offset(terms);
        for (std::size_t t = 0; t < terms; ++t) {
            offset[t] = static_cast<std::ptrdiff_t>(t * height);
            for (std::size_t i = 0; i < rows; ++i) {
                packed[i / height * height * terms + t * height + i % height] =
                    g.a[i * static_cast<std::size_t>(g.a_row) + t];
            }
        }
        std::vector<R> c = g.c;
        const arithmetic::tiled_rows<R> left{packed.data(), static_cast<std::ptrdiff_t>(height * terms), 1,
                                             offset.data()};
        const arithmetic::result_rows<R> result{c.data(), g.c_row};
        ordered_gemm<R> gemm(*kernel);
        gemm.multiply({rows, 21, terms}, &left, {g.b.data(), g.b_offset.data()}, &result, 1, false);
        EXPECT_TRUE(same_bits(c, g.expected(false))) << kernel->name;
    }
}

TYPED_TEST(ordered_gemm_test, an_object_serves_products_of_any_size_one_after_the_other)
{
    using R = TypeParam;
    for (const gemm_kernel<R>* kernel : gemm_kernels<R>()) {
        ordered_gemm<R> gemm(*kernel);
        for (std::size_t n : {50u, 3u, 41u, 1u}) {
            const product_case<R> g(n, n + 1, n + 2, this->m_random, true);
            EXPECT_TRUE(same_bits(g.computed(gemm, false), g.expected(false))) << kernel->name << " " << n;
        }
    }
}

TYPED_TEST(ordered_gemm_test, overflow_and_denormal_results_are_kept)
{
    using limits = std::numeric_limits<TypeParam>;
    product_case<TypeParam> g(9, 35, 1, this->m_random, false);
    std::fill(g.a.begin(), g.a.end(), limits::max());
    for (std::size_t i = 0; i < g.a.size(); i += 8) { g.a[i] = limits::min(); }
    for (std::size_t i = 0; i < g.b.size(); ++i) { g.b[i] = i % 2 == 0 ? TypeParam(2) : TypeParam(0.3); }
    for (const auto* kernel : gemm_kernels<TypeParam>()) {
        ordered_gemm<TypeParam> gemm(*kernel);
        EXPECT_TRUE(same_bits(g.computed(gemm, false), g.expected(false))) << kernel->name;
    }
}

TYPED_TEST(ordered_gemm_test, floating_point_flags_stay_raised)
{
    using limits = std::numeric_limits<TypeParam>;
    product_case<TypeParam> g(5, 7, 1, this->m_random, false);
    std::fill(g.a.begin(), g.a.end(), limits::min());
    std::fill(g.b.begin(), g.b.end(), TypeParam(1) / 3);
    for (const auto* kernel : gemm_kernels<TypeParam>()) {
        ordered_gemm<TypeParam> gemm(*kernel);
        std::feclearexcept(FE_ALL_EXCEPT);
        g.computed(gemm, false);
        EXPECT_NE(std::fetestexcept(FE_UNDERFLOW), 0) << kernel->name;
    }
}

TYPED_TEST(ordered_gemm_test, exact_products_raise_no_flag)
{
    product_case<TypeParam> g(5, 7, 3, this->m_random, false);
    std::fill(g.a.begin(), g.a.end(), TypeParam(2));
    std::fill(g.b.begin(), g.b.end(), TypeParam(3));
    for (const auto* kernel : gemm_kernels<TypeParam>()) {
        ordered_gemm<TypeParam> gemm(*kernel);
        std::feclearexcept(FE_ALL_EXCEPT);
        g.computed(gemm, false);
        EXPECT_EQ(std::fetestexcept(FE_ALL_EXCEPT), 0) << kernel->name;
    }
}

TEST(gemm_kernels_test, portable_one_comes_first_and_the_best_last)
{
    EXPECT_STREQ(gemm_kernels<double>().front()->name, "portable");
    EXPECT_EQ(gemm_kernels<double>().back(), &arithmetic::best_gemm_kernel<double>());
    EXPECT_EQ(gemm_kernels<float>().back(), &arithmetic::best_gemm_kernel<float>());
}

} // namespace
} // namespace tensorloom::test
