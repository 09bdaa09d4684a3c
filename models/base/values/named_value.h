#pragma once
#include <cstddef>
#include <cstdint>

namespace tensorloom::base {

/// One value that a register field or a byte of a command may have, with its name in headers and a text for people.
struct named_value {
    std::uint32_t value;
    const char* name;
    const char* meaning;
};

/// The values of one field, in ascending order; none when the field is a plain number.
struct named_values {
    const named_value* first = nullptr;
    std::size_t size = 0;

    constexpr named_values() = default;
    constexpr named_values(const named_value* values, std::size_t count) : first(values), size(count) {}
    template <std::size_t N> constexpr named_values(const named_value (&values)[N]) : first(values), size(N) {}

    constexpr const named_value* begin() const { return first; }
    constexpr const named_value* end() const { return first + size; }
};

} // namespace tensorloom::base
