#pragma once
#include <cstddef>
#include <tensorloom/workloads/gemt_reference.h>

namespace tensorloom::workloads {

/// How a result compares with its reference, over the elements that are comparable (see gemt_reference).
struct check_result {
    bool passed = false;      ///< every compared element is finite and within the bound
    bool finite = true;       ///< every element of the reference could be compared
    double max_abs_error = 0; ///< largest modulus of result - reference; infinite where the result is not finite
    double max_rel_error = 0; ///< that by the largest modulus of the reference; 0 when both are 0
    double bound = 0;         ///< what max_abs_error may be; of bfloat16 the largest of a bound per element
    std::size_t compared = 0; ///< elements; none pass as well

    /// Against the sums in float64 or better without any rounding or shift in between: gemt_reference::unrounded.
    double max_abs_error_against_float64 = 0;
    double max_rel_error_against_float64 = 0;

    std::uint64_t saturated = 0;  ///< as in the reference
    std::uint64_t overflowed = 0; ///< as in the reference; none may be
};

/// Holds a result against the reference of its problem.
///
/// int8: exactly equal. bfloat16: within the reference's uncertainty, element by element. Else, with eps the machine
/// epsilon of T, d its smallest subnormal, S_s the largest column sum of moduli in C_s, N = N1 + N2 + N3, and the
/// stages summing over modes a, b, c in this order, the bound is
///
///     8 eps N (max|X| S_1 S_2 S_3 + max|Y0|) + N d max(1,S_1) max(1,S_2) max(1,S_3)
///         + threshold (S_a S_b S_c + S_b S_c + S_c)
///
/// where elements and columns that are not finite do not count.
/// A result in the element format comes widened. Throws arch::input_error: a result of another shape than the
/// reference.
template <class T>
check_result check_gemt(const tensor<arithmetic::accumulator_of<T>>& result, const gemt_problem<T>& problem,
                        const gemt_reference<T>& reference);

} // namespace tensorloom::workloads
