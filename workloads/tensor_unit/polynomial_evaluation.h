#pragma once
#include <cstdint>
#include <tensorloom/workloads/mmv/runtime.h>
#include <tensorloom/workloads/tensor_unit/result.h>

namespace tensorloom::workloads {

/// What polynomials are evaluated modulo: small enough that sums of products stay far from the range of a word.
inline constexpr std::int64_t evaluation_modulus = 1009;

/// Theorem 11: a polynomial of n coefficients, the lowest first, at p points, all mod 1009.
///
/// Row i of the left operand is 1, p_i, .., p_i^(q-1); column j of the weights has coefficients jq, jq + 1, ..; results
/// are summed with p_i^(jq) on the scalar unit (the paper prints x^(jq) in its proof). Format: int64; coefficients and
/// points are 0 to 1008.
tensor_unit_result evaluate_polynomial(mmv_runtime& runtime, call_shape shape, const tensor_unit_values& coefficients,
                                       const tensor_unit_values& points);

/// Horner's rule for all points at once on the scalar unit: 2 operations per coefficient and point.
tensor_unit_result evaluate_polynomial_scalar(mmv_runtime& runtime, const tensor_unit_values& coefficients,
                                              const tensor_unit_values& points);

} // namespace tensorloom::workloads
