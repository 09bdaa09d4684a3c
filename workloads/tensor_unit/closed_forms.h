#pragma once
#include <cstdint>
#include <tensorloom/workloads/tensor_unit/result.h>
#include <tensorloom/workloads/tensor_unit/fourier_transform.h>
#include <tensorloom/workloads/tensor_unit/matrix_product.h>
#include <tensorloom/workloads/tensor_unit/polynomials.h>
#include <tensorloom/workloads/tensor_unit/recursive_product.h>

namespace tensorloom::workloads {

// Calls, rows and processor operations of every algorithm in closed form, q the side of the array, for sizes that the
// algorithm supports. Source: arXiv 1908.06649 with its exact constants; processor operations by a charge table.

tensor_unit_cost product_cost(const product_size& size, std::uint64_t side, call_shape shape);
/// For k divisions down to a leaf L: p0^k products by theorem 2 and sums x sum over j < k of p0^j (N / n0^(j+1))^2.
tensor_unit_cost recursive_cost(const product_scheme& scheme, std::uint64_t size, std::uint64_t cutoff,
                                std::uint64_t side, call_shape shape);
/// The leaf, q n0^j or N, with the least time; the smallest one of equal ones.
std::uint64_t best_leaf(const product_scheme& scheme, std::uint64_t size, std::uint64_t side, call_shape shape,
                        std::uint64_t latency);
/// `known`: sum over the rounds of the results known before each.
tensor_unit_cost sparse_cost(std::uint64_t size, std::uint64_t side, call_shape shape, std::uint64_t nonzeros,
                             std::uint64_t nonzeros_of_operands, std::uint64_t rounds, std::uint64_t known);
tensor_unit_cost elimination_cost(std::uint64_t size, std::uint64_t side, call_shape shape);
/// N equations, padded to whole tiles with their right sides, and back-substitution.
tensor_unit_cost solution_cost(std::uint64_t unknowns, std::uint64_t side, call_shape shape);
tensor_unit_cost closure_cost(std::uint64_t vertices, std::uint64_t side, const tensor_unit_terms& terms);
/// 2 products and 6 n^2 operations in each of distance_levels().
tensor_unit_cost distances_cost(std::uint64_t vertices, std::uint64_t side, call_shape shape);
/// The same with recursive products: 7^k leaves and 18 sums of blocks per division in each.
tensor_unit_cost recursive_distances_cost(const product_scheme& scheme, std::uint64_t vertices, std::uint64_t cutoff,
                                          std::uint64_t side, call_shape shape);
tensor_unit_cost fourier_cost(std::uint64_t batch, std::uint64_t points, std::uint64_t side,
                              const tensor_unit_terms& terms, fourier_direction direction);
/// Forward transforms of squares along both sides, with two transpositions.
tensor_unit_cost fourier_squares_cost(std::uint64_t batch, std::uint64_t points, std::uint64_t side,
                                      const tensor_unit_terms& terms);
tensor_unit_cost stencil_cost(std::uint64_t size, std::uint64_t sweeps, std::uint64_t side,
                              const tensor_unit_terms& terms);
tensor_unit_cost long_product_cost(std::uint64_t limbs, std::uint64_t side, const tensor_unit_terms& terms);
tensor_unit_cost karatsuba_cost(std::uint64_t limbs, std::uint64_t cutoff, std::uint64_t side,
                                const tensor_unit_terms& terms);
tensor_unit_cost polynomial_cost(std::uint64_t coefficients, std::uint64_t points, std::uint64_t side,
                                 const tensor_unit_terms& terms);
/// Without a modulus: K = ceil(n / q) columns, 2 operations each and point; min(n, q) - 1 powers per point, one more
/// for K > 1.
tensor_unit_cost plain_polynomial_cost(std::uint64_t coefficients, std::uint64_t points, std::uint64_t side,
                                       const tensor_unit_terms& terms);

// ---- baselines on the processor only ----

/// Radix 2: 3 N / 2 operations in each of log2 N levels, and N moves; N operations more for an inverse.
tensor_unit_cost radix_2_cost(std::uint64_t points, fourier_direction direction,
                              charge_table charges = charge_table::v1);
/// Karatsuba: 3^k convolutions of 2 n^2 + 6 n; 8 n per division, and moves: 2 n if n is even, else 3 n + 1.
tensor_unit_cost scalar_karatsuba_cost(std::uint64_t limbs, std::uint64_t cutoff,
                                       charge_table charges = charge_table::v1);
/// The cut-off with the fewest operations for numbers of `limbs` limbs whose sums of products fit in words of kappa
/// bits; the largest one of equal ones.
std::uint64_t best_scalar_karatsuba_cutoff(std::uint64_t limbs, charge_table charges = charge_table::v1,
                                           std::uint64_t kappa = largest_kappa);
/// After an elimination: 2 operations per known term, quotient and equation, one more per unknown.
std::uint64_t back_substitution_operations(std::uint64_t unknowns);

// ---- terms of the closed forms ----

/// Inner updates of an elimination of n x n: (n-1) n (2n-1) / 6.
std::uint64_t elimination_updates(std::uint64_t n);
/// max(1, ceil(log2 n)): recursion levels of the distances.
std::uint64_t distance_levels(std::uint64_t vertices);
/// Buckets of rows, and of columns, for a sparse product of Z non-zeros: max(q, q ceil(ceil(sqrt(3Z)) / q)).
std::uint64_t sketch_side(std::uint64_t nonzeros, std::uint64_t side);
/// The smallest power of two >= n.
std::uint64_t transform_side(std::uint64_t n);
/// True for q^a r with r a divisor of q.
bool is_fourier_size(std::uint64_t points, std::uint64_t side);
/// ceil(log_q N).
std::uint64_t fourier_levels(std::uint64_t points, std::uint64_t side);

} // namespace tensorloom::workloads
