#pragma once
#include <cstddef>
#include <cstdint>
#include <vector>

namespace tensorloom::arithmetic {

/// A matrix that a product reads by tiles of rows: A(tile * tile_rows + r, t) = data[tile * tile + r * row + offset[t]].
/// A row-major matrix has row = its row length, tile = tile_rows * row; a matrix packed by tiles has row = 1.
template <class R> struct tiled_rows {
    const R* data = nullptr;
    std::ptrdiff_t tile = 0;
    std::ptrdiff_t row = 0;
    const std::ptrdiff_t* offset = nullptr; ///< one per term of the sum
};

/// A matrix whose rows are contiguous and stand anywhere: B(t, j) = data[offset[t] + j].
template <class R> struct scattered_rows {
    const R* data = nullptr;
    const std::ptrdiff_t* offset = nullptr;
};

/// C(i, j) = data[i * row + j].
template <class R> struct result_rows {
    R* data = nullptr;
    std::ptrdiff_t row = 0;
};

/// The factors of a row of complex multiply-adds: a scalar and a vector.
template <class R> struct complex_row_factors {
    R scalar_re;
    R scalar_im;
    const R* vector_re;
    const R* vector_im;
    bool vector_is_operand; ///< the vector is the tensor operand, the scalar the coefficient; or the other way round
};

/// One innermost kernel: which tile it computes at once, and how.
template <class R> struct gemm_kernel {
    const char* name; ///< "portable", "avx2", "avx512"
    unsigned tile_rows;
    unsigned tile_columns;
    /// `rows` <= tile_rows rows and tile_columns columns: c (+)= sum_t a(r, t) b[t * tile_columns + j], t ascending.
    void (*run)(unsigned rows, std::size_t terms, const R* a, std::ptrdiff_t a_row, const std::ptrdiff_t* a_offset,
                const R* b, R* c, std::ptrdiff_t c_row, bool accumulate);

    // Elements of two parts, re[k] and im[k] (for real elements the same array twice). `finite` becomes false when a part is infinite
    // or NaN, and stays as it is otherwise. An element is zero when both parts are (-0 too).

    /// How many of n elements are not zero.
    std::uint64_t (*scan_row)(const R* re, const R* im, std::size_t n, bool* finite);
    /// counts[k] += element k is not zero.
    void (*scan_columns)(const R* re, const R* im, std::size_t n, std::uint32_t* counts, bool* finite);

    // Multiply-adds one by one (arithmetic/mac.h): a NaN result is canonical, and with `skip_zeros` an element of the vector that is
    // exactly zero leaves its sum as it is.

    /// sum[k] = mac(sum[k], vector[k], scalar).
    void (*mac_row)(R scalar, const R* vector, R* sum, std::size_t n, bool skip_zeros);
    /// The same for complex numbers by parts; which of both factors is the tensor operand decides the order of the four operations.
    void (*mac_row_complex)(const complex_row_factors<R>& factors, R* sum_re, R* sum_im, std::size_t n,
                            bool skip_zeros);
};

/// The fastest kernel that this machine runs. All give the same bits.
template <class R> const gemm_kernel<R>& best_gemm_kernel();
/// Every kernel that this machine runs, the portable one first (for tests and benchmarks).
template <class R> std::vector<const gemm_kernel<R>*> gemm_kernels();

/// C (+)= A B, for real R (float, double): every element is one chain of fused multiply-adds over t = 0, 1, 2, ..., each with one
/// rounding, starting from +0 or, with `accumulate`, from what C holds. The sum is never split: blocks reload the accumulator.
///
/// The floating-point flags that the arithmetic raises stay raised for the caller to test.
template <class R> class ordered_gemm {
public:
    explicit ordered_gemm(const gemm_kernel<R>& kernel = best_gemm_kernel<R>()) : m_kernel(kernel) {}

    const gemm_kernel<R>& kernel() const { return m_kernel; }

    /// Rows of A and C, columns of B and C, terms of each sum.
    struct size {
        std::size_t rows;
        std::size_t columns;
        std::size_t terms;
    };

    /// One product, or several that share B (their As and Cs are given side by side).
    void multiply(const size& n, const tiled_rows<R>* a, const scattered_rows<R>& b, const result_rows<R>* c,
                  std::size_t products, bool accumulate);

private:
    void pack(const size& n, const scattered_rows<R>& b, std::size_t first_column, std::size_t columns);

    const gemm_kernel<R>& m_kernel;
    std::vector<R> m_packed;
};

} // namespace tensorloom::arithmetic
