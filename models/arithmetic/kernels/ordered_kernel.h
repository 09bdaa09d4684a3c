#pragma once
#include <cstddef>
#include <vector>

namespace tensorloom::arithmetic {

struct psum_f32;
struct psum_bf16;

/// A tile of an ordered product (arithmetic/ordered_product.h): A(i, t) = a[i * a_row + t * a_term], B(t, j) = b[t *
/// b_term + j], Y(i, j) = y[i * y_row + j].
struct ordered_tile {
    std::size_t rows = 0;    ///< at least 1, at most the kernel's tile_rows
    std::size_t columns = 0; ///< at least 1, at most the kernel's tile_columns; nothing is read or written behind them
    std::size_t terms = 0;
    std::size_t length = 0; ///< of a chain
    unsigned levels = 0;    ///< of the tree, at most max_levels: of 2^levels parts
    const float* a = nullptr;
    std::ptrdiff_t a_row = 0;
    std::ptrdiff_t a_term = 0;
    const float* b = nullptr;
    std::ptrdiff_t b_term = 0;
    float* y = nullptr;
    std::ptrdiff_t y_row = 0;
    bool accumulate = false;

    static constexpr unsigned max_levels = 6;
};

/// The innermost loops of ordered products, for one instruction set and one kind of sums. All of a kind give the same
/// bits.
struct ordered_kernel {
    const char* name; ///< "portable", "avx2", "avx512"
    std::size_t tile_rows;
    std::size_t tile_columns;
    std::size_t vector_columns; ///< numbers in a vector
    void (*multiply)(const ordered_tile& tile);
};

/// The fastest kernel that this machine runs. Psum: psum_f32, psum_bf16.
template <class Psum> const ordered_kernel& best_ordered_kernel();
/// Every kernel that this machine runs, the portable one first (for tests and benchmarks).
template <class Psum> std::vector<const ordered_kernel*> ordered_kernels();

} // namespace tensorloom::arithmetic
