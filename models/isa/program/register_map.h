#pragma once
#include <cstddef>
#include <cstdint>
#include <tensorloom/models/base/values/element_type.h>
#include <tensorloom/models/isa/program/error_code.h>
#include <tensorloom/models/isa/program/register_definition.h>

namespace tensorloom::isa {

/// The registers that every device has, at the same offsets. 32-bit registers, naturally aligned; 64-bit values are
/// LO/HI pairs. Accesses of 1, 2, 4 or 8 bytes at a multiple of their size. Reserved bits and the rest of the 4 KiB
/// block read 0 and ignore writes.
namespace reg {

inline constexpr std::uint32_t id = 0x000;
inline constexpr std::uint32_t version = 0x004;
inline constexpr std::uint32_t caps = 0x008;
inline constexpr std::uint32_t caps_size_0 = 0x010;
inline constexpr std::uint32_t caps_size_1 = 0x014;
inline constexpr std::uint32_t caps_size_2 = 0x018;
inline constexpr std::uint32_t ctrl = 0x020;
inline constexpr std::uint32_t status = 0x024;
inline constexpr std::uint32_t irq_status = 0x028;
inline constexpr std::uint32_t irq_enable = 0x02c;
inline constexpr std::uint32_t program_addr_lo = 0x030;
inline constexpr std::uint32_t program_addr_hi = 0x034;
inline constexpr std::uint32_t error_code = 0x040;
inline constexpr std::uint32_t error_command = 0x044;
inline constexpr std::uint32_t error_addr_lo = 0x048;
inline constexpr std::uint32_t error_addr_hi = 0x04c;
inline constexpr std::uint32_t cycles_lo = 0x050;
inline constexpr std::uint32_t cycles_hi = 0x054;
inline constexpr std::uint32_t commands_done = 0x058;
inline constexpr std::uint32_t token = 0x05c;
inline constexpr std::uint32_t counter_index = 0x060;
inline constexpr std::uint32_t counter_value_lo = 0x068;
inline constexpr std::uint32_t counter_value_hi = 0x06c;
inline constexpr std::uint32_t error_response = 0x070;
inline constexpr std::uint32_t block_bytes = 0x1000;

} // namespace reg

/// VERSION of the register map: major in the upper half (changes break drivers), minor in the lower (additions).
inline constexpr std::uint32_t register_map_major = 1;
inline constexpr std::uint32_t register_map_minor = 5;
inline constexpr std::uint32_t register_map_version = register_map_major << 16 | register_map_minor;

/// The fields of each register, in the order of the map.
namespace fields {

inline constexpr auto ro = register_access::read_only;
inline constexpr auto rw = register_access::read_write;
inline constexpr auto w1c = register_access::write_one_clear;
inline constexpr auto w1s = register_access::write_start;

inline constexpr field_definition id[] = {
    {"NAME", 0, 32, ro, 0, "Four ASCII characters, the first in the lowest byte"},
};
inline constexpr field_definition version[] = {
    {"MINOR", 0, 16, ro, register_map_minor, "Incremented for additions"},
    {"MAJOR", 16, 16, ro, register_map_major, "Incremented for changes that break older drivers"},
};
inline constexpr field_definition caps[] = {
    {"FORMAT", 0, 8, ro, 0, "Element type", base::element_type_values},
    {"COUNTERS", 8, 8, ro, 0, "Number of event counters"},
};
inline constexpr field_definition caps_size[] = {{"SIZE", 0, 32, ro, 0, "Defined by the device"}};
inline constexpr field_definition ctrl[] = {
    {"START", 0, 1, w1s, 0, "Starts the program at PROGRAM_ADDR; ignored while BUSY"},
    {"ABORT", 1, 1, w1s, 0, "Ends the program at its next burst or step boundary, with STATUS ERROR and ABORTED"},
    {"RESET", 2, 1, w1s, 0, "Clears the registers at once and stops the device at its next burst or step boundary"},
};
inline constexpr field_definition status[] = {
    {"BUSY", 0, 1, ro, 0, "A program runs, or a device that was reset has not stopped yet"},
    {"DONE", 1, 1, ro, 0, "The last program ended without an error"},
    {"ERROR", 2, 1, ro, 0, "The last program ended with an error, or was aborted: see ERROR_CODE"},
    {"ABORTED", 3, 1, ro, 0, "The last program was aborted"},
};
inline constexpr field_definition irq_status[] = {
    {"DONE", 0, 1, w1c, 0, "A program ended without an error"},
    {"ERROR", 1, 1, w1c, 0, "A program ended with an error, or was aborted"},
    {"COMMAND", 2, 1, w1c, 0, "An IRQ command was executed"},
};
inline constexpr field_definition irq_enable[] = {
    {"DONE", 0, 1, rw, 0, "IRQ_STATUS.DONE raises irq"},
    {"ERROR", 1, 1, rw, 0, "IRQ_STATUS.ERROR raises irq"},
    {"COMMAND", 2, 1, rw, 0, "IRQ_STATUS.COMMAND raises irq"},
};
inline constexpr field_definition writable_address[] = {{"ADDRESS", 0, 32, rw, 0, "Half of a bus address"}};
inline constexpr field_definition error_code[] = {{"CODE", 0, 32, ro, 0, "Why STATUS.ERROR is set", error_code_values}};
inline constexpr field_definition error_command[] = {{"INDEX", 0, 32, ro, 0, "From 0"}};
inline constexpr field_definition error_addr[] = {{"ADDRESS", 0, 32, ro, 0, "Half of a bus address"}};
inline constexpr field_definition half_count[] = {{"COUNT", 0, 32, ro, 0, "Half of a count of 64 bits"}};
inline constexpr field_definition commands_done[] = {{"COUNT", 0, 32, ro, 0, "From 0, modulo 2^32"}};
inline constexpr field_definition token[] = {{"TOKEN", 0, 32, ro, 0, "From the command's header"}};
inline constexpr field_definition counter_index[] = {
    {"INDEX", 0, 8, rw, 0, "Position in the device's event table, from 0"},
};
inline constexpr field_definition error_response[] = {
    {"RESPONSE", 0, 32, ro, 0, "Response of the bus", bus_response_values},
};

} // namespace fields

inline constexpr register_definition register_map[] = {
    {reg::id, "ID", register_trait::identification, "Identification of the device", fields::id},
    {reg::version, "VERSION", register_trait::plain, "Version of register map, commands and descriptors",
     fields::version},
    {reg::caps, "CAPS", register_trait::identification, "Capabilities of the device", fields::caps},
    {reg::caps_size_0, "CAPS_SIZE_0", register_trait::identification,
     "Device size 0 (TriADA: P1, cells along mode 1; MMU/VCU pair: s, side of the array; FETTA: engines, P << 8, "
     "element type of its sums << 16; orbital torus: P, nodes along a side)",
     fields::caps_size},
    {reg::caps_size_1, "CAPS_SIZE_1", register_trait::identification,
     "Device size 1 (TriADA: P2; MMU/VCU pair: lanes; FETTA: bytes of a bank; orbital torus: elements of a block along "
     "mode 1, along mode 2 << 16)",
     fields::caps_size},
    {reg::caps_size_2, "CAPS_SIZE_2", register_trait::identification,
     "Device size 2 (TriADA: P3; MMU/VCU pair: KiB of its scratchpad; FETTA: bytes of an accumulator bank; orbital "
     "torus: elements of a block along mode 3)",
     fields::caps_size},
    {reg::ctrl, "CTRL", register_trait::plain, "Starts and stops programs; RESET has priority over ABORT and START",
     fields::ctrl},
    {reg::status, "STATUS", register_trait::plain, "State of the device and of its last program", fields::status},
    {reg::irq_status, "IRQ_STATUS", register_trait::plain, "Causes of the interrupt", fields::irq_status},
    {reg::irq_enable, "IRQ_ENABLE", register_trait::plain, "irq is high while IRQ_STATUS & IRQ_ENABLE is not 0",
     fields::irq_enable},
    {reg::program_addr_lo, "PROGRAM_ADDR_LO", register_trait::plain,
     "Address of the program, bits 31..0; a multiple of 16", fields::writable_address},
    {reg::program_addr_hi, "PROGRAM_ADDR_HI", register_trait::plain, "Address of the program, bits 63..32",
     fields::writable_address},
    {reg::error_code, "ERROR_CODE", register_trait::plain, "Why STATUS.ERROR is set; 0 none", fields::error_code},
    {reg::error_command, "ERROR_COMMAND", register_trait::plain, "Index of the command that failed",
     fields::error_command},
    {reg::error_addr_lo, "ERROR_ADDR_LO", register_trait::plain, "Bus address that failed, bits 31..0",
     fields::error_addr},
    {reg::error_addr_hi, "ERROR_ADDR_HI", register_trait::plain, "Bus address that failed, bits 63..32",
     fields::error_addr},
    {reg::cycles_lo, "CYCLES_LO", register_trait::latches_next,
     "Cycles from START to DONE (to now while BUSY), bits 31..0; a read latches CYCLES_HI", fields::half_count},
    {reg::cycles_hi, "CYCLES_HI", register_trait::plain, "Cycles, bits 63..32, as they were when CYCLES_LO was read",
     fields::half_count},
    {reg::commands_done, "COMMANDS_DONE", register_trait::plain,
     "Finished commands; commands in a loop count each time that they run", fields::commands_done},
    {reg::token, "TOKEN", register_trait::plain, "Token of the last command that finished", fields::token},
    {reg::counter_index, "COUNTER_INDEX", register_trait::plain, "Event counter shown by COUNTER_VALUE",
     fields::counter_index},
    {reg::counter_value_lo, "COUNTER_VALUE_LO", register_trait::latches_next,
     "Event counter, bits 31..0 (0 past the last); a read latches COUNTER_VALUE_HI", fields::half_count},
    {reg::counter_value_hi, "COUNTER_VALUE_HI", register_trait::plain,
     "Event counter, bits 63..32, as they were when COUNTER_VALUE_LO was read", fields::half_count},
    {reg::error_response, "ERROR_RESPONSE", register_trait::plain,
     "Bus response of the transaction that failed; 0 none", fields::error_response},
};

inline constexpr std::size_t register_count = sizeof register_map / sizeof register_map[0];
inline constexpr register_table registers{register_map, register_count, reg::block_bytes};

static_assert(offsets_ascend(registers), "registers overlap, are out of order, or lie outside the block");
static_assert(fields_are_apart(registers), "fields overlap, are out of order, or lie outside their register");
static_assert(values_fit(registers), "a reset value or a named value does not fit its field");
static_assert(latches_have_a_place(registers), "a register latches into one that is not there");

/// Bits of CTRL.
inline constexpr std::uint32_t ctrl_start = field_mask(registers, reg::ctrl, "START");
inline constexpr std::uint32_t ctrl_abort = field_mask(registers, reg::ctrl, "ABORT");
inline constexpr std::uint32_t ctrl_reset = field_mask(registers, reg::ctrl, "RESET");
/// Bits of STATUS.
inline constexpr std::uint32_t status_busy = field_mask(registers, reg::status, "BUSY");
inline constexpr std::uint32_t status_done = field_mask(registers, reg::status, "DONE");
inline constexpr std::uint32_t status_error = field_mask(registers, reg::status, "ERROR");
inline constexpr std::uint32_t status_aborted = field_mask(registers, reg::status, "ABORTED");
/// Bits of IRQ_STATUS and IRQ_ENABLE.
inline constexpr std::uint32_t irq_done = field_mask(registers, reg::irq_status, "DONE");
inline constexpr std::uint32_t irq_error = field_mask(registers, reg::irq_status, "ERROR");
inline constexpr std::uint32_t irq_command = field_mask(registers, reg::irq_status, "COMMAND");
static_assert(irq_done == field_mask(registers, reg::irq_enable, "DONE") &&
                  irq_error == field_mask(registers, reg::irq_enable, "ERROR") &&
                  irq_command == field_mask(registers, reg::irq_enable, "COMMAND"),
              "IRQ_STATUS and IRQ_ENABLE have the same bits");

} // namespace tensorloom::isa
