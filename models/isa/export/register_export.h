#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>
#include <tensorloom/models/isa/program/device_description.h>
#include <tensorloom/models/isa/program/register_definition.h>

namespace tensorloom::isa {

/// Which devices an export describes.
using exported_devices = std::vector<const device_description*>;

/// The devices of the library: what an assembler, a register export or a tool that knows them by name works from. In
/// ascending order of their places.
const exported_devices& described_devices();
/// Their names, separated by ", ".
std::string described_device_names();
/// The same devices in any order, from a source that the build writes: one for each folder models/<device>/isa.
exported_devices device_table();

/// The device of this name, or nullptr.
const device_description* find_described_device(std::string_view name);
/// The same; throws input_error, which names the devices that there are, when there is none.
const device_description& described_device(std::string_view name);

// The register table, programs, commands and descriptors, for people and tools that do not read C++. All of it comes
// from the tables that the devices themselves use.

/// A text of Markdown for each of the sections registers, fields, error_codes, bus_responses, program_header,
/// command_header, opcodes and descriptor; one per payload, with the flags of its commands ("gemt", "loop",
/// "transfer"); and one per device with its commands ("mmv_commands"). Throws input_error for another name.
std::string markdown_section(const std::string& name);

/// A page of Markdown, with what stands between each pair of lines
///     <!-- generated: NAME -->
///     <!-- end of generated -->
/// replaced by that section. Throws input_error when a section is unknown or has no end.
std::string with_generated_sections(const std::string& page);

/// A header in C99 that needs no other: offsets, fields, reset values, error codes, opcodes, layouts in memory, event
/// counters.
std::string c_header(const exported_devices& devices);

/// CMSIS-SVD 1.3: a peripheral per device, the first at `base` and each next one a register block later; a nameless one
/// when no device is given.
std::string svd(const exported_devices& devices, std::uint64_t base);

/// How an export names an access: "read-only", "read/write", "write 1 to clear", "write 1 to start".
const char* access_text(register_access access);

/// A name as constants and peripherals spell it: in capital letters.
std::string capitals(std::string name);

} // namespace tensorloom::isa
