#pragma once
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace tensorloom::test {

/// An input of the targets `device` and `asm`: a line with two words, then a program. The first word is the name of a
/// device, the second a variant of it: "torus bf16". Names keep their meaning when devices or variants are added.
struct device_input {
    std::string device;
    std::string variant; ///< target `device`: of fuzzed_device::variants(); target `asm`: "text" or "bytes"
    std::vector<std::uint8_t> program;

    /// Nothing when the line is missing or has other than two words.
    static std::optional<device_input> decode(const std::uint8_t* data, std::size_t bytes);
    std::vector<std::uint8_t> encode() const;
};

} // namespace tensorloom::test
