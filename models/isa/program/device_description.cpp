#include <tensorloom/models/isa/program/device_description.h>
#include <algorithm>
#include <tensorloom/models/isa/program/program.h>
#include <tensorloom/models/isa/program/shell_commands.h>

namespace tensorloom::isa {
namespace {

constexpr std::size_t shell_command_count = sizeof opcode_values / sizeof opcode_values[0];

constexpr std::array<command_description, shell_command_count> describe_shell()
{
    std::array<command_description, shell_command_count> commands{};
    for (std::size_t i = 0; i < shell_command_count; ++i) {
        commands[i] = {opcode_values[i], {}, shell_payload(static_cast<opcode>(opcode_values[i].value))};
    }
    return commands;
}

constexpr auto shell_commands = describe_shell();

template <class Matches>
const command_description* find_command_if(const device_description& device, const Matches& matches)
{
    for (const auto& list : {shell_command_descriptions(), device.commands}) {
        const auto* found = std::find_if(list.begin(), list.end(), matches);
        if (found != list.end()) { return found; }
    }
    return nullptr;
}

} // namespace

command_descriptions shell_command_descriptions() { return {shell_commands.data(), shell_commands.size()}; }

const command_description* find_command(const device_description& device, std::uint8_t opcode)
{
    return find_command_if(device, [&](const command_description& c) { return c.opcode.value == opcode; });
}

const command_description* find_command(const device_description& device, std::string_view name)
{
    return find_command_if(device, [&](const command_description& c) { return c.opcode.name == name; });
}

std::vector<const command_description*> distinct_payloads(const command_descriptions& commands)
{
    std::vector<const command_description*> distinct;
    for (const auto& c : commands) {
        const auto same = [&](const command_description* d) { return d->payload == c.payload; };
        if (c.payload != nullptr && std::none_of(distinct.begin(), distinct.end(), same)) { distinct.push_back(&c); }
    }
    return distinct;
}

} // namespace tensorloom::isa
