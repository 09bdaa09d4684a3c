#pragma once
#include <cmath>
#include <complex>
#include <cstdint>
#include <limits>
#include <type_traits>
#include <tensorloom/models/arithmetic/mac.h>

namespace tensorloom::arithmetic {

// Operations of vector and scalar units on two words: f32, f64, c128, int32, int64. Integers wrap, and `overflowed`
// grows by 1 when the exact result is out of range; NaN results are the canonical quiet NaN, as in mac().

inline double canonical(double x) { return x == x ? x : std::numeric_limits<double>::quiet_NaN(); }
inline float canonical(float x) { return x == x ? x : std::numeric_limits<float>::quiet_NaN(); }
inline std::complex<double> canonical(const std::complex<double>& x)
{
    return {canonical(x.real()), canonical(x.imag())};
}

/// Without branches, so that loops are vectorised.
template <class W> W word_sum(const W& a, const W& b, std::uint64_t& overflowed)
{
    if constexpr (std::is_integral_v<W>) {
        using bits = std::make_unsigned_t<W>;
        const auto x = static_cast<bits>(a), y = static_cast<bits>(b);
        const auto z = static_cast<bits>(x + y);
        overflowed += static_cast<bits>((x ^ z) & (y ^ z)) >> (std::numeric_limits<bits>::digits - 1);
        return static_cast<W>(z);
    } else {
        return canonical(a + b);
    }
}

template <class W> W word_difference(const W& a, const W& b, std::uint64_t& overflowed)
{
    if constexpr (std::is_integral_v<W>) {
        using bits = std::make_unsigned_t<W>;
        const auto x = static_cast<bits>(a), y = static_cast<bits>(b);
        const auto z = static_cast<bits>(x - y);
        overflowed += static_cast<bits>((x ^ y) & (x ^ z)) >> (std::numeric_limits<bits>::digits - 1);
        return static_cast<W>(z);
    } else {
        return canonical(a - b);
    }
}

/// A complex product is a complex multiply-add from +0 on.
template <class W> W word_product(const W& a, const W& b, std::uint64_t& overflowed)
{
    if constexpr (std::is_integral_v<W>) {
        W z = 0;
        overflowed += __builtin_mul_overflow(a, b, &z) ? 1u : 0u;
        return z;
    } else if constexpr (std::is_floating_point_v<W>) {
        return canonical(a * b);
    } else {
        return mac(W(0), a, b);
    }
}

/// acc + a b: for integers a product, then a sum, each of which may overflow; otherwise one multiply-add.
template <class W> W word_mac(const W& acc, const W& a, const W& b, std::uint64_t& overflowed)
{
    if constexpr (std::is_integral_v<W>) {
        return word_sum(acc, word_product(a, b, overflowed), overflowed);
    } else {
        return mac(acc, a, b);
    }
}

// For real numbers: -0 is less than +0, and a NaN operand gives NaN.

template <class W> W word_maximum(const W& a, const W& b)
{
    static_assert(std::is_floating_point_v<W>, "real numbers only");
    if (a != a || b != b) { return std::numeric_limits<W>::quiet_NaN(); }
    return a > b || (a == b && !std::signbit(a)) ? a : b;
}
template <class W> W word_minimum(const W& a, const W& b) { return canonical(-word_maximum(-a, -b)); }
template <class W> W word_quotient(const W& a, const W& b) { return canonical(a / b); }
template <class W> W word_root(const W& a) { return canonical(std::sqrt(a)); }

/// a 2^k, k at least 0.
template <class W> W word_shifted(W a, unsigned k, std::uint64_t& overflowed)
{
    static_assert(std::is_integral_v<W>, "integers only");
    using bits = std::make_unsigned_t<W>;
    constexpr unsigned digits = std::numeric_limits<bits>::digits;
    const W z = k < digits ? static_cast<W>(static_cast<bits>(a) << k) : W(0);
    overflowed += (k < digits ? z >> k : W(0)) != a ? 1u : 0u;
    return z;
}

/// Bit k of a word in two's complement; beyond its width, that of its sign.
template <class W> bool word_bit(W a, unsigned k)
{
    static_assert(std::is_integral_v<W>, "integers only");
    constexpr unsigned digits = std::numeric_limits<std::make_unsigned_t<W>>::digits;
    return (a >> (k < digits ? k : digits - 1) & 1) != 0;
}

/// Whether a word is a whole number from `low` to `high`; a f64 at most 2^53, a f32 at most 2^24.
template <class W> bool is_index(const W& w, std::int64_t low, std::int64_t high)
{
    if constexpr (std::is_integral_v<W>) {
        return w >= low && w <= high;
    } else {
        constexpr auto exact = static_cast<W>(std::int64_t{1} << std::numeric_limits<W>::digits);
        if (!(w >= -exact && w <= exact)) { return false; }
        const auto i = static_cast<std::int64_t>(w);
        return static_cast<W>(i) == w && i >= low && i <= high;
    }
}

/// x mod m, from 0 to m - 1, of an exact x = z + a b; m at least 1.
template <class W> W word_remainder(W z, W a, W b, W m)
{
    static_assert(std::is_integral_v<W>, "integers only");
    __extension__ typedef __int128 wide;
    const wide rest = (wide{z} + wide{a} * wide{b}) % wide{m};
    return static_cast<W>(rest < 0 ? rest + m : rest);
}

} // namespace tensorloom::arithmetic
