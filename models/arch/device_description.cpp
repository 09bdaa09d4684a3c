#include <tensorloom/models/arch/device_description.h>
#include <tensorloom/models/arch/gemt_command.h>
#include <tensorloom/models/arch/program.h>
#include <tensorloom/models/arch/triada_driver.h>
#include <tensorloom/models/arch/triada_events.h>

namespace tensorloom::arch {
namespace {

constexpr command_description triada_commands[] = {
    {{static_cast<std::uint32_t>(opcode::gemt), "gemt", "three-mode matrix-by-tensor product"},
     gemt_flag_values,
     gemt_layout},
};

constexpr device_description devices[] = {
    {"triada", "TriADA", triada_id, device_id(triada_id), triada_commands,
     sizeof triada_commands / sizeof triada_commands[0], triada_events},
};

} // namespace

device_descriptions described_devices() { return {devices, sizeof devices / sizeof devices[0]}; }

const device_description* find_described_device(std::string_view name)
{
    for (const auto& d : devices) {
        if (name == d.name) { return &d; }
    }
    return nullptr;
}

} // namespace tensorloom::arch
