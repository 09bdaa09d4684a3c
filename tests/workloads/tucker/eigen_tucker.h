#pragma once
#include <array>

#include <Eigen/Core>

#include <tensorloom/workloads/tensor.h>

namespace tensorloom::test {

using Eigen::Index;
using Eigen::MatrixXd;

/// The decompositions in the words of the papers: unfoldings with every index written out, Kronecker products, Jacobi's
/// SVD of whole unfoldings, and errors by subtraction. Slow; shares nothing with workloads.
class eigen_tucker {
public:
    explicit eigen_tucker(const workloads::tensor<double>& x);

    /// Rows are the indices of mode m; columns those of the other two, the later mode running fastest.
    MatrixXd unfolding(std::size_t m) const;

    std::array<MatrixXd, 3> hosvd(const workloads::shape3& ranks) const;
    std::array<MatrixXd, 3> st_hosvd(const workloads::shape3& ranks) const;
    std::array<MatrixXd, 3> hooi(const workloads::shape3& ranks, unsigned iterations) const;

    /// Rows are the indices of mode 0.
    MatrixXd core(const std::array<MatrixXd, 3>& u) const;
    /// |X - projection of X on the factors' spaces| / |X|, by subtraction.
    double error(const std::array<MatrixXd, 3>& u) const;

    static MatrixXd kronecker(const MatrixXd& a, const MatrixXd& b);
    /// Not increasing.
    static Eigen::VectorXd singular_values(const MatrixXd& matrix);
    /// The sum of the squares of the singular values of a matrix behind the first `rank`.
    static double tail(const MatrixXd& matrix, std::size_t rank);

private:
    const workloads::tensor<double>& m_x;
    std::array<Index, 3> m_sizes{};
};

MatrixXd matrix_of(const workloads::tensor<double>& factor);
/// The largest modulus of an element of U^T U - 1.
double distance_from_orthonormal(const MatrixXd& u);

} // namespace tensorloom::test
