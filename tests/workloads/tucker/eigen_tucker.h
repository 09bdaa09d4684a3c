#pragma once
#include <array>
#include <cmath>
#include <vector>

#include <Eigen/Core>
#include <Eigen/SVD>

#include <tensorloom/workloads/tensor.h>

namespace tensorloom::test {

using Eigen::Index;
using Eigen::MatrixXd;

/// The decompositions in the words of the papers: unfoldings with every index written out, Kronecker products, Jacobi's
/// SVD of whole unfoldings, and errors by subtraction. Slow; shares nothing with workloads.
class eigen_tucker {
public:
    explicit eigen_tucker(const workloads::tensor<double>& x) : m_x(x)
    {
        for (std::size_t m = 0; m < 3; ++m) { m_sizes[m] = static_cast<Index>(x.shape[m]); }
    }

    /// Rows are the indices of mode m; columns those of the other two, the later mode running fastest.
    MatrixXd unfolding(std::size_t m) const
    {
        const std::size_t a = m == 0 ? 1 : 0, b = m == 2 ? 1 : 2;
        MatrixXd matrix(m_sizes[m], m_sizes[a] * m_sizes[b]);
        std::array<Index, 3> i{};
        for (i[0] = 0; i[0] < m_sizes[0]; ++i[0]) {
            for (i[1] = 0; i[1] < m_sizes[1]; ++i[1]) {
                for (i[2] = 0; i[2] < m_sizes[2]; ++i[2]) {
                    matrix(i[m], i[a] * m_sizes[b] + i[b]) =
                        m_x.data[static_cast<std::size_t>((i[0] * m_sizes[1] + i[1]) * m_sizes[2] + i[2])];
                }
            }
        }
        return matrix;
    }

    static MatrixXd leading(const MatrixXd& matrix, std::size_t rank)
    {
        const Eigen::JacobiSVD<MatrixXd> svd(matrix, Eigen::ComputeThinU | Eigen::ComputeThinV);
        return svd.matrixU().leftCols(static_cast<Index>(rank));
    }

    static MatrixXd kronecker(const MatrixXd& a, const MatrixXd& b)
    {
        MatrixXd product(a.rows() * b.rows(), a.cols() * b.cols());
        for (Index i = 0; i < a.rows(); ++i) {
            for (Index j = 0; j < a.cols(); ++j) {
                product.block(i * b.rows(), j * b.cols(), b.rows(), b.cols()) = a(i, j) * b;
            }
        }
        return product;
    }

    std::array<MatrixXd, 3> hosvd(const workloads::shape3& ranks) const
    {
        std::array<MatrixXd, 3> u;
        for (std::size_t m = 0; m < 3; ++m) { u[m] = leading(unfolding(m), ranks[m]); }
        return u;
    }

    std::array<MatrixXd, 3> st_hosvd(const workloads::shape3& ranks) const
    {
        std::array<MatrixXd, 3> u;
        u[0] = leading(unfolding(0), ranks[0]);
        const MatrixXd identity = MatrixXd::Identity(m_sizes[2], m_sizes[2]);
        u[1] = leading(unfolding(1) * kronecker(u[0], identity), ranks[1]);
        u[2] = leading(unfolding(2) * kronecker(u[0], u[1]), ranks[2]);
        return u;
    }

    std::array<MatrixXd, 3> hooi(const workloads::shape3& ranks, unsigned iterations) const
    {
        auto u = st_hosvd(ranks);
        for (unsigned i = 0; i < iterations; ++i) {
            for (std::size_t m = 0; m < 3; ++m) {
                const std::size_t a = m == 0 ? 1 : 0, b = m == 2 ? 1 : 2;
                u[m] = leading(unfolding(m) * kronecker(u[a], u[b]), ranks[m]);
            }
        }
        return u;
    }

    /// |X - projection of X on the factors' spaces| / |X|, by subtraction.
    double error(const std::array<MatrixXd, 3>& u) const
    {
        const MatrixXd x = unfolding(0);
        const MatrixXd others = kronecker(u[1], u[2]);
        const MatrixXd core = u[0].transpose() * x * others;
        return (x - u[0] * core * others.transpose()).norm() / x.norm();
    }

    /// The sum of the squares of the singular values of a matrix behind the first `rank`.
    static double tail(const MatrixXd& matrix, std::size_t rank)
    {
        const Eigen::JacobiSVD<MatrixXd> svd(matrix);
        const auto& values = svd.singularValues();
        return values.tail(values.size() - static_cast<Index>(rank)).squaredNorm();
    }

private:
    const workloads::tensor<double>& m_x;
    std::array<Index, 3> m_sizes{};
};

} // namespace tensorloom::test
