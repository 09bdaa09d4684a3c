#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>
#include <tensorloom/models/isa/program/device_description.h>
#include <tensorloom/models/isa/program/register_definition.h>

namespace tensorloom::isa {

/// The devices in an export.
using exported_devices = std::vector<const device_description*>;

/// The devices of the library in the order of their places, for the assembler, register exports and other tools that
/// select a device by name.
const exported_devices& described_devices();
/// Their names, separated by ", ".
std::string described_device_names();
/// The same devices in any order, from a source that the build writes: one for each folder models/<device>/isa.
exported_devices device_table();

/// The device of this name, or nullptr.
const device_description* find_described_device(std::string_view name);
/// Likewise; throws input_error with the list of devices when there is no such device.
const device_description& described_device(std::string_view name);

// Exports of the register table, programs, commands and descriptors, for people and for tools that do not read C++. All
// of them are generated from the tables that the devices use.

/// The Markdown text of a section: registers, fields, error_codes, bus_responses, program_header, command_header,
/// opcodes or descriptor; a payload with the flags of its commands ("gemt", "loop", "transfer"); or a device's commands
/// ("mmv_commands"). Throws input_error for another name.
std::string markdown_section(const std::string& name);

/// Replaces the text between each pair of lines
///     <!-- generated: NAME -->
///     <!-- end of generated -->
/// in a Markdown page by that section. Throws input_error when a section is unknown or has no end.
std::string with_generated_sections(const std::string& page);

/// A self-contained C99 header: offsets, fields, reset values, error codes, opcodes, layouts in memory, event counters.
std::string c_header(const exported_devices& devices);

/// CMSIS-SVD 1.3: one peripheral per device, the first at `base`, each following one a register block later; an unnamed
/// peripheral when no device is given.
std::string svd(const exported_devices& devices, std::uint64_t base);

/// Name of an access in exports: "read-only", "read/write", "write 1 to clear", "write 1 to start".
const char* access_text(register_access access);

/// A name in capital letters, as used for constants and peripherals.
std::string capitals(std::string name);

} // namespace tensorloom::isa
