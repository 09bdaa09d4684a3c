#pragma once
#include <cmath>
#include <complex>
#include <cstdint>
#include <limits>
#include <tensorloom/models/arithmetic/number_format.h>

namespace tensorloom::arithmetic {

/// The project's only definition of a multiply-add: acc + x c with one rounding, x the tensor operand, c the
/// coefficient.
///
/// A NaN result is the canonical quiet NaN, so that every build and every kernel gives the same bits.
inline double mac(double acc, double x, double c)
{
    const double r = std::fma(x, c, acc);
    return r == r ? r : std::numeric_limits<double>::quiet_NaN();
}
inline float mac(float acc, float x, float c)
{
    const float r = std::fma(x, c, acc);
    return r == r ? r : std::numeric_limits<float>::quiet_NaN();
}

/// Four real multiply-adds in the order of the hardware; each part of the result is canonical by itself.
template <class R> std::complex<R> mac(std::complex<R> acc, std::complex<R> x, std::complex<R> c)
{
    const R re = mac(mac(acc.real(), x.real(), c.real()), -x.imag(), c.imag());
    const R im = mac(mac(acc.imag(), x.real(), c.imag()), x.imag(), c.real());
    return {re, im};
}

/// Exact product, one rounding to float.
inline float mac(float acc, bfloat16 x, bfloat16 c) { return mac(acc, static_cast<float>(x), static_cast<float>(c)); }
inline float mac(float acc, float16 x, float16 c) { return mac(acc, static_cast<float>(x), static_cast<float>(c)); }

/// Wraps when the exact sum is out of range.
inline std::int32_t mac(std::int32_t acc, std::int8_t x, std::int8_t c)
{
    return static_cast<std::int32_t>(static_cast<std::uint32_t>(acc) + static_cast<std::uint32_t>(int{x} * int{c}));
}
inline std::int32_t mac(std::int32_t acc, std::int32_t x, std::int32_t c)
{
    return static_cast<std::int32_t>(static_cast<std::uint32_t>(acc) +
                                     static_cast<std::uint32_t>(x) * static_cast<std::uint32_t>(c));
}
inline std::int64_t mac(std::int64_t acc, std::int64_t x, std::int64_t c)
{
    return static_cast<std::int64_t>(static_cast<std::uint64_t>(acc) +
                                     static_cast<std::uint64_t>(x) * static_cast<std::uint64_t>(c));
}

/// True when the exact sum acc + x c is out of the accumulator's range; only integers can be.
template <class Element> bool mac_overflows(const accumulator_of<Element>&, const Element&, const Element&)
{
    return false;
}
template <> inline bool mac_overflows(const std::int32_t& acc, const std::int8_t& x, const std::int8_t& c)
{
    const std::int64_t exact = std::int64_t{acc} + int{x} * int{c};
    return exact != static_cast<std::int32_t>(exact);
}
template <> inline bool mac_overflows(const std::int32_t& acc, const std::int32_t& x, const std::int32_t& c)
{
    const std::int64_t exact = acc + std::int64_t{x} * c; // of 63 bits at most
    return exact != static_cast<std::int32_t>(exact);
}
template <> inline bool mac_overflows(const std::int64_t& acc, const std::int64_t& x, const std::int64_t& c)
{
    __extension__ using wide = __int128;
    const wide exact = acc + wide{x} * c;
    return exact != static_cast<std::int64_t>(exact);
}

/// Exactly zero: -0 is, NaN is not; a complex number when both parts are.
template <class R> bool is_zero(R x) { return x == R(0); }
inline bool is_zero(bfloat16 x) { return (x.bits & 0x7fffu) == 0; }
inline bool is_zero(float16 x) { return (x.bits & 0x7fffu) == 0; }
template <class R> bool is_zero(std::complex<R> x) { return x.real() == R(0) && x.imag() == R(0); }

/// True when an operand counts as zero: exactly zero, or of at most this modulus. NaN never does.
template <class R> bool counts_as_zero(R x, double threshold) { return std::fabs(static_cast<double>(x)) <= threshold; }
inline bool counts_as_zero(bfloat16 x, double threshold) { return counts_as_zero(static_cast<float>(x), threshold); }
inline bool counts_as_zero(float16 x, double threshold) { return counts_as_zero(static_cast<float>(x), threshold); }
template <class R> bool counts_as_zero(std::complex<R> x, double threshold)
{
    if (threshold == 0) { return is_zero(x); }
    return std::hypot(static_cast<double>(x.real()), static_cast<double>(x.imag())) <= threshold;
}

} // namespace tensorloom::arithmetic
