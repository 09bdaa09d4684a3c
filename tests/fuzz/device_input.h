#pragma once
#include <cstddef>
#include <cstdint>
#include <vector>
#include <tensorloom/models/isa/program/device_description.h>

namespace tensorloom::test {

/// An input of the target `device`: a byte that says on which device, then a program as it stands in memory.
struct device_input {
    unsigned device = 0;  ///< of fuzzed_devices()
    unsigned variant = 0; ///< of that device: a format, a geometry; taken modulo those that there are
    std::vector<std::uint8_t> program;

    static device_input decode(const std::uint8_t* data, std::size_t bytes);
    std::vector<std::uint8_t> encode() const;
};

/// In the order that inputs number them: stays as it is as long as corpora do.
const std::vector<const isa::device_description*>& fuzzed_devices();

} // namespace tensorloom::test
