#pragma once
#include <complex>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <tensorloom/models/base/values/named_value.h>

namespace tensorloom::arithmetic {
struct bfloat16;
struct float16;
} // namespace tensorloom::arithmetic

namespace tensorloom::base {

/// The format of one tensor element; the values are those of tensor descriptors and of the CAPS register.
///
/// A device computes in one of them; sums of bf16 and f16 are kept in f32 (of bf16 optionally in bf16 in a FETTA),
/// those of int8 in int32.
enum class element_type : std::uint8_t {
    f64 = 1,
    f32 = 2,
    c128 = 3,
    c64 = 4,
    bf16 = 5,
    int8 = 6,
    int32 = 7,
    int64 = 8,
    f16 = 9
};

inline constexpr named_value element_type_values[] = {
    {1, "f64", "real, 64 bits"},
    {2, "f32", "real, 32 bits"},
    {3, "c128", "complex, 2 x 64 bits"},
    {4, "c64", "complex, 2 x 32 bits"},
    {5, "bf16", "real, 16 bits (bfloat16)"},
    {6, "int8", "integer, 8 bits"},
    {7, "int32", "integer, 32 bits"},
    {8, "int64", "integer, 64 bits"},
    {9, "f16", "real, 16 bits (IEEE 754 binary16)"},
};

/// The formats that a unit computes in, in no particular order.
struct element_types {
    const element_type* first;
    std::size_t size;

    template <std::size_t N> constexpr element_types(const element_type (&types)[N]) : first(types), size(N) {}

    constexpr const element_type* begin() const { return first; }
    constexpr const element_type* end() const { return first + size; }
    /// Whether the value is one of them (descriptors and registers may hold anything).
    constexpr bool contains(std::uint8_t value) const
    {
        for (const auto t : *this) {
            if (static_cast<std::uint8_t>(t) == value) { return true; }
        }
        return false;
    }
};

/// The formats of a weight-stationary systolic array.
inline constexpr element_type systolic_formats[] = {element_type::f64,   element_type::f32,  element_type::c128,
                                                    element_type::bf16,  element_type::f16,  element_type::int8,
                                                    element_type::int32, element_type::int64};

constexpr bool is_complex(element_type type) { return type == element_type::c128 || type == element_type::c64; }
constexpr bool is_integer(element_type type)
{
    return type == element_type::int8 || type == element_type::int32 || type == element_type::int64;
}

/// Bytes of one element in memory (complex: real part, then imaginary part).
constexpr std::size_t element_bytes(element_type type)
{
    switch (type) {
    case element_type::c128: return 16;
    case element_type::f64:
    case element_type::int64:
    case element_type::c64: return 8;
    case element_type::f32:
    case element_type::int32: return 4;
    case element_type::bf16:
    case element_type::f16: return 2;
    case element_type::int8: return 1;
    }
    return 0;
}
constexpr unsigned element_bits(element_type type) { return static_cast<unsigned>(8 * element_bytes(type)); }

/// Whether the value is a format (descriptors come from memory and may hold anything).
constexpr bool is_element_type(std::uint8_t value) { return value >= 1 && value <= 9; }

/// The format of sums in a device of this format.
constexpr element_type accumulator_type(element_type type)
{
    switch (type) {
    case element_type::bf16:
    case element_type::f16: return element_type::f32;
    case element_type::int8: return element_type::int32;
    default: return type;
    }
}

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
template <> inline constexpr element_type element_type_of<arithmetic::bfloat16> = element_type::bf16;
template <> inline constexpr element_type element_type_of<arithmetic::float16> = element_type::f16;
template <> inline constexpr element_type element_type_of<std::int8_t> = element_type::int8;
template <> inline constexpr element_type element_type_of<std::int32_t> = element_type::int32;
template <> inline constexpr element_type element_type_of<std::int64_t> = element_type::int64;

/// Calls run(Element{}) with the listed C++ type that implements a format, and returns its result; a default value when
/// none does.
template <class... Elements, class Run> auto with_element(element_type format, const Run& run)
{
    std::common_type_t<decltype(run(Elements{}))...> result{};
    static_cast<void>(((element_type_of<Elements> == format && (result = run(Elements{}), true)) || ...));
    return result;
}

} // namespace tensorloom::base
