#include <tensorloom/models/arch/device_description.h>
#include <algorithm>
#include <array>
#include <string>
#include <tensorloom/models/arch/fetta/contract_command.h>
#include <tensorloom/models/arch/fetta/driver.h>
#include <tensorloom/models/arch/fetta/events.h>
#include <tensorloom/models/arch/fetta/limits.h>
#include <tensorloom/models/arch/fetta/opcode.h>
#include <tensorloom/models/arch/gemt_command.h>
#include <tensorloom/models/arch/input_error.h>
#include <tensorloom/models/arch/mmv/driver.h>
#include <tensorloom/models/arch/mmv/events.h>
#include <tensorloom/models/arch/mmv/matmul_command.h>
#include <tensorloom/models/arch/mmv/opcode.h>
#include <tensorloom/models/arch/mmv/strided_command.h>
#include <tensorloom/models/arch/mmv/vector_command.h>
#include <tensorloom/models/arch/program.h>
#include <tensorloom/models/arch/quoted_text.h>
#include <tensorloom/models/arch/shell_commands.h>
#include <tensorloom/models/arch/triada_driver.h>
#include <tensorloom/models/arch/triada_events.h>

namespace tensorloom::arch {
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

constexpr command_description triada_commands[] = {
    {{static_cast<std::uint32_t>(opcode::gemt), "gemt", "three-mode matrix-by-tensor product"},
     gemt_flag_values,
     &gemt_layout},
};

constexpr command_description describe(const mmv::instruction& from)
{
    const named_value code{static_cast<std::uint32_t>(from.code), from.name, from.meaning};
    switch (from.payload) {
    case mmv::payload_kind::matmul: return {code, {}, &mmv::matmul_layout};
    case mmv::payload_kind::vector: return {code, mmv::vector_flag_values, &mmv::vector_layout};
    default: return {code, {}, &mmv::strided_layout};
    }
}

constexpr std::array<command_description, mmv::instruction_count> describe_mmv()
{
    std::array<command_description, mmv::instruction_count> commands{};
    for (std::size_t i = 0; i < mmv::instruction_count; ++i) { commands[i] = describe(mmv::instructions[i]); }
    return commands;
}

// What every FETTA has: the geometry decides where words lie, not what is done with them.
constexpr bool is_of_fetta(const mmv::instruction& i)
{
    return i.executed_by == mmv::unit::vector && fetta::vector_limits_of({}).offers(i.code);
}

constexpr std::size_t count_of_fetta_vectors()
{
    std::size_t n = 0;
    for (const mmv::instruction& i : mmv::instructions) { n += is_of_fetta(i) ? 1 : 0; }
    return n;
}

// The contraction, then the instructions that its vector unit has of those of an MMU/VCU pair's.
constexpr std::array<command_description, 1 + count_of_fetta_vectors()> describe_fetta()
{
    std::array<command_description, 1 + count_of_fetta_vectors()> commands{};
    commands[0] = {{static_cast<std::uint32_t>(fetta::opcode::contract), "contract",
                    "contraction of two tensors on the contraction engines"},
                   fetta::contract_flag_values,
                   &fetta::contract_layout};
    std::size_t next = 1;
    for (const mmv::instruction& i : mmv::instructions) {
        if (is_of_fetta(i)) { commands[next++] = describe(i); }
    }
    return commands;
}

constexpr auto shell_commands = describe_shell();
constexpr auto mmv_commands = describe_mmv();
constexpr auto fetta_commands = describe_fetta();

constexpr device_description devices[] = {
    {"triada",
     "TriADA",
     triada_id,
     device_id(triada_id),
     {triada_commands, sizeof triada_commands / sizeof triada_commands[0]},
     triada_events},
    {"mmv",
     "MMU/VCU pair",
     mmv::mmv_id,
     device_id(mmv::mmv_id),
     {mmv_commands.data(), mmv_commands.size()},
     mmv::events},
    {"fetta",
     "FETTA",
     fetta::fetta_id,
     device_id(fetta::fetta_id),
     {fetta_commands.data(), fetta_commands.size()},
     fetta::events},
};

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

device_descriptions described_devices() { return {devices, sizeof devices / sizeof devices[0]}; }

const device_description* find_described_device(std::string_view name)
{
    for (const auto& d : devices) {
        if (name == d.name) { return &d; }
    }
    return nullptr;
}

const device_description& described_device(std::string_view name)
{
    const auto* device = find_described_device(name);
    if (device != nullptr) { return *device; }
    std::string known;
    for (const auto& d : described_devices()) { known += (known.empty() ? "" : ", ") + std::string(d.name); }
    throw input_error("device: found " + in_quotes(name) + ", expected " + known);
}

} // namespace tensorloom::arch
