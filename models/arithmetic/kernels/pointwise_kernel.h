#pragma once
#include <cstdint>

namespace tensorloom::arithmetic {

/// Multiply-adds of an array with another or with a number (arithmetic/pointwise.h), in place, for one instruction set.
/// All kernels give the same bits. Each function returns the multiply-adds done: with `esop` none with a zero.
template <class R> struct pointwise_kernel {
    const char* name; ///< "portable", "avx2", "avx512"

    std::uint64_t (*multiply)(R* x, const R* b, std::uint64_t n, bool esop); ///< x b
    std::uint64_t (*scale)(R* x, R s, std::uint64_t n, bool esop);           ///< x s
    std::uint64_t (*add)(R* x, const R* b, R s, std::uint64_t n, bool esop); ///< x + b s

    static const pointwise_kernel portable, avx2, avx512;
};
template <> const pointwise_kernel<double> pointwise_kernel<double>::portable;
template <> const pointwise_kernel<double> pointwise_kernel<double>::avx2;
template <> const pointwise_kernel<double> pointwise_kernel<double>::avx512;
template <> const pointwise_kernel<float> pointwise_kernel<float>::portable;
template <> const pointwise_kernel<float> pointwise_kernel<float>::avx2;
template <> const pointwise_kernel<float> pointwise_kernel<float>::avx512;

} // namespace tensorloom::arithmetic
