#include <tensorloom/workloads/tucker/unfolding_svd.h>

#include <cmath>

#include <gtest/gtest.h>

#include "tucker_case.h"

namespace tensorloom::test {
namespace {

using workloads::decompose_unfolding;
using workloads::tensor;

class unfolding : public testing::TestWithParam<workloads::shape3> {};
INSTANTIATE_TEST_SUITE_P(shapes, unfolding,
                         testing::Values(workloads::shape3{4, 5, 6}, workloads::shape3{30, 2, 3},
                                         workloads::shape3{2, 30, 3}, workloads::shape3{3, 2, 30},
                                         workloads::shape3{1, 1, 1}, workloads::shape3{1, 7, 1},
                                         workloads::shape3{40, 41, 1}, workloads::shape3{70, 20, 9}));

TEST_P(unfolding, has_the_singular_values_and_spaces_of_jacobi)
{
    const auto x = workloads::fill_tensor<double>(workloads::fill_kind::random, GetParam(), 0, 3);
    const eigen_tucker reference(x);
    for (std::size_t m = 0; m < 3; ++m) {
        const MatrixXd matrix = reference.unfolding(m);
        const auto found = decompose_unfolding(x, m);
        const auto jacobi = eigen_tucker::singular_values(matrix);
        ASSERT_EQ(static_cast<Index>(found.size()), jacobi.size());
        for (std::size_t i = 0; i < found.size(); ++i) {
            EXPECT_NEAR(found.values[i], jacobi[static_cast<Index>(i)], 1e-13 * found.values[0]);
        }
        const MatrixXd u = matrix_of(found.vectors); // U^T A has the values as the norms of its rows
        EXPECT_LE(distance_from_orthonormal(u), 1e-13);
        const MatrixXd rows = u.transpose() * matrix;
        for (std::size_t i = 0; i < found.size(); ++i) {
            EXPECT_NEAR(rows.row(static_cast<Index>(i)).norm(), found.values[i], 1e-13 * found.values[0]);
        }
    }
}

TEST_P(unfolding, the_largest_element_of_every_vector_is_positive_whatever_the_sign_of_the_tensor)
{
    auto x = workloads::fill_tensor<double>(workloads::fill_kind::random, GetParam(), 0, 4);
    for (std::size_t m = 0; m < 3; ++m) {
        const auto found = decompose_unfolding(x, m);
        const MatrixXd u = matrix_of(found.vectors);
        for (Index c = 0; c < u.cols(); ++c) { EXPECT_GT(u.col(c).maxCoeff(), -u.col(c).minCoeff()); }
        for (double& value : x.data) { value = -value; }
        EXPECT_LE((matrix_of(decompose_unfolding(x, m).vectors) - u).cwiseAbs().maxCoeff(), 1e-9);
    }
}

// What the eigenvalues of a Gram matrix in double could not tell from 0.
TEST(unfolding_svd, small_singular_values_keep_their_digits)
{
    tensor<double> x({3, 8, 8});
    for (std::size_t i = 0; i < 64; ++i) { // three orthogonal patterns of norm 8, far apart in size
        x.data[i] = 1;
        x.data[64 + i] = i % 2 == 0 ? 1e-6 : -1e-6;
        x.data[128 + i] = i / 2 % 2 == 0 ? 1e-12 : -1e-12;
    }
    const auto found = decompose_unfolding(x, 0);
    EXPECT_NEAR(found.values[0], 8, 1e-14);
    EXPECT_NEAR(found.values[1], 8e-6, 1e-14);
    EXPECT_NEAR(found.values[2], 8e-12, 1e-14);
    EXPECT_NEAR(found.truncated_energy(1), 64e-12, 1e-19);
    EXPECT_EQ(found.truncated_energy(3), 0);
}

TEST(unfolding_svd, of_equal_largest_elements_the_first_is_positive)
{
    tensor<double> x({2, 1, 1});
    x.data = {-3, 3};
    const auto found = decompose_unfolding(x, 0);
    EXPECT_NEAR(found.vectors.data[0], std::sqrt(0.5), 1e-15);
    EXPECT_NEAR(found.vectors.data[1], -std::sqrt(0.5), 1e-15);
}

TEST(unfolding_svd, leading_vectors_are_the_first_columns)
{
    const auto x = workloads::fill_tensor<double>(workloads::fill_kind::random, {4, 5, 6}, 0, 5);
    const auto found = decompose_unfolding(x, 1);
    const auto two = found.leading(2);
    EXPECT_EQ(two.shape, (std::vector<std::size_t>{5, 2}));
    EXPECT_EQ(matrix_of(two), matrix_of(found.vectors).leftCols(2));
}

TEST(unfolding_svd, memory_goes_with_the_square_of_the_shorter_side)
{
    EXPECT_LT(workloads::unfolding_svd_bytes(65535, 4), 20'000'000u);
    EXPECT_LT(workloads::unfolding_svd_bytes(4, 65535), 20'000'000u);
    EXPECT_GT(workloads::unfolding_svd_bytes(20000, 20000), 20'000'000'000u);
}

TEST(unfolding_svd, is_the_same_every_time)
{
    const auto x = workloads::fill_tensor<double>(workloads::fill_kind::random, {40, 30, 20}, 0, 6);
    EXPECT_EQ(decompose_unfolding(x, 0).vectors.data, decompose_unfolding(x, 0).vectors.data);
}

} // namespace
} // namespace tensorloom::test
