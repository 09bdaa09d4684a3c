#pragma once
#include <cstddef>
#include <cstdint>

namespace tensorloom::arithmetic {

/// Rows of integers times a panel of a matrix: z(r, j) = sum over t of x(r, t) w(t, j), all sums from 0; x(r, t) = x[r
/// * x_row + t], w(t, j) = weights[t * panel + j], where panel is `columns`, rounded up to whole vectors.
template <class Word> struct integer_rows {
    std::size_t rows = 0;
    std::size_t terms = 0;
    std::size_t columns = 0; ///< 1 to the kernel's panel_columns; nothing is written after them
    const Word* x = nullptr;
    std::ptrdiff_t x_row = 0;
    const Word* weights = nullptr;
    Word* z = nullptr; ///< or x itself, with z_row = x_row
    std::ptrdiff_t z_row = 0;
};

/// Bounds of some numbers.
template <class Word> struct integer_range {
    Word least = 0;
    Word most = 0;
};

/// The innermost loops of products of rows of integers, for one instruction set. Sums wrap, so all kernels give the
/// same bits.
template <class Word> struct integer_rows_kernel {
    const char* name; ///< "portable", "avx2", "avx512"
    std::size_t panel_columns;
    std::size_t vector_columns; ///< numbers in a vector

    void (*multiply)(const integer_rows<Word>& product);
    /// Of rows of n numbers, and of 0.
    integer_range<Word> (*range)(const Word* x, std::ptrdiff_t x_row, std::size_t rows, std::size_t n);

    static const integer_rows_kernel portable, avx2, avx512;
};

template <> const integer_rows_kernel<std::int32_t> integer_rows_kernel<std::int32_t>::portable;
template <> const integer_rows_kernel<std::int32_t> integer_rows_kernel<std::int32_t>::avx2;
template <> const integer_rows_kernel<std::int32_t> integer_rows_kernel<std::int32_t>::avx512;
template <> const integer_rows_kernel<std::int64_t> integer_rows_kernel<std::int64_t>::portable;
template <> const integer_rows_kernel<std::int64_t> integer_rows_kernel<std::int64_t>::avx2;
template <> const integer_rows_kernel<std::int64_t> integer_rows_kernel<std::int64_t>::avx512;

} // namespace tensorloom::arithmetic
