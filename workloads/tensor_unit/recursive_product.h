#pragma once
#include <cstdint>
#include <tensorloom/workloads/mmv/machine.h>
#include <tensorloom/workloads/tensor_unit/cost.h>
#include <tensorloom/workloads/tensor_unit/result.h>
#include <tensorloom/workloads/tensor_unit/values.h>

namespace tensorloom::workloads {

// Theorem 1: N x N products by recursion over halves, down to q x q, which is one call. N = q 2^k, or N <= q (a call,
// padded). Formats: int64, int32, f64, c128. A Strassen product in f64 has a larger error than the plain one, and sums
// of integers need two bits more per level.

/// 7 products of halves and 18 sums per level: time 7^k (m + l) + 6 m (7^k - 4^k).
tensor_unit_result strassen_product(mmv_machine& machine, call_shape shape, const tensor_unit_values& a,
                                    const tensor_unit_values& b, std::uint64_t size);

/// 8 products of halves and 4 sums per level: time 8^k (m + l) + m (8^k - 4^k).
tensor_unit_result eightfold_product(mmv_machine& machine, call_shape shape, const tensor_unit_values& a,
                                     const tensor_unit_values& b, std::uint64_t size);

/// True when the recursion ends in whole tiles.
bool halves_to_tiles(std::uint64_t size, std::uint64_t side);
/// Throws arch::input_error when it does not.
void require_recursive_size(std::uint64_t size, std::uint64_t side);

} // namespace tensorloom::workloads
