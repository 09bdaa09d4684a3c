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

/// Which blocks of a block-sparse attention matrix hold elements (Big Bird, arXiv 2007.14062; MMV-RAM, section 5.2.3).
/// The matrix is square, in blocks of `block` x `block` elements. The first and the last row and column of blocks are
/// global: full. Any other row of blocks also has its window, the block on the diagonal and its neighbours, and
/// `random_blocks` others.
struct attention_pattern {
    std::uint64_t block = 0;
    std::uint64_t random_blocks = 0; ///< per row of blocks that is not global

    /// The rows of blocks that the pattern needs at least: global, window and random blocks beside each other.
    std::uint64_t least_blocks() const { return 5 + random_blocks; }
    /// Elements of a matrix with so many rows, a multiple of the block that has least_blocks().
    std::uint64_t nonzeros(std::uint64_t rows) const;
};

/// The matrix of a pattern with so many rows, a multiple of the block that has least_blocks(); its random blocks are
/// uniformly distributed over those that the row of blocks has no other use for. Values as random_values().
template <class T>
csr_matrix<T> attention_matrix(std::uint64_t rows, const attention_pattern& pattern, std::uint64_t seed,
                               unsigned bits = 0);

} // namespace tensorloom::workloads
