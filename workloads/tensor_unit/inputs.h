#pragma once
#include <cstdint>
#include <vector>
#include <tensorloom/workloads/tensor_unit/algorithms.h>

namespace tensorloom::workloads {

// The inputs that algorithms take when a user brings none: small whole numbers that repeat everywhere.
//
//     lin(n, k)[i] = (7919 k i + 13) mod 23 - 11

std::vector<std::int64_t> lin_numbers(std::uint64_t n, std::int64_t k);

std::vector<tensor_unit_input> square_operands(const tensor_unit_problem&); ///< A = lin(N^2, 1), B = lin(N^2, 3)
std::vector<tensor_unit_input>
rectangular_operands(const tensor_unit_problem&); ///< first r columns of A, first r rows of B
std::vector<tensor_unit_input>
sparse_operands(const tensor_unit_problem&); ///< A[i][5i mod N] = 1 + i mod 4, B[i][7i mod N] = 1 + i mod 3
std::vector<tensor_unit_input> equations(const tensor_unit_problem&); ///< lin / 11 + 4N on the diagonal; last row 0
std::vector<tensor_unit_input>
directed_edges(const tensor_unit_problem&); ///< (2654435761 i >> 7) mod N = 0: about one per vertex
std::vector<tensor_unit_input> connected_edges(const tensor_unit_problem&); ///< v and (v v + 1) mod v, v >= 1
std::vector<tensor_unit_input> complex_signal(const tensor_unit_problem&);  ///< lin(N, 1) + i lin(N, 3)
std::vector<tensor_unit_input>
grid_and_cross(const tensor_unit_problem&); ///< lin(N^2, 1); a point and its four neighbours, weights 1
std::vector<tensor_unit_input>
two_long_numbers(const tensor_unit_problem&); ///< limbs (40503 i + 7), (25173 i + 13849) mod 65536
std::vector<tensor_unit_input> polynomial_and_points(const tensor_unit_problem&); ///< (101 i + 3), (37 i + 5) mod 1009

} // namespace tensorloom::workloads
