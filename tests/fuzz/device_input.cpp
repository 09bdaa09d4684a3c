#include "fuzz/device_input.h"
#include <algorithm>

namespace tensorloom::test {

std::optional<device_input> device_input::decode(const std::uint8_t* data, std::size_t bytes)
{
    constexpr std::size_t longest_line = 64;
    const auto* const end = data + std::min(bytes, longest_line);
    const auto* const line_end = std::find(data, end, '\n');
    const auto* const space = std::find(data, line_end, ' ');
    if (line_end == end || space == line_end || std::find(space + 1, line_end, ' ') != line_end) {
        return std::nullopt;
    }
    return device_input{{data, space}, {space + 1, line_end}, {line_end + 1, data + bytes}};
}

std::vector<std::uint8_t> device_input::encode() const
{
    const std::string line = device + " " + variant + "\n";
    std::vector<std::uint8_t> bytes(line.begin(), line.end());
    bytes.insert(bytes.end(), program.begin(), program.end());
    return bytes;
}

} // namespace tensorloom::test
