#pragma once
#include <cstddef>

namespace tensorloom::arithmetic {

struct psum_f32;
struct psum_bf16;

/// A tile of an ordered product (arithmetic/ordered_product.h): A(i, t) = a[a_row[i] + a_term[t]], B(t, j) =
/// b[b_term[t] + j], Y(i, j) = y[y_row[i] + j].
struct ordered_tile {
    std::size_t rows = 0;    ///< at least 1, at most the kernel's tile_rows
    std::size_t columns = 0; ///< at least 1, at most the kernel's tile_columns; nothing is read or written after them
    std::size_t terms = 0;
    std::size_t length = 0; ///< of a chain
    unsigned levels = 0;    ///< of the tree, at most max_levels: of 2^levels parts
    const float* a = nullptr;
    const std::ptrdiff_t* a_row = nullptr;
    const std::ptrdiff_t* a_term = nullptr;
    const float* b = nullptr;
    const std::ptrdiff_t* b_term = nullptr;
    float* y = nullptr;
    const std::ptrdiff_t* y_row = nullptr;
    bool accumulate = false;
    /// Unless b_step is 0, a_term[t] = t a_step and b_term[t] = t b_step; wide tiles use that instead.
    std::ptrdiff_t a_step = 0, b_step = 0;

    static constexpr unsigned max_levels = 6;
};

/// The innermost loops of ordered products, for one instruction set and one kind of sums. All of a kind give the same
/// bits. Psum: psum_f32, psum_bf16.
template <class Psum> struct ordered_kernel {
    const char* name; ///< "portable", "avx2", "avx512"
    std::size_t tile_rows;
    std::size_t tile_columns;
    std::size_t vector_columns; ///< numbers in a vector
    void (*multiply)(const ordered_tile& tile);

    static const ordered_kernel portable, avx2, avx512;
};

template <> const ordered_kernel<psum_f32> ordered_kernel<psum_f32>::portable;
template <> const ordered_kernel<psum_f32> ordered_kernel<psum_f32>::avx2;
template <> const ordered_kernel<psum_f32> ordered_kernel<psum_f32>::avx512;
template <> const ordered_kernel<psum_bf16> ordered_kernel<psum_bf16>::portable;
template <> const ordered_kernel<psum_bf16> ordered_kernel<psum_bf16>::avx2;
template <> const ordered_kernel<psum_bf16> ordered_kernel<psum_bf16>::avx512;

} // namespace tensorloom::arithmetic
