#pragma once
#include <cstdint>
#include <tensorloom/models/arithmetic/word_operations.h>
#include <tensorloom/models/blocks/strided_words.h>

namespace tensorloom::mmv {

/// Blocks of a matrix in the scratchpad that take part in a step of elimination or closure: z is rows x columns; the
/// inner update of z[i][j] in step t takes left[i][t] and right[t][j]. Any of them may be z, whose elements change as
/// the steps go on.
template <class W> struct block_triple {
    blocks::strided_words<W> z, left, right;
    std::uint32_t rows = 0, columns = 0;
};

/// Gaussian elimination, forward. Source: (m,l)-TCU (arXiv 1908.06649), theorem 4, with the sign corrected.
///
///     z[i][j] = z[i][j] - (left[i][t] * right[t][j]) / pivots[t][t]      t < steps; all i, or i > t; all j, or j > t
///
/// One product, one quotient, one difference, each rounded. Returns the updates.
inline std::uint64_t eliminate(const block_triple<double>& b, const blocks::strided_words<double>& pivots,
                               std::uint32_t steps, bool all_rows, bool all_columns)
{
    std::uint64_t updates = 0;
    for (std::uint32_t t = 0; t < steps; ++t) {
        const auto pivot = pivots(0, t);
        const auto right = b.right(0, t);
        for (std::uint32_t i = all_rows ? 0 : t + 1; i < b.rows; ++i) {
            const auto left = b.left(0, i);
            const auto z = b.z(0, i);
            for (std::uint32_t j = all_columns ? 0 : t + 1; j < b.columns; ++j, ++updates) {
                z[j] = arithmetic::canonical(z[j] - (left[t] * right[j]) / pivot[t]);
            }
        }
    }
    return updates;
}

/// Transitive closure of flags. Source: (m,l)-TCU (arXiv 1908.06649), theorem 5.
///
///     z[i][j] = z[i][j] or (left[i][t] and right[t][j])      t < steps, all i, j
///
/// Returns the updates.
template <class W> std::uint64_t close(const block_triple<W>& b, std::uint32_t steps)
{
    for (std::uint32_t t = 0; t < steps; ++t) {
        const auto right = b.right(0, t);
        for (std::uint32_t i = 0; i < b.rows; ++i) {
            const auto left = b.left(0, i);
            const auto z = b.z(0, i);
            for (std::uint32_t j = 0; j < b.columns; ++j) {
                z[j] = W(z[j] != W(0) || (left[t] != W(0) && right[j] != W(0)) ? 1 : 0);
            }
        }
    }
    return std::uint64_t{steps} * b.rows * b.columns;
}

} // namespace tensorloom::mmv
