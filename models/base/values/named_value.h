#pragma once
#include <cstddef>
#include <cstdint>

namespace tensorloom::base {

/// One value of a register field or a command byte, with its name in headers and a description.
struct named_value {
    std::uint32_t value;
    const char* name;
    const char* meaning;
};

/// The values of one field, in ascending order; empty for a plain number.
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
