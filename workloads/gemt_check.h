#pragma once
#include <cstddef>
#include <cstdint>
#include <optional>
#include <tensorloom/workloads/gemt_reference.h>

namespace tensorloom::workloads {

/// How a result compares with its reference, over the elements that are comparable (see gemt_reference).
struct check_result {
    bool passed = false;      ///< some are compared, all of these finite and within the bound; finite data stays so
    bool finite = true;       ///< every element of the reference could be compared
    double max_abs_error = 0; ///< largest modulus of result - reference; infinite where the result is not finite
    double max_rel_error = 0; ///< that by the largest modulus of the reference; 0 when both are 0
    double bound = 0;         ///< what max_abs_error may be: the largest of a bound per element; of int8 0
    std::size_t compared = 0; ///< elements; with none it has not passed

    /// The largest of gemt_reference::probable; nothing where there is none. And the elements beyond their own: a fault
    /// that the bound, which holds for the worst of all rounding errors, lets pass, or data with a pattern.
    std::optional<double> probable_bound;
    std::size_t improbable = 0;

    /// Against the sums in float64 or better without any rounding or shift in between: gemt_reference::unrounded.
    double max_abs_error_against_float64 = 0;
    double max_rel_error_against_float64 = 0;

    std::uint64_t saturated = 0;  ///< as in the reference
    std::uint64_t overflowed = 0; ///< as in the reference; none may be
};

/// Holds a result against the reference of its problem: int8 exactly equal, else each element within its uncertainty.
/// Neither an error nor a bound that is not finite passes.
///
/// A result in the element format comes widened. Throws base::input_error: a result of another shape than the
/// reference.
template <class T>
check_result check_gemt(const tensor<arithmetic::accumulator_of<T>>& result, const gemt_reference<T>& reference);

} // namespace tensorloom::workloads
