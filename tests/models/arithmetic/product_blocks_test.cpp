// Products cut into blocks: together the blocks are the product, each fibre once, and each block knows which numbers
// the next one reads first.
#include <tensorloom/models/arithmetic/kernels/product_blocks.h>
#include <complex>
#include <set>
#include <string>
#include <utility>
#include <vector>
#include <gtest/gtest.h>

namespace tensorloom::test {
namespace {

using element = std::complex<double>;

class product_blocks_test : public testing::Test {
protected:
    void expect_cut_well(std::size_t outer, std::size_t inner, std::size_t bytes, unsigned workers)
    {
        constexpr std::size_t rows = 5;
        constexpr std::size_t columns = 3;
        const std::string what = std::to_string(outer) + " x " + std::to_string(inner) + ", " +
                                 std::to_string(workers) + " workers, blocks of " + std::to_string(bytes) + " bytes";
        std::vector<double> x(2 * outer * rows * inner);
        std::vector<double> y(2 * outer * columns * inner);
        arithmetic::mode_product<element>::problem problem;
        problem.outer = outer;
        problem.rows = rows;
        problem.inner = inner;
        problem.columns = columns;
        problem.x = x.data();
        problem.y = y.data();
        const arithmetic::gathered_terms<double> terms;
        const auto product = arithmetic::whole_product<element>(problem, terms);
        const auto cut = arithmetic::cut_into_blocks(product, bytes, workers);
        std::set<std::pair<std::size_t, std::size_t>> fibres;
        const double* ahead = product.x;
        for (std::size_t index = 0; index < cut.count; ++index) {
            const auto block = arithmetic::block_of(product, cut, index);
            ASSERT_EQ(block.x, ahead) << what << ": what the block before looked ahead to";
            ahead = block.x_ahead;
            const auto at = static_cast<std::size_t>(block.x - product.x);
            const std::size_t o = at / product.x_outer;
            const std::size_t i = at % product.x_outer;
            ASSERT_EQ(block.y, product.y + o * product.y_outer + i) << what;
            for (std::size_t f = 0; f < block.fibres(); ++f) {
                const auto fibre = std::make_pair(o + f / block.inner, i + f % block.inner);
                ASSERT_TRUE(fibre.first < outer && fibre.second < inner) << what << ": outside of the product";
                ASSERT_TRUE(fibres.insert(fibre).second) << what << ": twice";
            }
        }
        EXPECT_EQ(fibres.size(), outer * inner) << what;
        EXPECT_EQ(ahead, nullptr) << what << ": nothing follows the last block";
    }
};

TEST_F(product_blocks_test, blocks_are_the_product_and_look_ahead_to_the_next)
{
    for (const std::size_t outer : {1, 2, 3, 31, 200}) {
        for (const std::size_t inner : {1, 2, 95, 96, 97, 700}) {
            for (const std::size_t bytes : {std::size_t{1}, std::size_t{20000}, arithmetic::block_bytes}) {
                for (const unsigned workers : {1u, 3u}) { expect_cut_well(outer, inner, bytes, workers); }
            }
        }
    }
}

TEST_F(product_blocks_test, a_product_that_need_not_be_cut_is_one_block)
{
    for (const std::size_t inner : {1, 4}) { expect_cut_well(3, inner, arithmetic::any_bytes, 1); }
}

} // namespace
} // namespace tensorloom::test
