#include <tensorloom/workloads/tucker/factor_check.h>

#include <algorithm>

#include <Eigen/Eigenvalues>

namespace tensorloom::workloads {

namespace {

using row_major = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
using const_view = Eigen::Map<const row_major>;

Eigen::MatrixXd unfolding(const tensor<double>& y, std::size_t mode)
{
    const mode_view along(y.shape, mode);
    if (along.inner == 1) { return const_view(y.data.data(), along.outer, along.size).transpose(); }
    Eigen::MatrixXd result(along.size, along.outer * along.inner);
    for (std::ptrdiff_t o = 0; o < along.outer; ++o) {
        result.middleCols(o * along.inner, along.inner) =
            const_view(y.data.data() + o * along.size * along.inner, along.size, along.inner);
    }
    return result;
}

// Of rows or of columns, whichever are fewer: both Gram matrices have the same eigenvalues but for zeros.
Eigen::MatrixXd smaller_gram_matrix(const Eigen::MatrixXd& matrix)
{
    if (matrix.cols() < matrix.rows()) { return matrix.transpose() * matrix; }
    return matrix * matrix.transpose();
}

} // namespace

factor_quality check_factor(const tensor<double>& y, std::size_t mode, const tensor<double>& factor)
{
    const const_view u(factor.data.data(), static_cast<Eigen::Index>(factor.shape[0]),
                       static_cast<Eigen::Index>(factor.shape[1]));
    const Eigen::MatrixXd matrix = unfolding(y, mode);
    const Eigen::MatrixXd gram = smaller_gram_matrix(matrix);
    const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> eigen(gram, Eigen::EigenvaluesOnly);
    const double best = eigen.eigenvalues().tail(std::min(u.cols(), gram.cols())).sum();
    const double captured = (u.transpose() * matrix).squaredNorm();
    factor_quality quality;
    quality.orthonormality = (u.transpose() * u - Eigen::MatrixXd::Identity(u.cols(), u.cols())).cwiseAbs().maxCoeff();
    const double energy = gram.trace();
    quality.missed_energy = energy == 0 ? 0 : (best - captured) / energy;
    return quality;
}

} // namespace tensorloom::workloads
