#pragma once
#include <algorithm>
#include <cmath>
#include <complex>
#include <cstdint>
#include <limits>
#include <string>
#include <type_traits>
#include <tensorloom/models/arithmetic/bfloat16.h>
#include <tensorloom/models/arithmetic/float16.h>
#include "support/mmv_reference_units.h"

namespace tensorloom::test {

// Arithmetic on single words as the reference interpreter does it, by the rules of docs/mmv.md in words of its own.

__extension__ typedef __int128 wide_integer;

template <class W> constexpr bool is_complex_word = std::is_same_v<W, std::complex<double>>;

// ---- one multiply-add of the array; integers wrap, and say so ----

template <class R> R fused(R acc, R x, R c)
{
    const R r = std::fma(x, c, acc);
    return std::isnan(r) ? std::numeric_limits<R>::quiet_NaN() : r;
}

inline void multiply_add(double& acc, double x, double c, std::uint64_t&) { acc = fused(acc, x, c); }
inline void multiply_add(float& acc, float x, float c, std::uint64_t&) { acc = fused(acc, x, c); }

inline void multiply_add(std::complex<double>& acc, const std::complex<double>& x, const std::complex<double>& c,
                         std::uint64_t&)
{
    const double re = fused(fused(acc.real(), x.real(), c.real()), -x.imag(), c.imag());
    const double im = fused(fused(acc.imag(), x.real(), c.imag()), x.imag(), c.real());
    acc = {re, im};
}

/// The number that 16 bits stand for: a sign, an exponent of so many bits, a fraction.
inline float number_of_half(std::uint16_t bits, int exponent_bits)
{
    const int fraction_bits = 15 - exponent_bits, most = (1 << exponent_bits) - 1, bias = most >> 1;
    const int exponent = bits >> fraction_bits & most, fraction = bits & ((1 << fraction_bits) - 1);
    double size = 0;
    if (exponent == most) {
        size = fraction != 0 ? std::numeric_limits<double>::quiet_NaN() : std::numeric_limits<double>::infinity();
    } else {
        const int leading = exponent == 0 ? 0 : 1 << fraction_bits;
        size = std::ldexp(leading + fraction, std::max(exponent, 1) - bias - fraction_bits);
    }
    return static_cast<float>(bits >> 15 != 0 ? -size : size);
}

/// The number of 5 bits of exponent and 10 of fraction nearest to another, ties to even.
inline std::uint16_t half_of(float number)
{
    if (std::isnan(number)) { return 0x7e00; }
    const std::uint16_t sign = std::signbit(number) ? 0x8000 : 0;
    const double size = std::fabs(number);
    const int least = -14, exponent = size == 0 ? least : std::max(std::min(std::ilogb(size), 16), least);
    const double units =
        std::nearbyint(std::ldexp(size, 10 - exponent)); // of 2^(exponent - 10); 2048: the next exponent
    if (std::isinf(number) || units * std::ldexp(1.0, exponent - 10) >= 65536) { return sign | 0x7c00; }
    const int above = exponent - least;
    return static_cast<std::uint16_t>(sign | (above * 1024 + static_cast<int>(units)));
}

inline void multiply_add(float& acc, arithmetic::bfloat16 x, arithmetic::bfloat16 c, std::uint64_t&)
{
    acc = fused(acc, number_of_half(x.bits, 8), number_of_half(c.bits, 8));
}
inline void multiply_add(float& acc, arithmetic::float16 x, arithmetic::float16 c, std::uint64_t&)
{
    acc = fused(acc, number_of_half(x.bits, 5), number_of_half(c.bits, 5));
}

template <class W, class E> void multiply_add(W& acc, E x, E c, std::uint64_t& overflowed)
{
    const wide_integer exact = wide_integer{acc} + wide_integer{x} * wide_integer{c};
    acc = static_cast<W>(exact);
    overflowed += wide_integer{acc} != exact ? 1u : 0u;
}

// ---- operations of the vector and the scalar unit; results that are no number are one and the same NaN ----

inline double rounded(double r) { return std::isnan(r) ? std::numeric_limits<double>::quiet_NaN() : r; }
inline float rounded(float r) { return std::isnan(r) ? std::numeric_limits<float>::quiet_NaN() : r; }
inline std::complex<double> rounded(const std::complex<double>& r) { return {rounded(r.real()), rounded(r.imag())}; }

template <class W> W plus(const W& a, const W& b, std::uint64_t& overflowed)
{
    if constexpr (std::is_integral_v<W>) {
        W z = 0;
        overflowed += __builtin_add_overflow(a, b, &z) ? 1u : 0u;
        return z;
    } else {
        return rounded(a + b);
    }
}

template <class W> W minus(const W& a, const W& b, std::uint64_t& overflowed)
{
    if constexpr (std::is_integral_v<W>) {
        W z = 0;
        overflowed += __builtin_sub_overflow(a, b, &z) ? 1u : 0u;
        return z;
    } else {
        return rounded(a - b);
    }
}

template <class W> W times(const W& a, const W& b, std::uint64_t& overflowed)
{
    if constexpr (std::is_integral_v<W>) {
        W z = 0;
        overflowed += __builtin_mul_overflow(a, b, &z) ? 1u : 0u;
        return z;
    } else if constexpr (is_complex_word<W>) {
        W z = 0;
        multiply_add(z, a, b, overflowed);
        return z;
    } else {
        return rounded(a * b);
    }
}

[[noreturn]] inline void check_format() { throw reference_failure{isa::error_code::unsupported_format, "format"}; }

template <class W> bool less(const W& a, const W& b)
{
    if constexpr (is_complex_word<W>) {
        check_format();
    } else {
        return a < b;
    }
}

// A word as a whole number; anything else is no index.
template <class W> std::int64_t index_of(const W& w)
{
    if constexpr (std::is_integral_v<W>) {
        return w;
    } else if constexpr (is_complex_word<W>) {
        check_format();
    } else {
        if (!(std::fabs(w) <= std::ldexp(W(1), std::numeric_limits<W>::digits)) || w != std::floor(w)) {
            throw reference_failure{isa::error_code::bad_index, "index"};
        }
        return static_cast<std::int64_t>(w);
    }
}

template <class W> std::int64_t index_between(std::int64_t low, std::int64_t high, const W& w)
{
    const std::int64_t i = index_of(w);
    if (i < low || i > high) { throw reference_failure{isa::error_code::bad_index, "index " + std::to_string(i)}; }
    return i;
}

template <class W> bool bit_of(const W& w, std::uint32_t bit)
{
    if constexpr (std::is_integral_v<W>) {
        return (w >> std::min(bit, 8 * static_cast<std::uint32_t>(sizeof w) - 1) & 1) != 0;
    } else {
        check_format();
    }
}

template <class W> W times_power_of_two(W a, std::uint32_t exponent, std::uint64_t& overflowed)
{
    if constexpr (std::is_integral_v<W>) {
        std::uint64_t lost = 0;
        for (std::uint32_t k = 0; k < exponent; ++k) { a = times<W>(a, 2, lost); }
        overflowed += lost != 0 ? 1u : 0u;
        return a;
    } else {
        check_format();
    }
}

} // namespace tensorloom::test
