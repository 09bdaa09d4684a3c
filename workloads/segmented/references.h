#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <vector>
#include <tensorloom/workloads/segmented/problem.h>
#include <tensorloom/workloads/segmented/variants.h>

namespace tensorloom::workloads {

/// An element in f64 that is off by more than this part of itself has lost digits, whatever its bound says.
inline constexpr double lost_digits = 1e-6;

/// How far an element in f64 may be off: additions x 2^-53 x the sum of the moduli that went through its sums.
struct segmented_bound {
    double additions = 0;    ///< on the longest path to an element: the c of check_segmented()
    std::string formula;     ///< of c, and whose moduli are summed
    double at_worst = 0;     ///< the bound, absolute, of the element that comes nearest to its own
    double error = 0;        ///< of that element
    std::uint64_t worst = 0; ///< that element; 0 when all are exact
    double at_largest = 0;   ///< the bound of the element with the largest error
};

/// What a comparison with a reference found.
struct segmented_check {
    bool passed = false;
    double max_abs_error = 0;
    double max_rel_error = 0;          ///< of the elements that should not be 0
    std::uint64_t max_abs_element = 0; ///< where: elements; 0 when all are exact
    std::uint64_t max_rel_element = 0;
    double worst_of_bound = 0;                ///< f64: the largest error over its bound; 1 at most when passed
    std::optional<std::uint64_t> first_wrong; ///< index; the shorter length when the lengths differ
    std::string reference;                    ///< what it was compared with
    std::optional<segmented_bound> bound;     ///< f64
    std::optional<std::string>
        warning; ///< f64: values are within their bounds, but an element is off by more than lost_digits of itself
};

/// Compares what a device made of a problem with naive loops over its segments, rows and elements (128-bit integers,
/// long double).
///
/// Integers must be equal. Of f64, element i may be off by c eps times the sum of all moduli that went through the sums
/// it was made of: for all algorithms that scan across segments and take differences, those of the whole prefix, x[0]
/// to x[i] (products of spmv: those of all rows up to its own); for others its own segment, row or dot product. c = (2s
/// + 4) ceil(log_s n) + 2 ceil(log2 n) + 4 additions on a path, eps = 2^-53; matrix products: inner + 2. T: int64_t or
/// double; `side` is the s of the device. Neither an error nor a bound that is not finite passes.
template <class T>
segmented_check check_segmented(const segmented_variant& variant, const segmented_problem<T>& problem,
                                const std::vector<T>& values, std::uint32_t side);

/// sum (i+1) z[i] mod 2^31 - 1, not negative: tells results apart.
std::int64_t weighted_checksum(const std::vector<std::int64_t>& values);

} // namespace tensorloom::workloads
