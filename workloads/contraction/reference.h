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
    std::vector<double> magnitude; ///< sum of |a| |b| per element of C, of the products that are finite
};

/// The sums of these values. The operands are those that the device gets: rounded already.
contraction_reference contract_in_double(const contraction& problem, const std::vector<float>& a,
                                         const std::vector<float>& b);

/// How far a result lies from the reference.
struct contraction_check {
    bool passed = false;
    double max_abs_error = 0;
    double max_rel_error = 0;   ///< of elements whose reference is not 0
    double worst_share = 0;     ///< largest |d| / allowed
    std::size_t worst = 0;      ///< the element where it is, in C order
    std::size_t not_finite = 0; ///< elements of the result that are NaN or infinite
};

/// Passes when |d| <= (K + 32) (eps_psum sum|a||b| + tiny) + eps_store |c| for every element; K = product of the
/// contracted sizes, eps = 2^-8 for bf16 and 2^-23 for f32, eps_store 0 for f32. `tiny` is the smallest number above 0:
/// 2^-149, or 2^-133 where sums or result are bf16; it lets products and sums that lose digits below the normal range,
/// or become 0, pass. That floor is a choice of ours. Where |c| with this bound exceeds the largest number of these
/// formats, an infinity of its sign passes too. A reference of NaN wants a NaN, an infinite one the same infinity, or a
/// NaN when the finite products alone could make the other one: their magnitudes exceed that number. Partial sums that
/// overflow in a sum that would not, do not pass.
contraction_check check_contraction(const contraction_reference& reference, const std::vector<float>& c,
                                    std::uint64_t contracted, base::element_type psum, base::element_type store);

} // namespace tensorloom::workloads
