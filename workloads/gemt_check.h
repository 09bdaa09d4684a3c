#pragma once
#include <cstddef>
#include <cstdint>
#include <optional>
#include <tensorloom/workloads/gemt_reference.h>

namespace tensorloom::workloads {

/// Errors of a result against its reference, over the comparable elements (see gemt_reference).
struct check_result {
    bool passed = false;      ///< elements were compared, all finite and within the bound; no finite data overflows
    bool finite = true;       ///< every element of the reference is comparable
    double max_abs_error = 0; ///< largest modulus of result - reference; infinite if the result is not finite
    double max_rel_error = 0; ///< max_abs_error / largest modulus of the reference; 0 if both are 0
    double bound = 0;         ///< upper limit of max_abs_error: the largest bound of an element; 0 for int8
    std::size_t compared = 0; ///< compared elements; 0 does not pass

    /// The largest of gemt_reference::probable, if it exists, and the number of elements beyond their own probable
    /// bound. Such elements indicate a fault within the worst-case bound, or data with a pattern.
    std::optional<double> probable_bound;
    std::size_t improbable = 0;

    /// Errors against the unrounded and unshifted sums in float64 or better: gemt_reference::unrounded.
    double max_abs_error_against_float64 = 0;
    double max_rel_error_against_float64 = 0;

    std::uint64_t saturated = 0;  ///< as in the reference
    std::uint64_t overflowed = 0; ///< as in the reference; must be 0
};

/// Compares a result with the reference: int8 must be equal, other formats within the uncertainty of each element. An
/// error or a bound that is not finite does not pass. A result in the element format is widened first. Throws
/// base::input_error for another shape than the reference.
template <class T>
check_result check_gemt(const tensor<arithmetic::accumulator_of<T>>& result, const gemt_reference<T>& reference);

} // namespace tensorloom::workloads
