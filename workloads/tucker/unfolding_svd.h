#pragma once
#include <cstddef>
#include <cstdint>
#include <vector>
#include <tensorloom/workloads/tensor.h>

namespace tensorloom::workloads {

/// Left singular vectors and singular values of a tensor's unfolding along one mode. Its index is the row, all others
/// the column.
struct unfolding_svd {
    tensor<double> vectors;     ///< N_s x n: column i belongs to value i; columns are orthonormal
    std::vector<double> values; ///< n = min(N_s, columns of the unfolding), not increasing

    std::size_t size() const { return values.size(); }
    /// Energy discarded by a truncation to `rank` vectors: the sum of the squares of the values after them.
    double truncated_energy(std::size_t rank) const;
    /// The first `rank` vectors, N_s x rank; rank <= size().
    tensor<double> leading(std::size_t rank) const;
};

/// Computes Householder QR of the transposed unfolding if it has more columns than rows, then a divide-and-conquer SVD
/// of the triangular factor. This is backward stable: singular values have an error of a few eps times the largest.
/// (Eigenvalues of the Gram matrix would lose half of the digits of the small ones.) A vector's sign is arbitrary; here
/// its element of largest modulus is positive (the first one within 1e-6 of the largest). x: three modes, no size 0,
/// all elements finite; mode: 0, 1, 2.
unfolding_svd decompose_unfolding(const tensor<double>& x, std::size_t mode);

/// Upper bound of its memory besides x, in bytes, for an unfolding of this size.
std::uint64_t unfolding_svd_bytes(std::uint64_t rows, std::uint64_t columns);

/// Quality of a factor, measured by another method than its computation.
struct factor_quality {
    double orthonormality = 0; ///< largest element of |U^T U - I|
    /// Energy of y, relative to |y|^2, that the best factor of this rank captures and this one does not; 0 for leading
    /// singular vectors, up to rounding of about 1e-14 of either sign; 0 if y is zero.
    double missed_energy = 0;
};

/// Compares a factor, N_s x R, with the eigenvalues of the Gram matrix of y's unfolding along `mode` (0, 1, 2), of its
/// rows or columns, whichever is smaller. Equally good factors give the same result. y: three modes, finite; R <= N_s.
factor_quality check_factor(const tensor<double>& y, std::size_t mode, const tensor<double>& factor);

} // namespace tensorloom::workloads
