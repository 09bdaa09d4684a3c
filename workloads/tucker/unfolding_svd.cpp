#include <tensorloom/workloads/tucker/unfolding_svd.h>
#include <algorithm>
#include <cmath>
#include <Eigen/Eigenvalues>
#include <Eigen/QR>
#include <Eigen/SVD>

namespace tensorloom::workloads {
namespace {

using dense = Eigen::MatrixXd;
using row_major = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

// Columns are the fibres across the mode: the unfolding, transposed.
dense transposed_unfolding(const tensor<double>& x, std::size_t mode)
{
    const mode_view along(x.shape, mode);
    dense result(along.outer * along.inner, along.size);
    for (std::ptrdiff_t n = 0; n < along.size; ++n) {
        double* column = result.data() + n * result.rows();
        for (std::ptrdiff_t o = 0; o < along.outer; ++o) {
            const double* from = x.data.data() + (o * along.size + n) * along.inner;
            std::copy(from, from + along.inner, column + o * along.inner);
        }
    }
    return result;
}

// The unfolding, or a square matrix with the same left singular vectors and singular values.
dense reduced_unfolding(const tensor<double>& x, std::size_t mode)
{
    dense columns = transposed_unfolding(x, mode);
    const Eigen::Index size = columns.cols();
    if (columns.rows() <= size) { return columns.transpose(); }
    const Eigen::HouseholderQR<Eigen::Ref<dense>> qr(columns); // in place
    dense triangle = dense::Zero(size, size);
    triangle.triangularView<Eigen::Upper>() = columns.topRows(size);
    return triangle.transpose();
}

void fix_signs(dense& vectors)
{
    constexpr double as_large = 1 - 1e-6; // rounding must not decide between elements that are equal but for it
    for (Eigen::Index c = 0; c < vectors.cols(); ++c) {
        const double largest = as_large * vectors.col(c).cwiseAbs().maxCoeff();
        Eigen::Index first = 0;
        while (std::abs(vectors(first, c)) < largest) { ++first; }
        if (vectors(first, c) < 0) { vectors.col(c) = -vectors.col(c); }
    }
}

} // namespace

double unfolding_svd::truncated_energy(std::size_t rank) const
{
    double sum = 0; // the small ones first
    for (std::size_t i = values.size(); i > rank; --i) { sum += values[i - 1] * values[i - 1]; }
    return sum;
}

tensor<double> unfolding_svd::leading(std::size_t rank) const
{
    tensor<double> result({vectors.shape[0], rank});
    for (std::size_t n = 0; n < vectors.shape[0]; ++n) {
        const double* row = vectors.data.data() + n * size();
        std::copy(row, row + rank, result.data.begin() + static_cast<std::ptrdiff_t>(n * rank));
    }
    return result;
}

std::uint64_t unfolding_svd_bytes(std::uint64_t rows, std::uint64_t columns)
{
    // Of a wide unfolding its transpose; of a tall one that, its copies in the SVD and the vectors. Measured: the SVD
    // works with eight squares of the shorter side.
    const std::uint64_t unfoldings = columns > rows ? 1 : 5;
    const std::uint64_t shorter = std::min(rows, columns);
    return (unfoldings * rows * columns + 8 * shorter * shorter) * sizeof(double);
}

unfolding_svd decompose_unfolding(const tensor<double>& x, std::size_t mode)
{
    const Eigen::BDCSVD<dense> svd(reduced_unfolding(x, mode), Eigen::ComputeThinU);
    dense vectors = svd.matrixU();
    fix_signs(vectors);
    unfolding_svd result;
    const auto& values = svd.singularValues();
    result.values.assign(values.data(), values.data() + values.size());
    result.vectors = tensor<double>({x.shape[mode], result.values.size()});
    Eigen::Map<row_major>(result.vectors.data.data(), vectors.rows(), vectors.cols()) = vectors;
    return result;
}

namespace {

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
