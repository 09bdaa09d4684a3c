// Which kernel does a block: dense tiles do ordinary numbers alone; lists do it over where multiplying by a zero is not
// skipping it, and are then used for the next blocks from the beginning. That the bits are right is for
// mode_product_test.
#include <tensorloom/models/arithmetic/kernels/block_product.h>
#include <tensorloom/models/arithmetic/kernels/kernel_selection.h>
#include <limits>
#include <random>
#include <vector>
#include <gtest/gtest.h>

namespace tensorloom::test {
namespace {

unsigned tiles_run;
unsigned lists_run;

template <class R> struct counted {
    static arithmetic::gemm_kernel<R> dense()
    {
        auto kernel = arithmetic::best_kernel<arithmetic::gemm_kernel<R>>();
        kernel.multiply = [](auto& tiles) {
            ++tiles_run;
            return arithmetic::best_kernel<arithmetic::gemm_kernel<R>>().multiply(tiles);
        };
        return kernel;
    }
    static arithmetic::list_kernel<R> lists()
    {
        auto kernel = arithmetic::best_kernel<arithmetic::list_kernel<R>>();
        kernel.run[0][1] = [](const arithmetic::listed_coefficient<R>* first,
                              const arithmetic::listed_coefficient<R>* last, const arithmetic::list_lanes<R>& lanes) {
            ++lists_run;
            arithmetic::best_kernel<arithmetic::list_kernel<R>>().run[0][1](first, last, lanes);
        };
        return kernel;
    }
};

template <class R> class block_product_test : public testing::Test {
protected:
    static constexpr std::size_t rows = 30;
    static constexpr std::size_t columns = 20;
    static constexpr std::size_t inner = 40;

    block_product_test() : x(rows * inner), m_y(columns * inner), m_coefficients(rows * columns)
    {
        std::mt19937 random{3};
        std::uniform_real_distribution<R> uniform(1, 2);
        for (auto& e : x) { e = random() % 2 == 0 ? R(0) : uniform(random); }
        for (auto& c : m_coefficients) { c = uniform(random); }
        std::vector<arithmetic::product_term> terms;
        for (std::uint32_t t = 0; t < rows; ++t) {
            terms.push_back({reinterpret_cast<const unsigned char*>(m_coefficients.data() + t * columns), t,
                             std::uint32_t{columns}});
        }
        m_terms.template gather<R>(terms.data(), terms.size(), columns, true, false, m_dense, m_lists);
    }

    void run()
    {
        tiles_run = 0;
        lists_run = 0;
        arithmetic::plane_product<R> p;
        p.outer = 1;
        p.rows = rows;
        p.inner = inner;
        p.x = x.data();
        p.x_outer = rows * inner;
        p.x_row = inner;
        p.y = m_y.data();
        p.y_outer = columns * inner;
        p.y_row = inner;
        p.terms = &m_terms.gathered();
        std::vector<std::uint64_t> nonzeros(rows, 0);
        m_product.run(p, m_terms, nonzeros.data());
    }

    std::vector<R> x;

private:
    std::vector<R> m_y;
    std::vector<R> m_coefficients;
    const arithmetic::gemm_kernel<R> m_dense = counted<R>::dense();
    const arithmetic::list_kernel<R> m_lists = counted<R>::lists();
    arithmetic::prepared_terms<R> m_terms;

protected:
    arithmetic::block_product<R> m_product{m_dense, m_lists};
};

using reals = testing::Types<double, float>;
TYPED_TEST_SUITE(block_product_test, reals);

TYPED_TEST(block_product_test, ordinary_numbers_are_multiplied_once_zeros_too)
{
    this->run();
    EXPECT_GT(tiles_run, 0u);
    EXPECT_EQ(lists_run, 0u);
}

TYPED_TEST(block_product_test, an_infinite_operand_has_the_block_done_over_by_lists)
{
    this->x[100] = std::numeric_limits<TypeParam>::infinity();
    this->run();
    EXPECT_GT(tiles_run, 0u);
    EXPECT_GT(lists_run, 0u);
}

TYPED_TEST(block_product_test, blocks_after_such_a_one_begin_with_lists_until_a_new_product_starts)
{
    const auto ordinary = this->x;
    this->x[100] = std::numeric_limits<TypeParam>::infinity();
    this->run();
    this->x = ordinary;
    this->run();
    EXPECT_EQ(tiles_run, 0u);
    EXPECT_GT(lists_run, 0u);
    this->m_product.start();
    this->run();
    EXPECT_GT(tiles_run, 0u);
    EXPECT_EQ(lists_run, 0u);
}

} // namespace
} // namespace tensorloom::test
