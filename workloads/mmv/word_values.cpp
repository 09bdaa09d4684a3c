#include <tensorloom/workloads/mmv/word_values.h>
#include <cmath>
#include <cstring>
#include <limits>
#include <sstream>
#include <type_traits>
#include <tensorloom/models/base/values/input_error.h>
#include <tensorloom/workloads/element_rounding.h>

namespace tensorloom::workloads {
namespace {

using base::element_type;

template <class T> std::string text_of(const T& value)
{
    if constexpr (std::is_integral_v<T>) {
        return std::to_string(value);
    } else {
        return message_text(value);
    }
}

/// A real format with fewer bits than f64.
template <class Element>
constexpr bool is_narrow_real = std::is_same_v<Element, float> || std::is_same_v<Element, arithmetic::bfloat16> ||
                                std::is_same_v<Element, arithmetic::float16>;

template <class Element, class T> bool convert(const T& value, Element& to)
{
    if constexpr (is_narrow_real<Element>) {
        double wide = 0;
        if (!convert(value, wide)) { return false; }
        to = rounded_element<Element>(wide);
        const double held = static_cast<double>(static_cast<float>(to));
        return std::is_integral_v<T> ? held == wide : std::isfinite(held) || !std::isfinite(wide);
    } else if constexpr (std::is_same_v<T, std::complex<double>>) {
        if constexpr (std::is_same_v<Element, std::complex<double>>) {
            to = value;
            return true;
        } else {
            return value.imag() == 0 && convert(value.real(), to);
        }
    } else if constexpr (std::is_same_v<Element, std::complex<double>>) {
        double re = 0;
        if (!convert(value, re)) { return false; }
        to = re;
        return true;
    } else if constexpr (std::is_same_v<T, std::int64_t> && std::is_same_v<Element, double>) {
        to = static_cast<double>(value);
        return is_exact_double(value);
    } else if constexpr (std::is_same_v<T, double> && std::is_integral_v<Element>) {
        // The bounds as doubles: -2^(b-1) is one of them, 2^(b-1) is the first that is too large.
        const double low = static_cast<double>(std::numeric_limits<Element>::min());
        if (!(value >= low && value < -low) || value != std::floor(value)) { return false; }
        to = static_cast<Element>(value);
        return true;
    } else if constexpr (std::is_integral_v<Element>) {
        to = static_cast<Element>(value);
        return to == value;
    } else {
        to = value;
        return true;
    }
}

template <class Element, class T> std::vector<std::uint8_t> converted(const std::vector<T>& values, element_type type)
{
    std::vector<std::uint8_t> bytes(values.size() * sizeof(Element));
    for (std::size_t i = 0; i < values.size(); ++i) {
        Element element{};
        if (!convert(values[i], element)) {
            base::refuse("element " + std::to_string(i), text_of(values[i]),
                         "a number that " + std::string(base::element_type_name(type)) + " holds");
        }
        std::memcpy(bytes.data() + i * sizeof element, &element, sizeof element);
    }
    return bytes;
}

template <class Element, class T> std::vector<T> read(const std::uint8_t* bytes, std::uint64_t count)
{
    std::vector<T> values(count);
    for (std::uint64_t i = 0; i < count; ++i) {
        Element element{};
        std::memcpy(&element, bytes + i * sizeof element, sizeof element);
        if constexpr (is_narrow_real<Element>) {
            const auto real = static_cast<float>(element);
            values[i] = std::is_integral_v<T> ? static_cast<T>(std::llround(real)) : static_cast<T>(real);
        } else if constexpr (std::is_same_v<Element, std::complex<double>> &&
                             !std::is_same_v<T, std::complex<double>>) {
            values[i] = static_cast<T>(element.real());
        } else if constexpr (std::is_same_v<Element, double> && std::is_same_v<T, std::int64_t>) {
            values[i] = std::llround(element);
        } else if constexpr (std::is_same_v<T, std::complex<double>> &&
                             !std::is_same_v<Element, std::complex<double>>) {
            values[i] = static_cast<double>(element);
        } else {
            values[i] = static_cast<T>(element);
        }
    }
    return values;
}

[[noreturn]] void no_format(element_type type)
{
    base::refuse("format", std::string(base::element_type_name(type)),
                 "f64, f32, c128, bf16, f16, int8, int32 or int64");
}

} // namespace

std::string message_text(double value)
{
    std::ostringstream text;
    text << value;
    return text.str();
}

std::string message_text(const std::complex<double>& value)
{
    return message_text(value.real()) + " + " + message_text(value.imag()) + " i";
}

template <class T> std::vector<std::uint8_t> to_bytes(const std::vector<T>& values, element_type type)
{
    switch (type) {
    case element_type::f64: return converted<double>(values, type);
    case element_type::f32: return converted<float>(values, type);
    case element_type::bf16: return converted<arithmetic::bfloat16>(values, type);
    case element_type::f16: return converted<arithmetic::float16>(values, type);
    case element_type::c128: return converted<std::complex<double>>(values, type);
    case element_type::int8: return converted<std::int8_t>(values, type);
    case element_type::int32: return converted<std::int32_t>(values, type);
    case element_type::int64: return converted<std::int64_t>(values, type);
    default: no_format(type);
    }
}

template <class T> std::vector<T> from_bytes(const std::uint8_t* bytes, std::uint64_t count, element_type type)
{
    switch (type) {
    case element_type::f64: return read<double, T>(bytes, count);
    case element_type::f32: return read<float, T>(bytes, count);
    case element_type::bf16: return read<arithmetic::bfloat16, T>(bytes, count);
    case element_type::f16: return read<arithmetic::float16, T>(bytes, count);
    case element_type::c128: return read<std::complex<double>, T>(bytes, count);
    case element_type::int8: return read<std::int8_t, T>(bytes, count);
    case element_type::int32: return read<std::int32_t, T>(bytes, count);
    case element_type::int64: return read<std::int64_t, T>(bytes, count);
    default: no_format(type);
    }
}

template std::vector<std::uint8_t> to_bytes(const std::vector<std::int64_t>&, element_type);
template std::vector<std::uint8_t> to_bytes(const std::vector<double>&, element_type);
template std::vector<std::uint8_t> to_bytes(const std::vector<std::complex<double>>&, element_type);
template std::vector<std::int64_t> from_bytes(const std::uint8_t*, std::uint64_t, element_type);
template std::vector<double> from_bytes(const std::uint8_t*, std::uint64_t, element_type);
template std::vector<std::complex<double>> from_bytes(const std::uint8_t*, std::uint64_t, element_type);

} // namespace tensorloom::workloads
