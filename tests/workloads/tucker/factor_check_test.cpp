#include <tensorloom/workloads/tucker/unfolding_svd.h>

#include <cmath>

#include <gtest/gtest.h>

#include "tucker_case.h"

namespace tensorloom::test {
namespace {

using workloads::check_factor;
using workloads::tensor;

TEST(factor_check, leading_singular_vectors_miss_nothing)
{
    for (const workloads::shape3& shape : {workloads::shape3{9, 8, 7}, {30, 2, 3}, {2, 3, 30}, {5, 40, 1}}) {
        const auto x = workloads::fill_tensor<double>(workloads::fill_kind::random, shape, 0, 3);
        for (std::size_t m = 0; m < 3; ++m) {
            const auto svd = workloads::decompose_unfolding(x, m);
            for (std::size_t rank = 1; rank <= svd.size(); ++rank) {
                const auto quality = check_factor(x, m, svd.leading(rank));
                EXPECT_LE(quality.orthonormality, 1e-13);
                EXPECT_NEAR(quality.missed_energy, 0, 1e-13);
            }
        }
    }
}

// Elements 3, 2 and 1 on the diagonal: energies 9, 4 and 1 of 14.
TEST(factor_check, another_direction_misses_the_difference)
{
    tensor<double> x({3, 3, 1});
    x.data = {3, 0, 0, 0, 2, 0, 0, 0, 1};
    tensor<double> last({3, 1});
    last.data = {0, 0, 1};
    EXPECT_NEAR(check_factor(x, 0, last).missed_energy, 8.0 / 14, 1e-15);
    tensor<double> outer({3, 2});
    outer.data = {1, 0, 0, 0, 0, 1};
    EXPECT_NEAR(check_factor(x, 1, outer).missed_energy, 3.0 / 14, 1e-15);
    EXPECT_NEAR(check_factor(x, 1, outer).orthonormality, 0, 1e-15);
}

TEST(factor_check, any_basis_of_the_best_space_is_as_good)
{
    tensor<double> x({3, 3, 1});
    x.data = {3, 0, 0, 0, 2, 0, 0, 0, 1};
    tensor<double> turned({3, 2});
    const double c = std::cos(0.4), s = std::sin(0.4);
    turned.data = {c, -s, s, c, 0, 0};
    EXPECT_NEAR(check_factor(x, 0, turned).missed_energy, 0, 1e-15);
}

// Rows 0.6 and 0.8 of a column of norm 5 among 50,000 of nothing: a Gram matrix of the rows would take 20 GB.
TEST(factor_check, a_tall_unfolding_is_judged_by_its_few_columns)
{
    tensor<double> x({50000, 1, 1});
    x.data[7] = 3;
    x.data[49999] = 4;
    tensor<double> best({50000, 1});
    best.data[7] = 0.6;
    best.data[49999] = 0.8;
    EXPECT_NEAR(check_factor(x, 0, best).missed_energy, 0, 1e-15);
    tensor<double> one({50000, 1});
    one.data[49999] = 1;
    EXPECT_NEAR(check_factor(x, 0, one).missed_energy, 9.0 / 25, 1e-15);
}

TEST(factor_check, there_is_nothing_to_miss_of_zero)
{
    tensor<double> first({3, 1});
    first.data = {1, 0, 0};
    const auto quality = check_factor(tensor<double>({3, 2, 2}), 0, first);
    EXPECT_EQ(quality.missed_energy, 0);
    EXPECT_EQ(quality.orthonormality, 0);
}

TEST(factor_check, columns_that_are_not_orthonormal_are_seen)
{
    tensor<double> x({3, 3, 1});
    x.data = {3, 0, 0, 0, 2, 0, 0, 0, 1};
    tensor<double> skew({3, 2});
    skew.data = {1, 0.25, 0, 1, 0, 0};
    EXPECT_NEAR(check_factor(x, 0, skew).orthonormality, 0.25, 1e-15);
    skew.data = {1, 0, 0, 1.5, 0, 0};
    EXPECT_NEAR(check_factor(x, 0, skew).orthonormality, 1.25, 1e-15);
}

} // namespace
} // namespace tensorloom::test
