#pragma once
#include <cstdint>
#include <tensorloom/workloads/mmv/program_builder.h>
#include <tensorloom/workloads/tensor_unit/result.h>
#include <tensorloom/workloads/tensor_unit/tensor_unit_program.h>

namespace tensorloom::workloads {

// Products of sparse matrices by compressed dense ones on the tensor unit.

/// Theorem 3: a product, with about Z non-zeros, of two sparse N x N matrices. Exact, in rounds of compressed products.
///
/// A round hashes rows of A and columns of B into K buckets (K = sketch_side()), with weights 1, row number and a
/// random one. Four dense products on the tensor unit give, per pair of buckets, the sum V of its results, their sums
/// by row number I and column number J, and by random weights R. A result that is alone in its bucket satisfies V | I,
/// V | J and R = r1 r2 V; it is subtracted in later rounds, until nothing is left. This replaces the compression cited
/// in the paper. The host library does hashing, subtraction and recovery between programs: 6 operations per non-zero of
/// A and B, 8 per known result, 6 per bucket, each round. The number of rounds grows if Z is too small and depends on
/// the hashing's `seed`. Format: int64. Throws base::input_error if 64 rounds do not find all results.
tensor_unit_result sparse_product(mmv_session& session, call_shape shape, const tensor_unit_values& a,
                                  const tensor_unit_values& b, std::uint64_t size, std::uint64_t nonzeros,
                                  std::uint64_t seed = 1);

/// The same on the scalar unit: a multiply-add per pair of matching non-zeros, 2 operations each.
tensor_unit_result sparse_product_scalar(mmv_session& session, const tensor_unit_values& a, const tensor_unit_values& b,
                                         std::uint64_t size);

} // namespace tensorloom::workloads
