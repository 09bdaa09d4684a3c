#pragma once
#include <complex>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <tensorloom/models/arch/named_value.h>

namespace tensorloom::arch {

/// The format of one tensor element; the values are those of tensor descriptors and of the CAPS register.
enum class element_type : std::uint8_t { f64 = 1, f32 = 2, c128 = 3, c64 = 4 };

inline constexpr named_value element_type_values[] = {
    {1, "f64", "real, 64 bits"},
    {2, "f32", "real, 32 bits"},
    {3, "c128", "complex, 2 x 64 bits"},
    {4, "c64", "complex, 2 x 32 bits"},
};

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
    for (const auto& v : element_type_values) {
        if (v.value == static_cast<std::uint32_t>(type)) { return v.name; }
    }
    return "?";
}

constexpr std::optional<element_type> parse_element_type(std::string_view name)
{
    for (const auto& v : element_type_values) {
        if (name == v.name) { return static_cast<element_type>(v.value); }
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
