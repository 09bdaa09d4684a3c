#include "fuzz/device_input.h"
#include <tensorloom/models/isa/export/register_export.h>

namespace tensorloom::test {

const std::vector<const isa::device_description*>& fuzzed_devices()
{
    static const std::vector<const isa::device_description*> devices{
        &isa::described_device("mmv"), &isa::described_device("fetta"), &isa::described_device("triada")};
    return devices;
}

device_input device_input::decode(const std::uint8_t* data, std::size_t bytes)
{
    device_input input;
    if (bytes == 0) { return input; }
    const auto devices = static_cast<unsigned>(fuzzed_devices().size());
    input.device = data[0] % devices;
    input.variant = data[0] / devices;
    input.program.assign(data + 1, data + bytes);
    return input;
}

std::vector<std::uint8_t> device_input::encode() const
{
    const auto devices = static_cast<unsigned>(fuzzed_devices().size());
    std::vector<std::uint8_t> bytes{static_cast<std::uint8_t>(variant * devices + device)};
    bytes.insert(bytes.end(), program.begin(), program.end());
    return bytes;
}

} // namespace tensorloom::test
