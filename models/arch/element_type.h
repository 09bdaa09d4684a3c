#pragma once
#include <complex>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

namespace tensorloom::arch {

/// The format of one tensor element; the values are those of tensor descriptors and of the CAPS register.
enum class element_type : std::uint8_t { f64 = 1, f32 = 2, c128 = 3, c64 = 4 };

constexpr bool is_complex(element_type type) { return type == element_type::c128 || type == element_type::c64; }
constexpr bool is_single(element_type type) { return type == element_type::f32 || type == element_type::c64; }

/// Bytes of one element in memory (a complex one: real part, then imaginary part).
constexpr std::size_t element_bytes(element_type type)
{
    return (is_single(type) ? 4u : 8u) * (is_complex(type) ? 2u : 1u);
}
constexpr unsigned element_bits(element_type type) { return static_cast<unsigned>(8 * element_bytes(type)); }

/// True when the value names a format (descriptors come from memory and may hold anything).
constexpr bool is_element_type(std::uint8_t value) { return value >= 1 && value <= 4; }

constexpr std::string_view element_type_name(element_type type)
{
    switch (type) {
    case element_type::f64: return "f64";
    case element_type::f32: return "f32";
    case element_type::c128: return "c128";
    case element_type::c64: return "c64";
    }
    return "?";
}

constexpr std::optional<element_type> parse_element_type(std::string_view name)
{
    for (auto type : {element_type::f64, element_type::f32, element_type::c128, element_type::c64}) {
        if (element_type_name(type) == name) { return type; }
    }
    return std::nullopt;
}

/// The element type of a C++ type: element_type_of<float> is f32.
template <class T> inline constexpr element_type element_type_of = element_type{};
template <> inline constexpr element_type element_type_of<double> = element_type::f64;
template <> inline constexpr element_type element_type_of<float> = element_type::f32;
template <> inline constexpr element_type element_type_of<std::complex<double>> = element_type::c128;
template <> inline constexpr element_type element_type_of<std::complex<float>> = element_type::c64;

} // namespace tensorloom::arch
