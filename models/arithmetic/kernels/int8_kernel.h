#pragma once
#include <cstddef>
#include <cstdint>

namespace tensorloom::arithmetic {

/// Rounding of sums to operands of 8 bits, and the operands that count as zero.
struct int8_rounding {
    unsigned shift;     ///< right, to nearest even, 0 to 31; then saturated
    std::int32_t small; ///< an operand of at most this magnitude becomes zero; 0 or less: none does
};

/// Counts of operands that are not zero, and that saturated.
struct int8_operand_counts {
    std::uint64_t nonzeros = 0;
    std::uint64_t saturated = 0;
};

/// The innermost loops of products of 8-bit integers, for one instruction set. Two operands, of a pair of terms, share
/// a word: the first in its lower half, the second in its upper half. Sums wrap, so their order is free.
struct int8_kernel {
    const char* name; ///< "portable", "avx2", "avx512"
    unsigned tile_rows;
    unsigned tile_columns;

    /// `rows` <= tile_rows rows and tile_columns columns: c(r, j) (+)= sum over pairs t of a[r * a_row + t] . b[t *
    /// tile_columns + j].
    void (*multiply)(unsigned rows, std::size_t pairs, const std::int32_t* a, std::size_t a_row, const std::int32_t* b,
                     std::int32_t* c, std::size_t c_row, bool accumulate);

    /// Sums of two rows that become the operands of n words, in panels of tile_columns lanes: lane l's is
    /// words[l / tile_columns * panel + l % tile_columns], from `lane` on. Without a second row its operands are zero.
    /// counts[0] and counts[1] grow by what became of either row.
    void (*narrow_rows)(const int8_rounding& rounding, const std::int32_t* first, const std::int32_t* second,
                        std::size_t n, std::int32_t* words, std::size_t lane, std::size_t panel,
                        int8_operand_counts* counts);
    /// Sums that become n operands, neighbours in a word. nonzeros[k] and saturated[k] grow by what became of operand
    /// k.
    void (*narrow_fibre)(const int8_rounding& rounding, const std::int32_t* sums, std::size_t n, std::int32_t* words,
                         std::uint32_t* nonzeros, std::uint32_t* saturated);
    /// The largest magnitude of n numbers.
    std::uint32_t (*largest)(const std::int32_t* x, std::size_t n);

    static const int8_kernel portable, avx2, avx512;
};

} // namespace tensorloom::arithmetic
