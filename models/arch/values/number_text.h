#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tensorloom::arch {

/// An integer of this many bits as two's complement: decimal, or hexadecimal from 0x on, with a minus in front when
/// below 0. Anything that fits either as unsigned or as signed number is taken; nothing otherwise.
std::optional<std::uint64_t> parse_integer(std::string_view text, unsigned bits);

/// The same of an unsigned number: nothing when there is a minus in front.
std::optional<std::uint64_t> parse_unsigned(std::string_view text, unsigned bits);

/// `0x` and hexadecimal digits.
std::string hexadecimal(std::uint64_t value);

/// The parts between the separators; one part when there is none.
std::vector<std::string_view> split(std::string_view text, char separator);

} // namespace tensorloom::arch
