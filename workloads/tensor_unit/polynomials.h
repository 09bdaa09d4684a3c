#pragma once
#include <cstdint>
#include <vector>
#include <tensorloom/workloads/mmv/program_builder.h>
#include <tensorloom/workloads/tensor_unit/result.h>

namespace tensorloom::workloads {

// Products and values of polynomials; a long integer is a polynomial in the base of its limbs.

// ---- products of long integers that are not negative ----
//
// Both numbers have n limbs of kappa / 4 bits, the lowest first; the result has 2 n. kappa: bits of a word of the model
// (arXiv 1908.06649, section 4.7), of which one is the sign here. Format: int64, which holds words of up to 64 bits.

inline constexpr std::uint64_t largest_kappa = 64;
constexpr unsigned limb_bits(std::uint64_t kappa) { return static_cast<unsigned>(kappa / 4); }
/// The most products of two limbs whose sum fits in a word: n (2^(kappa/4) - 1)^2 < 2^(kappa-1).
std::uint64_t most_limb_products(std::uint64_t kappa);
/// Throws base::input_error unless kappa is a multiple of 4 from 4 to 64.
void require_kappa(std::uint64_t kappa);
/// Throws base::input_error unless sums of products fit in a word, of numbers that are halved while they have more than
/// `cutoff` limbs.
void require_limbs(std::uint64_t limbs, std::uint64_t cutoff, std::uint64_t kappa);

/// Theorem 9: the convolution of the limbs. Row i of the left operand is a[i], a[i-1], .. (all n + q - 1 rows overlap
/// in memory, shifted by a limb); column j of the weights is b[jq], b[jq+1], ..; each result is added to its limb, then
/// carries are propagated. (The paper's left rows, A[n-i-1], A[n-i-2], .., are not a convolution; with A[n-i-1],
/// A[n-i], .. its form is the mirror image of this one.)
tensor_unit_result long_product(mmv_session& session, const tensor_unit_terms& terms, const tensor_unit_values& x,
                                const tensor_unit_values& y, std::uint64_t limbs, std::uint64_t kappa = largest_kappa);

/// Theorem 10 (Karatsuba): three products of halves, x0 y0, x1 y1 and |x1 - x0| |y1 - y0|, down to `cutoff` limbs, then
/// theorem 9. 8 limb operations per limb and division. Signs are multiplied on the scalar unit, without branches.
tensor_unit_result karatsuba_product(mmv_session& session, const tensor_unit_terms& terms, const tensor_unit_values& x,
                                     const tensor_unit_values& y, std::uint64_t limbs, std::uint64_t cutoff,
                                     std::uint64_t kappa = largest_kappa);

/// The convolution on the scalar unit: n^2 multiply-adds of 2 operations, and carries.
tensor_unit_result long_product_scalar(mmv_session& session, const tensor_unit_values& x, const tensor_unit_values& y,
                                       std::uint64_t limbs, std::uint64_t kappa = largest_kappa);

/// Karatsuba's recursion on the scalar unit, the convolution below the cut-off; 8 operations per limb and division.
tensor_unit_result karatsuba_product_scalar(mmv_session& session, const tensor_unit_values& x,
                                            const tensor_unit_values& y, std::uint64_t limbs, std::uint64_t cutoff,
                                            charge_table charges = charge_table::v1,
                                            std::uint64_t kappa = largest_kappa);

/// The number modulo 2^31 - 1, of limbs of 16 bits.
std::uint64_t residue_of_limbs(const std::vector<std::int64_t>& limbs);

// ---- values ----

/// Modulus of evaluations: small enough that sums of products stay far within a word.
inline constexpr std::int64_t evaluation_modulus = 1009;

/// Theorem 11: a polynomial of n coefficients, the lowest first, at p points, all mod 1009. Row i of the left operand
/// is 1, p_i, .., p_i^(q-1); column j of the weights has coefficients jq, jq + 1, ..; results are summed with p_i^(jq)
/// on the scalar unit (the paper prints x^(jq) in its proof). Format: int64, values 0 to 1008.
tensor_unit_result evaluate_polynomial(mmv_session& session, const tensor_unit_terms& terms,
                                       const tensor_unit_values& coefficients, const tensor_unit_values& points);

/// Horner's rule for all points at once on the scalar unit: 2 operations per coefficient and point.
tensor_unit_result evaluate_polynomial_scalar(mmv_session& session, const tensor_unit_values& coefficients,
                                              const tensor_unit_values& points);

/// Theorem 11 without a modulus: the same operands, but only powers that a coefficient needs, up to p_i^q, and columns
/// of the product are summed from the highest one on by Horner's rule in p_i^q (2 operations each; the paper's powers
/// p_i^(jq) take 3), so that no power overflows that the value does not contain. Formats: f64, f32, int64.
tensor_unit_result evaluate_plain_polynomial(mmv_session& session, const tensor_unit_terms& terms,
                                             const tensor_unit_values& coefficients, const tensor_unit_values& points);

/// Its baseline: Horner's rule.
tensor_unit_result evaluate_plain_polynomial_scalar(mmv_session& session, const tensor_unit_values& coefficients,
                                                    const tensor_unit_values& points);

} // namespace tensorloom::workloads
