#pragma once
#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>
#include <tensorloom/models/base/values/byte_layout.h>
#include <tensorloom/models/base/values/event_table.h>
#include <tensorloom/models/base/values/named_value.h>

namespace tensorloom::isa {

/// A command: its opcode, the flags of its header, and its payload. Commands with the same payload have the same flags.
struct command_description {
    base::named_value opcode{};
    base::named_values flags{};
    const base::byte_layout* payload = nullptr; ///< nullptr: none
};

/// Commands in ascending order of their opcodes.
struct command_descriptions {
    const command_description* first;
    std::size_t size;

    constexpr const command_description* begin() const { return first; }
    constexpr const command_description* end() const { return first + size; }
};

/// A device's own list of commands, in that order. At most 64: more do not compile.
struct command_list {
    std::array<command_description, 64> commands{};
    std::size_t size = 0;

    constexpr void add(const command_description& command) { commands[size++] = command; }
    constexpr command_descriptions all() const { return {commands.data(), size}; }
};

/// The commands that every device's shell executes.
command_descriptions shell_command_descriptions();

/// The description of a device for software, besides the registers that all devices share.
struct device_description {
    const char* name;              ///< "triada"
    const char* title;             ///< "TriADA"
    const char* id_text;           ///< the four characters of the ID register
    std::uint32_t id;              ///< and its value
    command_descriptions commands; ///< besides those of the shell
    base::event_table events;      ///< in the order of the counter window
    unsigned place;                ///< in lists of all devices, which ascend by it
};

/// The command with this opcode, or with this name, of the device or its shell; nullptr when there is none.
const command_description* find_command(const device_description& device, std::uint8_t opcode);
const command_description* find_command(const device_description& device, std::string_view name);

/// The distinct payload layouts of a list, in order of first appearance.
std::vector<const command_description*> distinct_payloads(const command_descriptions& commands);

} // namespace tensorloom::isa
