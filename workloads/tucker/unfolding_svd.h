#pragma once
#include <cstddef>
#include <cstdint>
#include <vector>
#include <tensorloom/workloads/tensor.h>

namespace tensorloom::workloads {

/// The left half of a singular value decomposition of a tensor's unfolding along one mode: that mode's indices are the
/// rows, all others the columns.
struct unfolding_svd {
    tensor<double> vectors;     ///< N_s x n: column i belongs to value i; columns are orthonormal
    std::vector<double> values; ///< n = min(N_s, columns of the unfolding), not increasing

    std::size_t size() const { return values.size(); }
    /// The energy that a truncation to `rank` vectors cuts off: the sum of the squares of the values behind them.
    double truncated_energy(std::size_t rank) const;
    /// The first `rank` vectors, N_s x rank; rank <= size().
    tensor<double> leading(std::size_t rank) const;
};

/// By Householder QR of the transposed unfolding when it has more columns than rows, then a divide-and-conquer SVD of
/// the small triangular factor: backward stable, so that singular values keep an error of a few eps times the largest.
/// (The eigenvalues of the Gram matrix would lose half of the digits of the small ones.)
///
/// A vector's sign is free; here its element of largest modulus is positive (the first of those within 1e-6 of the
/// largest). x: three modes, no size 0, all elements finite; mode: 0, 1, 2.
unfolding_svd decompose_unfolding(const tensor<double>& x, std::size_t mode);

/// Bytes that it takes at most besides x for an unfolding of so many rows and columns.
std::uint64_t unfolding_svd_bytes(std::uint64_t rows, std::uint64_t columns);

/// How good a factor is, found out in another way than it was made.
struct factor_quality {
    double orthonormality = 0; ///< largest element of |U^T U - I|
    /// What the best factor of the same rank captures of y more than this one, by |y|^2; 0 for leading singular
    /// vectors, but for a rounding of about 1e-14 of either sign; 0 of a y that is zero.
    double missed_energy = 0;
};

/// Holds a factor, N_s x R, against the eigenvalues of the Gram matrix of y's unfolding along `mode` (0, 1, 2): that of
/// its rows or that of its columns, whichever is smaller. Which of several equally good factors it is makes no
/// difference. y: three modes, finite; R at most N_s.
factor_quality check_factor(const tensor<double>& y, std::size_t mode, const tensor<double>& factor);

} // namespace tensorloom::workloads
