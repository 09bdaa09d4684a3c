#pragma once
#include <cstdint>
#include <vector>
#include <tensorloom/workloads/tensor_unit/algorithms.h>

namespace tensorloom::workloads {

// Default inputs of algorithms, and reference results.

using tensor_unit_inputs = std::vector<tensor_unit_input>;

// ---- default inputs: small whole numbers, the same on every machine ----
//
//     lin(n, k)[i] = (7919 k i + 13) mod 23 - 11

std::vector<std::int64_t> lin_numbers(std::uint64_t n, std::int64_t k);

tensor_unit_inputs square_operands(const tensor_unit_problem&);      ///< A = lin(N^2, 1), B = lin(N^2, 3)
tensor_unit_inputs rectangular_operands(const tensor_unit_problem&); ///< first r columns of A, first r rows of B
tensor_unit_inputs
sparse_operands(const tensor_unit_problem&); ///< A[i][5i mod N] = 1 + i mod 4, B[i][7i mod N] = 1 + i mod 3
tensor_unit_inputs equations(const tensor_unit_problem&); ///< lin / 11 + 4N on the diagonal; last row 0
tensor_unit_inputs
equations_and_right_side(const tensor_unit_problem&); ///< A = lin / 11 + 4N on the diagonal; lin(N, 3)
/// i with (2654435761 i >> 7) mod N = 0: about one per vertex. With a number of edges the first ones of these, or these
/// and pairs drawn at random.
tensor_unit_inputs directed_edges(const tensor_unit_problem&);
/// v and (v v + 1) mod v, v >= 1: N - 1 edges; with a number of edges these and pairs drawn at random.
tensor_unit_inputs connected_edges(const tensor_unit_problem&);
std::uint64_t count_directed_edges(const tensor_unit_inputs&);
std::uint64_t count_undirected_edges(const tensor_unit_inputs&); ///< each is two elements of the matrix
tensor_unit_inputs complex_signal(const tensor_unit_problem&);   ///< lin(N, 1) + i lin(N, 3)
tensor_unit_inputs
grid_and_cross(const tensor_unit_problem&); ///< lin(N^2, 1); a point and its four neighbours, weights 1
tensor_unit_inputs two_long_numbers(const tensor_unit_problem&); ///< limbs 40503 i + 7, 25173 i + 13849 mod 2^(kappa/4)
tensor_unit_inputs polynomial_and_points(const tensor_unit_problem&);       ///< (101 i + 3), (37 i + 5) mod 1009
tensor_unit_inputs plain_polynomial_and_points(const tensor_unit_problem&); ///< lin(N, 1); -1, 0, 1 in turn

// ---- reference results by plain loops on the host, independent of the programs; integer operands give integers ----

tensor_unit_values product_reference(const tensor_unit_problem&, const tensor_unit_inputs&);
tensor_unit_values elimination_reference(const tensor_unit_problem&,
                                         const tensor_unit_inputs&); ///< row by row, unblocked
tensor_unit_values solution_reference(const tensor_unit_problem&,
                                      const tensor_unit_inputs&); ///< long double, with column pivots
tensor_unit_values closure_reference(const tensor_unit_problem&,
                                     const tensor_unit_inputs&); ///< a search from every vertex
tensor_unit_values distances_reference(const tensor_unit_problem&, const tensor_unit_inputs&); ///< breadth first
tensor_unit_values fourier_reference(const tensor_unit_problem&,
                                     const tensor_unit_inputs&); ///< by the smallest prime factors
tensor_unit_values inverse_fourier_reference(const tensor_unit_problem&, const tensor_unit_inputs&);
tensor_unit_values stencil_reference(const tensor_unit_problem&, const tensor_unit_inputs&); ///< sweep by sweep
tensor_unit_values long_product_reference(const tensor_unit_problem&,
                                          const tensor_unit_inputs&); ///< schoolbook, a carry per step
tensor_unit_values polynomial_reference(const tensor_unit_problem&,
                                        const tensor_unit_inputs&); ///< powers of every point
/// Horner's rule in long double, in which whole values of a word are exact.
tensor_unit_values plain_polynomial_reference(const tensor_unit_problem&, const tensor_unit_inputs&);

} // namespace tensorloom::workloads
