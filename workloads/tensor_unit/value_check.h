#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <vector>
#include <tensorloom/workloads/tensor_unit/algorithms.h>

namespace tensorloom::workloads {

/// Comparison of an algorithm's result with its reference.
struct tensor_unit_check {
    bool passed = false;
    double max_abs_error = 0;                 ///< largest modulus of result - reference
    double max_rel_error = 0;                 ///< max_abs_error / largest modulus of the reference
    double worst_of_bound = 0;                ///< largest ratio of an element's error, or residual, to its bound
    double bound = 0;                         ///< of that element; 0: equal
    std::string bounded;                      ///< what the bound is, for reports
    std::optional<double> backward_error;     ///< of a solution: largest |b - A x| / (|A| |x| + |b|) of an equation
    std::optional<std::uint64_t> first_wrong; ///< index; the shorter length when lengths differ
};

/// Compares the values that run() gave with the reference (workloads/result_check.h has the rules).
///
/// Whole numbers and graphs must be equal. Other results have a bound per element; u = 2^-53 (sums in f32, `word`:
/// 2^-24), gamma_k = k u / (1 - k u); complex numbers round twice as often, by sqrt(2) as much; all bounds have a
/// factor 1.01 for our own rounding.
///
///     products           gamma_(r+2) sum |a| |b|, r products per sum
///     recursive ones     E u max|A| max|B|; E follows the scheme: a sum of t blocks rounds t - 1 times, and what a
///                        product is off counts in every sum it enters (Strassen: N. Higham, Accuracy and Stability,
///                        2nd edition, section 23.2.2)
///     transforms         gamma_k sum |x|, k the roundings on the path through all levels
///     stencil            gamma_k (sum |w|)^sweeps sum |x| over a block's surroundings; by sweeps: gamma_(10 sweeps)
///                        times the same sweeps of |w| over |x|
///     polynomials        gamma_k sum |a_i| |x|^i, k the roundings of Horner's rule, over columns or coefficients
///     elimination        residual of L U = A: gamma_(n+4) |L| |U|, and what it becomes when L is computed from U
///     solution           residual b - A x: gamma_(3(n+q+4)) (|L| |U| |x| + |b|): backward stable (ibid., theorem 9.4),
///                        whatever the condition of A
tensor_unit_check check_values(const tensor_unit_algorithm& algorithm, const tensor_unit_problem& problem,
                               const std::vector<tensor_unit_input>& inputs, const tensor_unit_values& found,
                               std::uint64_t side, base::element_type word = base::element_type::f64);

} // namespace tensorloom::workloads
