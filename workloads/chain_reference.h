#pragma once
#include <functional>
#include <vector>
#include <tensorloom/workloads/chain.h>
#include <tensorloom/workloads/gemt_reference.h>

namespace tensorloom::workloads {

/// A chain of steps on one tensor. The caller owns everything.
template <class T> struct chain_problem {
    const tensor<T>* x = nullptr;
    const std::vector<chain_step>* steps = nullptr; ///< at least one
    const chain_data<T>* data = nullptr;            ///< of these steps
    bool rounds_result = false; ///< rounds the result to T, like an operand; else it is the sums (int8: shifted)
    double threshold = 0;       ///< of transforms: stored operands with at most this modulus count as zero
    bool skips_zeros = false;   ///< the device skips a multiply-add with a zero factor
    std::function<void(double)> progress; ///< receives the completed fraction of the multiply-adds, 0 to 1
};

/// The result of a chain, computed in long double; int8 in integers. bfloat16 and int8 are rounded between the steps as
/// in the device.
///
/// The uncertainty d of an element follows the steps; in the first it is 0. With gamma and eta as in
/// gemt_reference::uncertainty
///
///     transform   as gemt_reference, whose operands are rounded to T and known within d and this rounding
///     multiply    d |b| + gamma_1 (|x| + d) |b| + eta
///     scale       likewise with s
///     add         d + gamma_1 (|x| + d + |b| |s|) + eta
///     threshold   s rounded to T; decided where the modulus of x is further than d from s: the element is +0, or as it
///     was. Elsewhere
///                 the device may have decided either way: in the last step both x and +0 are right (or_zero); before
///                 another step d becomes at least |x|
///     relu        d; 0 where x < -d
///
/// bfloat16: x, rounded, is known within d as in gemt_reference; where d is 0 the sum is that of the device, to the
/// bit. int8: exact. Elements that may overflow before the last step are not comparable and have an infinite
/// uncertainty; a transform then has no comparable element. One step alone is the reference of a GEMT, with all its
/// bounds.
///
/// T: double, float, complex of both, bfloat16, int8. Throws base::input_error as compute_reference() of a GEMT.
template <class T> gemt_reference<T> compute_reference(const chain_problem<T>& problem);

} // namespace tensorloom::workloads
