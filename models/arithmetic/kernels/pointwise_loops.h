#pragma once
#include <cstdint>
#include <tensorloom/models/arithmetic/kernels/pointwise_kernel.h>

// Once for all instruction sets: compilers make vectors of loops without calls and branches. x b rounds once, and
// x + b is x + 1 b: the same bits as mac(). No product with a zero is -0 or, under ESOP, done.
// In an anonymous namespace on purpose: each translation unit must keep its own copy, compiled for its own machine.
namespace {

inline double quiet_nan(double) { return __builtin_nan(""); }
inline float quiet_nan(float) { return __builtin_nanf(""); }
inline double fused(double x, double c, double sum) { return __builtin_fma(x, c, sum); }
inline float fused(float x, float c, float sum) { return __builtin_fmaf(x, c, sum); }

template <class R> R with_one_nan(R r) { return r == r ? r : quiet_nan(r); }

template <class R> R product_of(R x, R b, bool esop)
{
    const R product = x * b;
    const bool with_zero = (x == 0) | (b == 0);
    return with_one_nan(with_zero ? (esop ? R(0) : product + R(0)) : product);
}

template <class R> std::uint64_t multiply_elements(R* x, const R* b, std::uint64_t n, bool esop)
{
    std::uint64_t zeros = 0;
    for (std::uint64_t i = 0; i < n; ++i) {
        zeros += (x[i] == 0) | (b[i] == 0);
        x[i] = product_of(x[i], b[i], esop);
    }
    return esop ? n - zeros : n;
}

template <class R> std::uint64_t scale_elements(R* x, R s, std::uint64_t n, bool esop)
{
    std::uint64_t zeros = 0;
    for (std::uint64_t i = 0; i < n; ++i) {
        zeros += (x[i] == 0) | (s == 0);
        x[i] = product_of(x[i], s, esop);
    }
    return esop ? n - zeros : n;
}

template <class R> std::uint64_t add_elements(R* x, const R* b, R s, std::uint64_t n, bool esop)
{
    std::uint64_t zeros = 0;
    if (s == 1) { // where a fused multiply-add is a call, this is not
        for (std::uint64_t i = 0; i < n; ++i) {
            const bool skipped = esop & (b[i] == 0);
            zeros += skipped;
            x[i] = skipped ? x[i] : with_one_nan(x[i] + b[i]);
        }
        return n - zeros;
    }
    for (std::uint64_t i = 0; i < n; ++i) {
        const bool skipped = esop & ((b[i] == 0) | (s == 0));
        zeros += skipped;
        x[i] = skipped ? x[i] : with_one_nan(fused(b[i], s, x[i]));
    }
    return n - zeros;
}

template <class R> constexpr tensorloom::arithmetic::pointwise_kernel<R> make_pointwise_kernel(const char* name)
{
    return {name, &multiply_elements<R>, &scale_elements<R>, &add_elements<R>};
}

} // namespace
