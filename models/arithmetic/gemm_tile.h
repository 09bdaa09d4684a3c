#pragma once
#include <cstddef>
#include <cstdint>

// The innermost loops, once for all instruction sets. V is a vector type with static functions; see the gemm_kernel_*.cpp files.
// Everything is in an anonymous namespace on purpose: each translation unit must keep its own copy, compiled for its own machine.
namespace {

/// A tile of Rows x (Vectors vectors): the accumulators stay in registers over the whole sum.
template <class V, unsigned Rows, unsigned Vectors>
void gemm_tile(std::size_t terms, const typename V::real* a, std::ptrdiff_t a_row, const std::ptrdiff_t* a_offset,
               const typename V::real* b, typename V::real* c, std::ptrdiff_t c_row, bool accumulate)
{
    typename V::vector sum[Rows][Vectors];
    for (unsigned r = 0; r < Rows; ++r) {
        for (unsigned v = 0; v < Vectors; ++v) {
            sum[r][v] = accumulate ? V::load(c + static_cast<std::ptrdiff_t>(r) * c_row + v * V::width) : V::zero();
        }
    }
    for (std::size_t t = 0; t < terms; ++t) {
        typename V::vector row[Vectors];
        for (unsigned v = 0; v < Vectors; ++v) { row[v] = V::load(b + v * V::width); }
        b += Vectors * V::width;
        const typename V::real* column = a + a_offset[t];
        for (unsigned r = 0; r < Rows; ++r) {
            const typename V::vector factor = V::broadcast(column[static_cast<std::ptrdiff_t>(r) * a_row]);
            for (unsigned v = 0; v < Vectors; ++v) { sum[r][v] = V::fma(factor, row[v], sum[r][v]); }
        }
    }
    for (unsigned r = 0; r < Rows; ++r) {
        for (unsigned v = 0; v < Vectors; ++v) {
            V::store(c + static_cast<std::ptrdiff_t>(r) * c_row + v * V::width, sum[r][v]);
        }
    }
}

/// The kernel of a tile of MaxRows rows; the last tile of a matrix may have fewer.
template <class V, unsigned MaxRows, unsigned Vectors>
void gemm_tile_rows(unsigned rows, std::size_t terms, const typename V::real* a, std::ptrdiff_t a_row,
                    const std::ptrdiff_t* a_offset, const typename V::real* b, typename V::real* c,
                    std::ptrdiff_t c_row, bool accumulate)
{
    if (rows == MaxRows) {
        gemm_tile<V, MaxRows, Vectors>(terms, a, a_row, a_offset, b, c, c_row, accumulate);
    } else if constexpr (MaxRows > 1) {
        gemm_tile_rows<V, MaxRows - 1, Vectors>(rows, terms, a, a_row, a_offset, b, c, c_row, accumulate);
    }
}

/// The bits of a real number, as an unsigned integer of its size.
template <class R> struct bits_of;
template <> struct bits_of<double> {
    using type = std::uint64_t;
    static constexpr type exponent = 0x7ff0000000000000u;
};
template <> struct bits_of<float> {
    using type = std::uint32_t;
    static constexpr type exponent = 0x7f800000u;
};

template <class R> typename bits_of<R>::type magnitude_bits(const R* at)
{
    typename bits_of<R>::type bits;
    __builtin_memcpy(&bits, at, sizeof bits);
    return bits & (static_cast<typename bits_of<R>::type>(-1) >> 1);
}

template <class R> std::uint64_t scan_row(const R* re, const R* im, std::size_t n, bool* finite)
{
    using bits = typename bits_of<R>::type;
    bits largest = 0;
    bits count = 0;
    for (std::size_t k = 0; k < n; ++k) {
        const bits a = magnitude_bits(re + k);
        const bits b = magnitude_bits(im + k);
        count += (a | b) != 0 ? 1 : 0;
        largest = a > largest ? a : largest;
        largest = b > largest ? b : largest;
    }
    if (largest >= bits_of<R>::exponent) { *finite = false; }
    return count;
}

template <class R> void scan_columns(const R* re, const R* im, std::size_t n, std::uint32_t* counts, bool* finite)
{
    using bits = typename bits_of<R>::type;
    bits largest = 0;
    for (std::size_t k = 0; k < n; ++k) {
        const bits a = magnitude_bits(re + k);
        const bits b = magnitude_bits(im + k);
        counts[k] += (a | b) != 0 ? 1u : 0u;
        largest = a > largest ? a : largest;
        largest = b > largest ? b : largest;
    }
    if (largest >= bits_of<R>::exponent) { *finite = false; }
}

template <class R> R fused(R x, R y, R sum)
{
    if constexpr (sizeof(R) == sizeof(double)) {
        return __builtin_fma(x, y, sum);
    } else {
        return __builtin_fmaf(x, y, sum);
    }
}

/// The canonical quiet NaN for any NaN.
template <class R> R canonical(R x) { return x == x ? x : static_cast<R>(__builtin_nanf("")); }

template <class R> void mac_row(R scalar, const R* vector, R* sum, std::size_t n, bool skip_zeros)
{
    for (std::size_t k = 0; k < n; ++k) {
        const R added = canonical(fused(vector[k], scalar, sum[k]));
        sum[k] = skip_zeros && vector[k] == R(0) ? sum[k] : added;
    }
}

template <class Factors, class R>
void mac_row_complex(const Factors& f, R* sum_re, R* sum_im, std::size_t n, bool skip_zeros)
{
    const R* const a = f.vector_re;
    const R* const b = f.vector_im;
    for (std::size_t k = 0; k < n; ++k) {
        // im takes x.re c.im first, then x.im c.re.
        const R first = f.vector_is_operand ? fused(a[k], f.scalar_im, sum_im[k]) : fused(b[k], f.scalar_re, sum_im[k]);
        const R im = f.vector_is_operand ? fused(b[k], f.scalar_re, first) : fused(a[k], f.scalar_im, first);
        const R re = fused(-b[k], f.scalar_im, fused(a[k], f.scalar_re, sum_re[k]));
        const bool skipped = skip_zeros && a[k] == R(0) && b[k] == R(0);
        sum_re[k] = skipped ? sum_re[k] : canonical(re);
        sum_im[k] = skipped ? sum_im[k] : canonical(im);
    }
}

} // namespace
