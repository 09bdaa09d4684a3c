#pragma once
#include <cstddef>
#include <cstdint>
#include <optional>
#include <tensorloom/workloads/gemt_reference.h>

namespace tensorloom::workloads {

/// Errors of a result against its reference, over the comparable elements (see gemt_reference).
struct check_result {
    bool passed = false;       ///< elements were compared, all within their bounds; no finite data overflows
    bool finite = true;        ///< every element of the reference is finite and comparable
    double max_abs_error = 0;  ///< largest modulus of result - reference; infinite if only one of both is finite
    double mean_abs_error = 0; ///< mean modulus of result - reference
    double max_rel_error = 0; ///< max_abs_error / largest modulus of the reference, at least its smallest normal number
    double bound = 0;         ///< largest bound of an element that decides; 0 for int8
    double largest = 0;       ///< largest finite modulus of the reference
    double worst_of_bound = 0;  ///< largest ratio of an element's error to this bound
    std::size_t compared = 0;   ///< compared elements; 0 does not pass
    std::size_t not_finite = 0; ///< of these: not finite in the reference, and in the result likewise if passed

    std::size_t undecided = 0; ///< compared elements for which zero was right, too (gemt_reference::or_zero)

    /// The largest of gemt_reference::uncertainty: for any rounding errors.
    double worst_case_bound = 0;
    /// Elements beyond their probable bound that are right: data with a pattern, whose sums in the format are off
    /// alike.
    std::size_t systematic = 0;

    /// Errors against the unrounded and unshifted sums in float64 or better: gemt_reference::unrounded.
    double max_abs_error_against_float64 = 0;
    double max_rel_error_against_float64 = 0;

    std::uint64_t saturated = 0;  ///< as in the reference
    std::uint64_t overflowed = 0; ///< as in the reference; must be 0
};

/// Compares a result with the reference: int8 must be equal. The bound of other elements is gemt_reference::probable;
/// an element beyond it passes if it is that close to the sums in the format. Where there is no such bound, the
/// uncertainty decides, and no element may exceed it. An error or a bound that is not finite does not pass; where data
/// makes the reference NaN or infinite, the result must be the same. Zero is right where the reference says so. A
/// result in the element format is widened first. Throws base::input_error for another shape than the reference.
template <class T>
check_result check_gemt(const tensor<arithmetic::accumulator_of<T>>& result, const gemt_reference<T>& reference);

} // namespace tensorloom::workloads
