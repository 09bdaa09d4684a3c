#pragma once
#include <cmath>
#include <complex>
#include <cstdint>
#include <limits>
#include <tensorloom/models/arithmetic/bfloat16.h>
#include <tensorloom/models/arithmetic/float16.h>

namespace tensorloom::arithmetic {

/// A number format of a device: `Element` is the format of memory, buses and coefficients, `accumulator` that of sums.
/// In the low-precision formats they differ, and a sum is rounded when it becomes an operand: bfloat16 and float16 to
/// nearest even; int8 after a right shift, to nearest even, saturating.
///
/// `real` is the type of an accumulator's parts; there are `parts` of them.
template <class Element> struct number_format {
    using accumulator = Element;
    using real = Element;
    static constexpr unsigned parts = 1;
};
template <class R> struct number_format<std::complex<R>> {
    using accumulator = std::complex<R>;
    using real = R;
    static constexpr unsigned parts = 2;
};
template <> struct number_format<bfloat16> {
    using accumulator = float;
    using real = float;
    static constexpr unsigned parts = 1;
};
template <> struct number_format<float16> {
    using accumulator = float;
    using real = float;
    static constexpr unsigned parts = 1;
};
template <> struct number_format<std::int8_t> {
    using accumulator = std::int32_t;
    using real = std::int32_t;
    static constexpr unsigned parts = 1;
};
template <class Element> using accumulator_of = typename number_format<Element>::accumulator;

/// An element as the accumulator's type; exact.
template <class Element> accumulator_of<Element> widened(const Element& x)
{
    return static_cast<accumulator_of<Element>>(x);
}

/// A sum rounded to an operand.
template <class Element> struct narrowed_sum {
    Element value{};
    bool saturated = false; ///< int8 only
};

/// The right shift of an integer, to nearest, ties to even. shift 0 to 31.
inline std::int64_t shifted_to_nearest(std::int32_t x, unsigned shift)
{
    const std::int64_t wide = x;
    if (shift == 0) { return wide; }
    const std::int64_t down = wide >> shift;
    const std::int64_t rest = wide - down * (std::int64_t{1} << shift);
    const std::int64_t half = std::int64_t{1} << (shift - 1);
    return rest > half || (rest == half && (down & 1) != 0) ? down + 1 : down;
}

/// A sum that leaves the cells unrounded. `shift`: right shift of integers, 0 to 31; 0 in the other formats.
template <class Element> accumulator_of<Element> shifted_sum(const accumulator_of<Element>& sum, unsigned shift)
{
    if constexpr (std::numeric_limits<Element>::is_integer) {
        return static_cast<accumulator_of<Element>>(shifted_to_nearest(sum, shift));
    } else {
        return sum;
    }
}

/// `shift`: right shift of integers, 0 to 31; 0 in the other formats.
template <class Element> narrowed_sum<Element> narrowed(const accumulator_of<Element>& sum, unsigned shift)
{
    if constexpr (std::numeric_limits<Element>::is_integer) {
        const std::int64_t x = shifted_to_nearest(sum, shift);
        constexpr std::int64_t low = std::numeric_limits<Element>::min();
        constexpr std::int64_t high = std::numeric_limits<Element>::max();
        return {static_cast<Element>(x < low ? low : x > high ? high : x), x < low || x > high};
    } else {
        return {Element(sum), false};
    }
}

/// An element in a waveform, integers to 53 bits; the imaginary part is 0 in real formats.
struct traced_element {
    double re = 0;
    double im = 0;
};

template <class R> traced_element shown(R x) { return {static_cast<double>(x), 0}; }
inline traced_element shown(bfloat16 x) { return shown(static_cast<float>(x)); }
inline traced_element shown(float16 x) { return shown(static_cast<float>(x)); }
template <class R> traced_element shown(std::complex<R> x) { return {x.real(), x.imag()}; }

} // namespace tensorloom::arithmetic
