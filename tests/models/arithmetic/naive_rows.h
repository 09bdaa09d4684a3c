#pragma once
#include <cmath>
#include <complex>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <random>
#include <type_traits>
#include <vector>
#include <tensorloom/models/arithmetic/bfloat16.h>
#include <tensorloom/models/arithmetic/float16.h>

namespace tensorloom::test {

template <class Element>
inline constexpr bool is_half =
    std::is_same_v<Element, arithmetic::bfloat16> || std::is_same_v<Element, arithmetic::float16>;

/// What sums of products of this element are kept in.
template <class Element>
using word_of = std::conditional_t<std::is_same_v<Element, std::int8_t>, std::int32_t,
                                   std::conditional_t<is_half<Element>, float, Element>>;

template <class Real> Real canonical(Real x) { return std::isnan(x) ? std::numeric_limits<Real>::quiet_NaN() : x; }

/// x[0] w[0] + x[1] w[step] + ..., n terms, from +0 on, every product with the sum before it rounded once; integers
/// wrap, and `overflowed` grows by the additions whose exact result does not fit a word.
template <class Real>
std::enable_if_t<std::is_floating_point_v<Real> || is_half<Real>, word_of<Real>>
naive_sum(const Real* x, const Real* w, std::size_t n, std::size_t step, std::uint64_t&)
{
    using word = word_of<Real>;
    word sum = 0;
    for (std::size_t i = 0; i < n; ++i) {
        sum = std::fma(static_cast<word>(x[i]), static_cast<word>(w[i * step]), sum);
    }
    return canonical(sum);
}
inline std::complex<double> naive_sum(const std::complex<double>* x, const std::complex<double>* w, std::size_t n,
                                      std::size_t step, std::uint64_t&)
{
    double re = 0;
    double im = 0;
    for (std::size_t i = 0; i < n; ++i) {
        const auto& c = w[i * step];
        re = std::fma(x[i].real(), c.real(), re);
        re = std::fma(-x[i].imag(), c.imag(), re);
        im = std::fma(x[i].real(), c.imag(), im);
        im = std::fma(x[i].imag(), c.real(), im);
    }
    return {canonical(re), canonical(im)};
}
template <class Integer>
std::enable_if_t<std::is_integral_v<Integer>, word_of<Integer>>
naive_sum(const Integer* x, const Integer* w, std::size_t n, std::size_t step, std::uint64_t& overflowed)
{
    using word = word_of<Integer>;
    __extension__ using wide = __int128;
    constexpr wide values = static_cast<wide>(std::numeric_limits<word>::max()) - std::numeric_limits<word>::min() + 1;
    wide sum = 0;
    for (std::size_t i = 0; i < n; ++i) {
        sum += static_cast<wide>(x[i]) * static_cast<wide>(w[i * step]);
        if (sum >= std::numeric_limits<word>::min() && sum <= std::numeric_limits<word>::max()) { continue; }
        ++overflowed;
        sum %= values; // of the sum's sign
        if (sum > std::numeric_limits<word>::max()) { sum -= values; }
        if (sum < std::numeric_limits<word>::min()) { sum += values; }
    }
    return static_cast<word>(sum);
}

/// Whose sums stay far from the limits of a word, and are not exact in floating point.
template <class Element, class Random> Element ordinary_element(Random& random)
{
    if constexpr (std::is_same_v<Element, std::complex<double>>) {
        const double re = ordinary_element<double>(random);
        return {re, ordinary_element<double>(random)};
    } else if constexpr (std::is_floating_point_v<Element>) {
        return static_cast<Element>(std::uniform_real_distribution<double>(-1, 1)(random));
    } else if constexpr (is_half<Element>) {
        return Element(static_cast<float>(ordinary_element<double>(random)));
    } else {
        return static_cast<Element>(static_cast<int>(random() % 255) - 127);
    }
}

/// Among which are zeros of both signs, infinities, NaN, numbers whose products underflow, and integers whose products
/// overflow.
template <class Element, class Random> Element odd_element(Random& random)
{
    if constexpr (std::is_same_v<Element, std::complex<double>>) {
        const double re = odd_element<double>(random);
        return {re, odd_element<double>(random)};
    } else if constexpr (std::is_same_v<Element, double>) {
        using limits = std::numeric_limits<double>;
        constexpr double odd[] = {0.0, -0.0, 5e-324, -5e-324, 1e-200, -1e-200};
        constexpr double infinite[] = {limits::infinity(), -limits::infinity(), limits::quiet_NaN(), 1e300, -1e300};
        const auto kind = random() % 64;
        return kind == 0 ? infinite[random() % 5] : kind < 40 ? odd[random() % 6] : ordinary_element<double>(random);
    } else if constexpr (std::is_same_v<Element, float> || is_half<Element>) {
        using limits = std::numeric_limits<float>;
        constexpr bool binary16 = std::is_same_v<Element, arithmetic::float16>;
        constexpr float least = binary16 ? 6e-8f : 1e-39f, small = binary16 ? 1e-4f : 1e-20f;
        constexpr float most = binary16 ? 65504.0f : 3e38f;
        constexpr float odd[] = {0.0f, -0.0f, least, -least, small, -small};
        constexpr float infinite[] = {limits::infinity(), -limits::infinity(), limits::quiet_NaN(), most, -most};
        const auto kind = random() % 64;
        return kind == 0   ? Element(infinite[random() % 5])
               : kind < 40 ? Element(odd[random() % 6])
                           : ordinary_element<Element>(random);
    } else {
        using limits = std::numeric_limits<Element>;
        const auto kind = random() % 8;
        const auto any = static_cast<Element>(random());
        return kind == 0   ? limits::max()
               : kind == 1 ? limits::min()
               : kind < 4  ? any
               : kind < 7  ? static_cast<Element>(any >> (4 * sizeof(Element)))
                           : Element{0};
    }
}

template <class Element, class Random, class Draw>
std::vector<Element> elements(std::size_t n, Random& random, const Draw& draw)
{
    std::vector<Element> all(n);
    for (auto& x : all) { x = draw(random); }
    return all;
}

} // namespace tensorloom::test
