#pragma once
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <tensorloom/models/arch/byte_layout.h>
#include <tensorloom/models/arch/event_table.h>
#include <tensorloom/models/arch/named_value.h>

namespace tensorloom::arch {

/// A command that belongs to a device: its opcode, the flags of its header, and its payload.
struct command_description {
    named_value opcode;
    named_values flags;
    byte_layout payload;
};

/// What firmware must know of a device besides the registers that all devices have.
struct device_description {
    const char* name;    ///< "triada"
    const char* title;   ///< "TriADA"
    const char* id_text; ///< the four characters of the ID register
    std::uint32_t id;    ///< and its value
    const command_description* commands;
    std::size_t command_count;
    event_table events; ///< in the order of the counter window
};

/// The devices of the library.
struct device_descriptions {
    const device_description* first;
    std::size_t size;

    constexpr const device_description* begin() const { return first; }
    constexpr const device_description* end() const { return first + size; }
};
device_descriptions described_devices();

/// The device of this name, or nullptr.
const device_description* find_described_device(std::string_view name);

} // namespace tensorloom::arch
