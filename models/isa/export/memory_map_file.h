#pragma once
#include <cstdint>
#include <string>
#include <tensorloom/models/isa/export/register_export.h>
#include <tensorloom/models/isa/program/memory_map.h>

namespace tensorloom::isa {

/// Reads the memory map of a platform from a YAML file:
///
///     platform: board
///     devices:
///       - {name: transform, kind: triada, base: 0x40000000, interrupt: 1}
///     memories:
///       - {name: sram, base: 0x80000000, size: 0x100000}
///     interrupts: {controller: plic, cells: 1}
///
/// platform      name of the platform
/// devices       at least one; kind: a device of the library; base: address of its register block, a multiple of 4096;
///               interrupt: 0 to 1023, may be that of another device
/// memories      optional; base and size: multiples of 4096, size at least 4096
/// interrupts    optional, for device trees; controller: label of the interrupt controller's node; cells: 1 (number), 2
///               (number, level) or 3 (0, number, level: a shared peripheral interrupt of a GIC)
///
/// Names have lower-case letters, digits and _, begin with a letter, and are unique. Addresses are decimal or
/// hexadecimal with 0x, and no two ranges overlap. Every key but the optional ones is required, no other is allowed.
/// Throws base::input_error, one line with file and line: "board.yaml:3: found 'gpu', expected one of triada, mmv".
memory_map read_memory_map(const std::string& path);

/// Likewise from the text of a file, which messages call `origin`.
memory_map parse_memory_map(const std::string& text, const std::string& origin);

/// Devices named after their kinds, each one register block and one interrupt after the one before.
memory_map devices_in_a_row(const exported_devices& devices, std::uint64_t first_base, unsigned first_interrupt);

} // namespace tensorloom::isa
