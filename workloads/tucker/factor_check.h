#pragma once
#include <cstddef>

#include <tensorloom/workloads/tensor.h>

namespace tensorloom::workloads {

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
