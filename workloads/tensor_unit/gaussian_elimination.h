#pragma once
#include <cstdint>
#include <vector>
#include <tensorloom/workloads/mmv/program_builder.h>
#include <tensorloom/workloads/tensor_unit/result.h>

namespace tensorloom::workloads {

// Theorem 4: forward elimination without pivoting of an N x N matrix X, q | N: N - 1 equations, the right side in the
// last column, the last row 0. Per block column: the diagonal block, the blocks right of it and below it on the scalar
// unit, the rest by one call per block column with all rows below. The corrected lines are X <- X - (X X) / X; the
// printed ones have the opposite sign. Formats: f64, f32. Pivots are checked after the elimination.

/// Throws base::input_error unless q divides the size.
void require_elimination_size(std::uint64_t size, std::uint64_t side);

/// Throws base::input_error for the first pivot of an eliminated N x N matrix that is 0 or not finite.
void require_pivots(const std::vector<double>& eliminated, std::uint64_t size);

/// The upper triangle of X after forward elimination; 0 below.
tensor_unit_result eliminate_forward(mmv_session& session, call_shape shape, const tensor_unit_values& x,
                                     std::uint64_t size);

/// The same by one instruction of the scalar unit for the whole matrix.
tensor_unit_result eliminate_forward_scalar(mmv_session& session, const tensor_unit_values& x, std::uint64_t size);

/// Solves A x = b, n unknowns: forward elimination (padded with equations x_i = 0 to a multiple of q), then back
/// substitution on the scalar unit: 2 operations per known term and per quotient, and one per unknown. Throws
/// base::input_error if a pivot is 0 or the result is not finite.
tensor_unit_result solve_by_elimination(mmv_session& session, call_shape shape, const tensor_unit_values& a,
                                        const tensor_unit_values& b, std::uint64_t unknowns);

/// The same with one instruction of the scalar unit for the elimination of n + 1 rows.
tensor_unit_result solve_by_elimination_scalar(mmv_session& session, const tensor_unit_values& a,
                                               const tensor_unit_values& b, std::uint64_t unknowns);

} // namespace tensorloom::workloads
