#pragma once
#include <cstddef>
#include <cstdint>

namespace tensorloom::arithmetic {

/// Tiles of a matrix product, one below the other: C(i, j) (+)= sum over t of A(i, t) B(t, j), t ascending.
template <class R> struct gemm_tiles {
    /// Of the first tile A(i, t) = at[i * row + t * step].
    struct left_factor {
        const R* at = nullptr;
        std::ptrdiff_t row = 0;
        std::ptrdiff_t step = 0;
        std::ptrdiff_t tile = 0; ///< from one tile to the next one
    };
    /// B(t, j) = at[t * step + j].
    struct right_factor {
        const R* at = nullptr;
        std::ptrdiff_t step = 0;
    };
    /// Of the first tile C(i, j) = at[i * row + j].
    struct sums {
        R* at = nullptr;
        std::ptrdiff_t row = 0; ///< also from one tile's last row to the next one's first
    };
    /// Additional work of a single tile on B.
    struct scan {
        std::uint64_t* counts = nullptr; ///< if any, counts[t * count_step] += how many of B(t, j) are not zero
        std::ptrdiff_t count_step = 0;
        R* packed = nullptr; ///< with counts: if any, B(t, j) is copied to packed[t * packed_step + j]
        std::ptrdiff_t packed_step = 0;
    };
    /// Data to prefetch into the cache, `step` further with every term.
    struct fetch {
        const R* at = nullptr; ///< any address where no tile fetches
        std::ptrdiff_t step = 0;
        std::ptrdiff_t tile = 0; ///< distance between the prefetches of two tiles
        std::size_t tiles = 0;   ///< the first tiles, that fetch
    };

    std::size_t count = 1;
    std::size_t rows = 0;    ///< of each; at least 1, at most the kernel's tile_rows
    std::size_t columns = 0; ///< at least 1, at most the kernel's tile_columns; nothing is read or written after them
    std::size_t terms = 0;
    left_factor a;
    right_factor b;
    sums c;
    scan scanned;
    bool accumulate = false; ///< otherwise sums start from +0
    fetch ahead;
};

/// The innermost loops of dense products, for one instruction set. All kernels give the same bits: one fused
/// multiply-add per term, in order. The floating-point flags that the arithmetic raises stay raised.
template <class R> struct gemm_kernel {
    const char* name; ///< "portable", "avx2", "avx512"
    std::size_t tile_rows;
    std::size_t tile_columns;
    std::size_t vector_columns; ///< numbers in a vector

    /// True when every sum is finite.
    bool (*multiply)(const gemm_tiles<R>& tiles);

    // Elements of two parts, re[k] and im[k] (for real elements the same array twice). An element is zero when both
    // parts are (-0 too; NaN is not).

    /// counts[rows[t]] += how many of the n elements from rows[t] * row on are not zero, for t < count.
    void (*count_rows)(const R* re, const R* im, std::size_t row, const std::uint32_t* rows, std::size_t count,
                       std::size_t n, std::uint64_t* counts);
    /// counts[k] += how many of the elements k, k + row, k + 2 row, ... (`rows` of them) are not zero, for k < n.
    void (*count_columns)(const R* re, const R* im, std::size_t row, std::size_t rows, std::size_t n,
                          std::uint32_t* counts);

    static const gemm_kernel portable, avx2, avx512;
};

template <> const gemm_kernel<double> gemm_kernel<double>::portable;
template <> const gemm_kernel<double> gemm_kernel<double>::avx2;
template <> const gemm_kernel<double> gemm_kernel<double>::avx512;
template <> const gemm_kernel<float> gemm_kernel<float>::portable;
template <> const gemm_kernel<float> gemm_kernel<float>::avx2;
template <> const gemm_kernel<float> gemm_kernel<float>::avx512;

} // namespace tensorloom::arithmetic
