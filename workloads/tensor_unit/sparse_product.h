#pragma once
#include <cstdint>
#include <tensorloom/workloads/mmv/program_builder.h>
#include <tensorloom/workloads/tensor_unit/result.h>
#include <tensorloom/workloads/tensor_unit/tensor_unit_program.h>

namespace tensorloom::workloads {

// Products of sparse matrices by compressed dense ones, on the tensor unit.

/// Theorem 3: the product of two sparse N x N matrices whose product has about Z non-zeros. Exact, in rounds of
/// compressed products.
///
/// A round hashes rows of A and columns of B into K buckets (K = sketch_side()), with weights 1, row number and a
/// random one; four dense products on the tensor unit give per pair of buckets the sum V of its results, their sums by
/// row number I and column number J, and by random weights R. Results that are alone in their bucket show as V | I, V |
/// J and R = r1 r2 V; they are subtracted in the rounds after, until nothing is left. This replaces the compression
/// that the paper cites. Hashing, subtraction and recovery are done by the host library between programs: 6 operations
/// per non-zero of A and B, 8 per known result, 6 per bucket, each round.
///
/// A Z that is too small takes more rounds; so may another `seed` of the hashing, since rows and columns then meet in
/// other buckets. Formats: int64. Throws base::input_error when 64 rounds do not find everything.
tensor_unit_result sparse_product(mmv_session& session, call_shape shape, const tensor_unit_values& a,
                                  const tensor_unit_values& b, std::uint64_t size, std::uint64_t nonzeros,
                                  std::uint64_t seed = 1);

/// The same on the scalar unit: a multiply-add per pair of non-zeros that meet, 2 operations each.
tensor_unit_result sparse_product_scalar(mmv_session& session, const tensor_unit_values& a, const tensor_unit_values& b,
                                         std::uint64_t size);

} // namespace tensorloom::workloads
