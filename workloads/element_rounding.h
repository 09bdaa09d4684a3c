#pragma once
#include <complex>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <type_traits>
#include <vector>
#include <tensorloom/models/arithmetic/number_format.h>
#include <tensorloom/models/base/values/element_type.h>

namespace tensorloom::workloads {

template <class T> inline constexpr bool is_complex_element = false;
template <class R> inline constexpr bool is_complex_element<std::complex<R>> = true;

/// A number rounded once to bfloat16, to nearest, ties to even; overflow, after rounding, gives an infinity.
arithmetic::bfloat16 nearest_bfloat16(long double value);

/// A number rounded once to float16, likewise.
arithmetic::float16 nearest_float16(long double value);

/// A number rounded once to a real format: f64, f32, bf16 or f16; other formats leave it.
double rounded_to(base::element_type format, double value);

/// A number rounded once to an element format, to nearest, ties to even. A real number gets the imaginary part +0. T:
/// double, float, complex of both, bfloat16, float16; int8, int32 and int64 for values in their range (holds_element).
/// V: a floating point number, or complex of one for a complex T.
template <class T, class V> T rounded_element(const V& value)
{
    if constexpr (is_complex_element<T> && is_complex_element<V>) {
        using part = typename T::value_type;
        return {static_cast<part>(value.real()), static_cast<part>(value.imag())};
    } else if constexpr (is_complex_element<T>) {
        return {static_cast<typename T::value_type>(value)};
    } else if constexpr (std::is_same_v<T, arithmetic::bfloat16>) {
        return nearest_bfloat16(value);
    } else if constexpr (std::is_same_v<T, arithmetic::float16>) {
        return nearest_float16(value);
    } else {
        return static_cast<T>(value);
    }
}

/// False if an integer T cannot hold the value: not whole, out of range, or NaN.
template <class T> bool holds_element(long double value)
{
    if constexpr (std::is_integral_v<T>) {
        return value >= std::numeric_limits<T>::min() && value <= std::numeric_limits<T>::max() &&
               value == static_cast<long double>(static_cast<T>(value));
    } else {
        return true;
    }
}

/// True if a double represents this value exactly.
inline bool is_exact_double(std::int64_t value)
{
    constexpr double beyond = 9223372036854775808.0; // 2^63
    const auto rounded = static_cast<double>(value);
    return rounded < beyond && static_cast<std::int64_t>(rounded) == value;
}

/// Throws base::input_error for an element that holds_element<T>() rejects: "SUBJECT: element 0.5 at (1, 2) found,
/// expected whole numbers from -128 to 127". `at`: index in C order; `advice`: text appended to the message.
template <class T>
[[noreturn]] void throw_element_error(const std::string& subject, long double value, std::size_t at,
                                      const std::vector<std::size_t>& shape, const std::string& advice = "");

/// A tensor in C order, every element rounded once. Throws for elements that an integer T cannot hold.
template <class T, class V>
std::vector<T> rounded_elements(const std::vector<V>& values, const std::vector<std::size_t>& shape,
                                const std::string& subject)
{
    std::vector<T> result(values.size());
    for (std::size_t i = 0; i < values.size(); ++i) {
        if constexpr (std::is_integral_v<T>) {
            if (!holds_element<T>(values[i])) { throw_element_error<T>(subject, values[i], i, shape); }
        }
        result[i] = rounded_element<T>(values[i]);
    }
    return result;
}

} // namespace tensorloom::workloads
