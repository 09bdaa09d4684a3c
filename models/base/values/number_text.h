#pragma once
#include <array>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>
#include <tensorloom/models/base/values/input_error.h>

namespace tensorloom::base {

/// Parses an integer of this many bits in two's complement: decimal, or hexadecimal with 0x, optionally with a minus
/// sign. Accepts values that fit either as unsigned or as signed number; returns nothing otherwise.
std::optional<std::uint64_t> parse_integer(std::string_view text, unsigned bits);

/// Likewise for an unsigned number: nothing with a minus sign.
std::optional<std::uint64_t> parse_unsigned(std::string_view text, unsigned bits);

/// `0x` and hexadecimal digits.
std::string hexadecimal(std::uint64_t value);

/// The fewest digits that read back as this value.
std::string shortest_text(double value);

/// The parts between the separators; one part when there is none.
std::vector<std::string_view> split(std::string_view text, char separator);

/// Parses the whole text as one decimal number of the type: nothing is skipped, wrapped or rounded to infinity.
template <class T> std::optional<T> parse_number(std::string_view text)
{
    T value{};
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc{} || end != text.data() + text.size()) { return std::nullopt; }
    if constexpr (std::is_floating_point_v<T>) {
        if (!std::isfinite(value)) { return std::nullopt; }
    }
    return value;
}

/// Three such numbers with separators between them, each from `least` to `most`.
template <class T> std::optional<std::array<T, 3>> parse_three(std::string_view text, char separator, T least, T most)
{
    const auto parts = split(text, separator);
    std::array<T, 3> numbers{};
    if (parts.size() != numbers.size()) { return std::nullopt; }
    for (std::size_t i = 0; i < numbers.size(); ++i) {
        const auto number = parse_number<T>(parts[i]);
        if (!number || *number < least || *number > most) { return std::nullopt; }
        numbers[i] = *number;
    }
    return numbers;
}

/// " from 1 to 8"
template <class T> std::string range_text(const T& least, const T& most)
{
    if constexpr (std::is_floating_point_v<T>) {
        return " from " + shortest_text(least) + " to " + shortest_text(most);
    } else {
        return " from " + std::to_string(least) + " to " + std::to_string(most);
    }
}

/// Throws input_error for a value outside: "WHAT is 9, expected a whole number from 1 to 8". NaN is outside.
template <class T> void check_range(const std::string& what, T value, T least, T most)
{
    if (value >= least && value <= most) { return; }
    if constexpr (std::is_floating_point_v<T>) {
        throw input_error(what + " is " + shortest_text(value) + ", expected a number" + range_text(least, most));
    } else {
        throw input_error(what + " is " + std::to_string(value) + ", expected a whole number" +
                          range_text(least, most));
    }
}

} // namespace tensorloom::base
