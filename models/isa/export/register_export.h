#pragma once
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>
#include <tensorloom/models/isa/program/device_description.h>
#include <tensorloom/models/isa/program/memory_map.h>
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

// Exports of the register table, programs, commands and descriptors, and of memory maps, for people and for tools that
// do not read C++. All of them are generated from the tables that the devices use.

/// The Markdown text of a section: registers, fields, error_codes, bus_responses, program_header, command_header,
/// opcodes or descriptor; a payload with the flags of its commands ("gemt", "loop", "transfer"); or a device's commands
/// ("mmv_commands"). Throws input_error for another name.
std::string markdown_section(const std::string& name);

/// Replaces the text between each pair of lines
///     <!-- generated: NAME -->
///     <!-- end of generated -->
/// in a Markdown page by what `section` returns for its name. Throws input_error when a section has no end.
using section_writer = std::function<std::string(const std::string& name)>;
std::string with_generated_sections(const std::string& page, const section_writer& section = markdown_section);

/// A self-contained C99 header: offsets, fields, reset values, error codes, opcodes, layouts in memory, event counters.
std::string c_header(const exported_devices& devices);

/// CMSIS-SVD 1.3: a peripheral with its interrupt per device; a peripheral without registers per memory.
std::string svd(const memory_map& map);

/// SystemRDL 2.0: an addrmap per kind of device, and one of the platform, with an external mem per memory.
std::string systemrdl(const memory_map& map);

/// IP-XACT, IEEE 1685-2014: a component with one memory map, an address block per device and memory. It has no bus
/// interfaces, ports or interrupts: these are the platform's.
std::string ipxact(const memory_map& map);

/// A C99 header of the platform: for every device NAME_BASE, NAME_BYTES, NAME_INTERRUPT and NAME_ID (the value of its
/// register ID), for every memory NAME_BASE and NAME_BYTES, after the platform's name.
std::string map_header(const memory_map& map);

/// Nodes of a device tree, to be included in that of a board: a node per memory below the root, a bus with a node per
/// device. Addresses and sizes have two cells.
std::string device_tree(const memory_map& map);

/// Value of a register after reset, the same on every device of this kind; nothing where it depends on the device's
/// configuration.
std::optional<std::uint32_t> known_reset(const register_definition& r, const device_description& device);

/// Name of an access in exports: "read-only", "read/write", "write 1 to clear", "write 1 to start".
const char* access_text(register_access access);

/// A name in capital letters, as used for constants and peripherals.
std::string capitals(std::string name);

} // namespace tensorloom::isa
