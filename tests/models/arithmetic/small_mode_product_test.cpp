// Products of small blocks along a mode, of every kernel, bit for bit what a naive loop gives: sizes, ways, sums that
// go on, zeros of both signs, infinities, NaN.
#include <tensorloom/models/arithmetic/small_mode_product.h>
#include <cmath>
#include <complex>
#include <cstring>
#include <limits>
#include <random>
#include <string>
#include <vector>
#include <gtest/gtest.h>
#include <tensorloom/models/arithmetic/kernels/gemm_kernel.h>
#include <tensorloom/models/arithmetic/kernels/kernel_selection.h>
#include "models/arithmetic/naive_rows.h"

namespace tensorloom::test {
namespace {

template <class Number> class small_mode_product_test : public testing::Test {
protected:
    using product = arithmetic::small_mode_product<Number>;
    using real = typename product::real;
    static constexpr unsigned parts = product::parts;

    struct sizes {
        std::size_t outer, rows, inner, columns;
    };

    small_mode_product_test()
    {
        for (const auto* kernel : arithmetic::runnable_kernels<arithmetic::gemm_kernel<real>>()) {
            m_products.emplace_back(kernel->name, product(std::string(kernel->name)));
        }
        m_products.emplace_back("best", product());
    }

    std::vector<real> draw(std::size_t numbers, bool wild)
    {
        std::vector<real> values(parts * numbers);
        for (auto& x : values) {
            x = std::uniform_real_distribution<real>(-1, 1)(m_random);
            if (!wild || m_random() % 8 != 0) { continue; }
            using limits = std::numeric_limits<real>;
            const real odd[] = {0, -real(0), limits::infinity(), -limits::quiet_NaN(), limits::max(), limits::min()};
            x = odd[m_random() % std::size(odd)];
        }
        return values;
    }

    enum class matrix_taken { as_it_is, transposed, adjoint };

    void expect_naive(const sizes& s, matrix_taken kind, bool accumulate, bool wild)
    {
        const std::size_t x_plane = s.outer * s.rows * s.inner, y_plane = s.outer * s.columns * s.inner;
        const auto x = draw(x_plane, wild), c = draw(s.rows * s.columns, wild);
        const auto before = draw(y_plane, wild);
        auto expected = before;
        for (std::size_t o = 0; o < s.outer; ++o) {
            for (std::size_t k = 0; k < s.columns; ++k) {
                for (std::size_t i = 0; i < s.inner; ++i) {
                    const std::size_t at = (o * s.columns + k) * s.inner + i;
                    real sum[parts] = {};
                    for (unsigned part = 0; accumulate && part < parts; ++part) {
                        sum[part] = before[part * y_plane + at];
                    }
                    for (std::size_t n = 0; n < s.rows; ++n) {
                        const std::size_t from = (o * s.rows + n) * s.inner + i;
                        const std::size_t by = kind != matrix_taken::as_it_is ? k * s.rows + n : n * s.columns + k;
                        sum[0] = std::fma(x[from], c[by], sum[0]);
                        if constexpr (parts > 1) {
                            const real im = kind == matrix_taken::adjoint ? -c[s.rows * s.columns + by]
                                                                          : c[s.rows * s.columns + by];
                            sum[0] = std::fma(-x[x_plane + from], im, sum[0]);
                            sum[1] = std::fma(x[from], im, sum[1]);
                            sum[1] = std::fma(x[x_plane + from], c[by], sum[1]);
                        }
                    }
                    for (unsigned part = 0; part < parts; ++part) {
                        expected[part * y_plane + at] = canonical(sum[part]);
                    }
                }
            }
        }
        for (auto& [name, tested] : m_products) {
            auto y = before;
            tested.run({s.outer, s.rows, s.inner, s.columns, x.data(), c.data(), kind != matrix_taken::as_it_is,
                        kind == matrix_taken::adjoint, y.data(), accumulate});
            ASSERT_EQ(std::memcmp(y.data(), expected.data(), y.size() * sizeof(real)), 0)
                << name << ", " << s.outer << " x " << s.rows << " x " << s.inner << ", " << s.columns << " columns";
        }
    }

    std::mt19937 m_random{3};

private:
    std::vector<std::pair<std::string, product>> m_products;
};

using small_product_formats = testing::Types<double, float, std::complex<double>, std::complex<float>>;
TYPED_TEST_SUITE(small_mode_product_test, small_product_formats);

TYPED_TEST(small_mode_product_test, has_the_bits_of_a_naive_loop)
{
    using taken = typename TestFixture::matrix_taken;
    // Of all kinds: the last mode, slabs narrower and wider than a vector, more columns than a tile has.
    for (const std::size_t inner : {1, 2, 3, 4, 5, 8, 9, 16, 25, 50}) {
        for (const std::size_t outer : {1, 2, 4, 7, 13}) {
            for (unsigned turn = 0; turn < 4; ++turn) {
                for (const auto kind : {taken::as_it_is, taken::transposed, taken::adjoint}) {
                    this->expect_naive({outer, 1 + this->m_random() % 9, inner, 1 + this->m_random() % 20}, kind,
                                       (turn & 1) != 0, (turn & 2) != 0);
                }
            }
        }
    }
}

TYPED_TEST(small_mode_product_test, blocks_larger_than_a_tile)
{
    using taken = typename TestFixture::matrix_taken;
    for (const auto kind : {taken::as_it_is, taken::transposed, taken::adjoint}) {
        this->expect_naive({40, 17, 1, 60}, kind, true, false);
        this->expect_naive({3, 17, 100, 30}, kind, true, false);
    }
}

} // namespace
} // namespace tensorloom::test
