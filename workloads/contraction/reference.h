#pragma once
#include <cstddef>
#include <cstdint>
#include <vector>
#include <tensorloom/models/base/values/element_type.h>
#include <tensorloom/workloads/contraction/einsum.h>
#include <tensorloom/workloads/tensor.h>

namespace tensorloom::workloads {

/// A contraction in double precision, with the sum of |a| |b| that bounds its rounding errors.
struct contraction_reference {
    std::vector<double> c;         ///< C order
    std::vector<double> magnitude; ///< per element of C: sum of |a| |b| over the finite products
};

/// Contracts operands that are already rounded for the device.
contraction_reference contract_in_double(const contraction& problem, const std::vector<float>& a,
                                         const std::vector<float>& b);

/// Errors of a result against the reference.
struct contraction_check {
    bool passed = false;
    double max_abs_error = 0;
    double max_rel_error = 0;   ///< of elements whose reference is not 0; by the smallest normal number at least
    double worst_share = 0;     ///< largest |d| / allowed
    std::size_t worst = 0;      ///< its element, in C order
    std::size_t not_finite = 0; ///< elements of the result that are NaN or infinite
};

/// Passes if |d| <= (K + 32) (eps_psum sum|a||b| + tiny) + eps_store |c| for every element; K = product of the
/// contracted sizes, eps = 2^-8 for bf16 and 2^-23 for f32, eps_store 0 for f32. `tiny` is the smallest positive
/// number, 2^-149, or 2^-133 if sums or result are bf16; it allows products and sums to lose digits below the normal
/// range or to underflow to 0 (our choice). If |c| plus this bound exceeds the largest number of these formats, an
/// infinity of its sign passes, too. A NaN reference requires a NaN; an infinite one the same infinity, or a NaN if the
/// magnitudes of the finite products exceed that number, so that they could sum to the other infinity. An overflow of
/// partial sums in a sum that does not overflow fails.
contraction_check check_contraction(const contraction_reference& reference, const std::vector<float>& c,
                                    std::uint64_t contracted, base::element_type psum, base::element_type store);

} // namespace tensorloom::workloads
