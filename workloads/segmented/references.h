#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <vector>
#include <tensorloom/workloads/segmented/problem.h>
#include <tensorloom/workloads/segmented/variants.h>

namespace tensorloom::workloads {

/// Relative error of a real element above which digits are lost, whatever its bound: of sums in f64, and in f32.
constexpr double lost_digits(base::element_type word) { return word == base::element_type::f32 ? 1e-3 : 1e-6; }

/// Error bound of an element in a real format: additions x 2^-53 (sums in f32: 2^-24) x the sum of the moduli in its
/// sums.
struct segmented_bound {
    double additions = 0;    ///< on the longest path to an element: c of check_segmented()
    std::string formula;     ///< of c and of the summed moduli
    double at_worst = 0;     ///< absolute bound of the element with the largest ratio of error to bound
    double error = 0;        ///< of that element
    std::uint64_t worst = 0; ///< index of that element; 0 if all are exact
    double at_largest = 0;   ///< the bound of the element with the largest error
};

/// Result of a comparison with a reference.
struct segmented_check {
    bool passed = false;
    double max_abs_error = 0;
    double max_rel_error = 0;          ///< of elements whose reference is not 0
    std::uint64_t max_abs_element = 0; ///< index of the element; 0 if all are exact
    std::uint64_t max_rel_element = 0;
    double worst_of_bound = 0;                ///< real: the largest ratio of error to bound; at most 1 if passed
    std::optional<std::uint64_t> first_wrong; ///< index; the shorter length if the lengths differ
    std::string reference;                    ///< description of the reference
    std::optional<segmented_bound> bound;     ///< real formats
    std::optional<std::string> warning;       ///< real: an element within its bound has an error above lost_digits()
};

/// Compares a device's result with naive loops over segments, rows and elements (128-bit integers, long double).
/// Integers must be equal. In real formats, the error of element i may be c eps times the sum of all moduli in its
/// sums: for algorithms that scan across segments and take differences, of the whole prefix, x[0] to x[i] (spmv: the
/// products of all rows up to its own); for others of its own segment, row or dot product. c = (2s + 4) ceil(log_s n) +
/// 2 ceil(log2 n) + 4 additions on a path, eps = 2^-53 (sums in f32: 2^-24); matrix products: inner + 2. T: int64_t or
/// double; `side`: s of the device; `word`: the format of sums of real numbers, f64 or f32. Where the reference is NaN
/// or infinite, the result must be the same; another error or bound that is not finite does not pass
/// (workloads/result_check.h).
template <class T>
segmented_check check_segmented(const segmented_variant& variant, const segmented_problem<T>& problem,
                                const std::vector<T>& values, std::uint32_t side,
                                base::element_type word = base::element_type::f64);

/// sum (i+1) z[i] mod 2^31 - 1, not negative: a fingerprint of a result.
std::int64_t weighted_checksum(const std::vector<std::int64_t>& values);

} // namespace tensorloom::workloads
