#pragma once
#include <cstdint>
#include <vector>
#include <tensorloom/workloads/csr_matrix.h>

namespace tensorloom::workloads {

// Inputs by formula: small whole numbers, the same on every machine.

/// ((7919 i + 13) mod 23) - 11, i from `first`.
std::vector<std::int64_t> formula_values(std::uint64_t n, std::uint64_t first = 0);
/// (i^2 + 3i) mod 7 = 0.
std::vector<std::uint8_t> formula_flags(std::uint64_t n);
/// (40503 i + 977 which + 5) mod 2^bits; which: 1 left operand, 2 right operand, 3 the vector of spmv.
std::vector<std::int64_t> formula_operand(std::uint64_t n, unsigned which, unsigned bits);
/// Columns of formula_matrix().
inline constexpr std::uint64_t formula_columns = 40;
/// Row r has (r^2 + floor(r/2)) mod 6 elements, number k in column (13 r + 7 k) mod 40, value 1 + (r + 3k) mod 15.
csr_matrix<std::int64_t> formula_matrix(std::uint64_t rows);

// Random inputs: from mt19937_64, the same on every machine.

/// T: int64_t (-8 to 8, or 0 to 2^bits - 1 when bits are given) or double ([-1, 1)).
template <class T> std::vector<T> random_values(std::uint64_t n, std::uint64_t seed, unsigned bits = 0);
/// Each flag is 1 with this probability.
std::vector<std::uint8_t> random_flags(std::uint64_t n, double density, std::uint64_t seed);
/// `nonzeros` elements at distinct, uniformly distributed positions, so rows differ in length and may be empty. Values
/// as random_values(). Throws base::input_error if the matrix has fewer positions.
template <class T>
csr_matrix<T> random_matrix(std::uint64_t rows, std::uint64_t columns, std::uint64_t nonzeros, std::uint64_t seed,
                            unsigned bits = 0);

} // namespace tensorloom::workloads
