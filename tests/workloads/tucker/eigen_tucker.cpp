// Eigen's SVD takes long to compile: here it is compiled once for all tests.
#include "eigen_tucker.h"

#include <Eigen/SVD>

namespace tensorloom::test {

namespace {

MatrixXd leading(const MatrixXd& matrix, std::size_t rank)
{
    const Eigen::JacobiSVD<MatrixXd> svd(matrix, Eigen::ComputeThinU | Eigen::ComputeThinV);
    return svd.matrixU().leftCols(static_cast<Index>(rank));
}

} // namespace

eigen_tucker::eigen_tucker(const workloads::tensor<double>& x) : m_x(x)
{
    for (std::size_t m = 0; m < 3; ++m) { m_sizes[m] = static_cast<Index>(x.shape[m]); }
}

MatrixXd eigen_tucker::unfolding(std::size_t m) const
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

std::array<MatrixXd, 3> eigen_tucker::hosvd(const workloads::shape3& ranks) const
{
    std::array<MatrixXd, 3> u;
    for (std::size_t m = 0; m < 3; ++m) { u[m] = leading(unfolding(m), ranks[m]); }
    return u;
}

std::array<MatrixXd, 3> eigen_tucker::st_hosvd(const workloads::shape3& ranks) const
{
    std::array<MatrixXd, 3> u;
    u[0] = leading(unfolding(0), ranks[0]);
    const MatrixXd identity = MatrixXd::Identity(m_sizes[2], m_sizes[2]);
    u[1] = leading(unfolding(1) * kronecker(u[0], identity), ranks[1]);
    u[2] = leading(unfolding(2) * kronecker(u[0], u[1]), ranks[2]);
    return u;
}

std::array<MatrixXd, 3> eigen_tucker::hooi(const workloads::shape3& ranks, unsigned iterations) const
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

MatrixXd eigen_tucker::core(const std::array<MatrixXd, 3>& u) const
{
    return u[0].transpose() * unfolding(0) * kronecker(u[1], u[2]);
}

double eigen_tucker::error(const std::array<MatrixXd, 3>& u) const
{
    const MatrixXd x = unfolding(0);
    return (x - u[0] * core(u) * kronecker(u[1], u[2]).transpose()).norm() / x.norm();
}

MatrixXd eigen_tucker::kronecker(const MatrixXd& a, const MatrixXd& b)
{
    MatrixXd product(a.rows() * b.rows(), a.cols() * b.cols());
    for (Index i = 0; i < a.rows(); ++i) {
        for (Index j = 0; j < a.cols(); ++j) {
            product.block(i * b.rows(), j * b.cols(), b.rows(), b.cols()) = a(i, j) * b;
        }
    }
    return product;
}

Eigen::VectorXd eigen_tucker::singular_values(const MatrixXd& matrix)
{
    return Eigen::JacobiSVD<MatrixXd>(matrix).singularValues();
}

double eigen_tucker::tail(const MatrixXd& matrix, std::size_t rank)
{
    const auto values = singular_values(matrix);
    return values.tail(values.size() - static_cast<Index>(rank)).squaredNorm();
}

MatrixXd matrix_of(const workloads::tensor<double>& factor)
{
    using row_major = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
    return Eigen::Map<const row_major>(factor.data.data(), static_cast<Index>(factor.shape[0]),
                                       static_cast<Index>(factor.shape[1]));
}

double distance_from_orthonormal(const MatrixXd& u)
{
    return (u.transpose() * u - MatrixXd::Identity(u.cols(), u.cols())).cwiseAbs().maxCoeff();
}

} // namespace tensorloom::test
