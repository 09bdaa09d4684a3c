#pragma once
#include <cstddef>
#include <cstdint>

namespace tensorloom::arch {

/// The registers that every device has, at the same place. 32-bit registers, naturally aligned; 64-bit values as LO/HI pairs.
/// Access of 1, 2, 4 or 8 bytes at a multiple of that size. Reserved bits and the rest of the 4 KiB block read 0 and ignore writes.
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
inline constexpr std::uint32_t block_bytes = 0x1000;

} // namespace reg

enum class register_access : std::uint8_t {
    read_only, ///< a write is answered with COMMAND_ERROR
    read_write,
    write_one_clear, ///< a 1 written clears the bit
    write_start      ///< reads 0; a 1 written acts once
};

struct register_definition {
    std::uint32_t offset;
    const char* name;
    register_access access;
    std::uint32_t reset;    ///< value after reset (read-only identification registers get theirs from the device)
    std::uint32_t writable; ///< bits that a write can change or act on
    const char* meaning;
};

/// Bits of CTRL.
inline constexpr std::uint32_t ctrl_start = 1u << 0;
inline constexpr std::uint32_t ctrl_abort = 1u << 1;
inline constexpr std::uint32_t ctrl_reset = 1u << 2;
/// Bits of STATUS.
inline constexpr std::uint32_t status_busy = 1u << 0;
inline constexpr std::uint32_t status_done = 1u << 1;
inline constexpr std::uint32_t status_error = 1u << 2;
inline constexpr std::uint32_t status_aborted = 1u << 3;
/// Bits of IRQ_STATUS and IRQ_ENABLE.
inline constexpr std::uint32_t irq_done = 1u << 0;
inline constexpr std::uint32_t irq_error = 1u << 1;
inline constexpr std::uint32_t irq_command = 1u << 2;

/// VERSION of the register map: major in the upper half (changes break drivers), minor in the lower (additions).
inline constexpr std::uint32_t register_map_version = 0x0001'0000;

inline constexpr register_definition register_map[] = {
    {reg::id, "ID", register_access::read_only, 0, 0, "Device: four ASCII characters, the first in the lowest byte"},
    {reg::version, "VERSION", register_access::read_only, register_map_version, 0,
     "Version of register map, commands and descriptors: major in bits 31..16, minor in bits 15..0"},
    {reg::caps, "CAPS", register_access::read_only, 0, 0,
     "Bits 7..0 element type (1 f64, 2 f32, 3 c128, 4 c64); bits 15..8 number of event counters"},
    {reg::caps_size_0, "CAPS_SIZE_0", register_access::read_only, 0, 0,
     "Device size 0 (TriADA: P1, cells along mode 1)"},
    {reg::caps_size_1, "CAPS_SIZE_1", register_access::read_only, 0, 0, "Device size 1 (TriADA: P2)"},
    {reg::caps_size_2, "CAPS_SIZE_2", register_access::read_only, 0, 0, "Device size 2 (TriADA: P3)"},
    {reg::ctrl, "CTRL", register_access::write_start, 0, ctrl_start | ctrl_abort | ctrl_reset,
     "Bit 0 START (ignored while BUSY), bit 1 ABORT, bit 2 RESET; abort and reset act at the next step boundary"},
    {reg::status, "STATUS", register_access::read_only, 0, 0, "Bit 0 BUSY, bit 1 DONE, bit 2 ERROR, bit 3 ABORTED"},
    {reg::irq_status, "IRQ_STATUS", register_access::write_one_clear, 0, irq_done | irq_error | irq_command,
     "Bit 0 program done, bit 1 error or abort, bit 2 IRQ command"},
    {reg::irq_enable, "IRQ_ENABLE", register_access::read_write, 0, irq_done | irq_error | irq_command,
     "irq is high while IRQ_STATUS & IRQ_ENABLE is not 0"},
    {reg::program_addr_lo, "PROGRAM_ADDR_LO", register_access::read_write, 0, 0xffffffff,
     "Address of the program, bits 31..0; a multiple of 16"},
    {reg::program_addr_hi, "PROGRAM_ADDR_HI", register_access::read_write, 0, 0xffffffff,
     "Address of the program, bits 63..32"},
    {reg::error_code, "ERROR_CODE", register_access::read_only, 0, 0,
     "Why STATUS.ERROR is set; 0 none (table of error codes)"},
    {reg::error_command, "ERROR_COMMAND", register_access::read_only, 0, 0, "Index of the command that failed"},
    {reg::error_addr_lo, "ERROR_ADDR_LO", register_access::read_only, 0, 0, "Bus address that failed, bits 31..0"},
    {reg::error_addr_hi, "ERROR_ADDR_HI", register_access::read_only, 0, 0, "Bus address that failed, bits 63..32"},
    {reg::cycles_lo, "CYCLES_LO", register_access::read_only, 0, 0,
     "Cycles from START to DONE (to now while BUSY), bits 31..0"},
    {reg::cycles_hi, "CYCLES_HI", register_access::read_only, 0, 0, "Cycles, bits 63..32"},
    {reg::commands_done, "COMMANDS_DONE", register_access::read_only, 0, 0,
     "Commands of the program that have finished"},
    {reg::token, "TOKEN", register_access::read_only, 0, 0, "Token of the last command that finished"},
    {reg::counter_index, "COUNTER_INDEX", register_access::read_write, 0, 0xff, "Event counter shown by COUNTER_VALUE"},
    {reg::counter_value_lo, "COUNTER_VALUE_LO", register_access::read_only, 0, 0,
     "Event counter, bits 31..0 (0 past the last)"},
    {reg::counter_value_hi, "COUNTER_VALUE_HI", register_access::read_only, 0, 0, "Event counter, bits 63..32"},
};

inline constexpr std::size_t register_count = sizeof register_map / sizeof register_map[0];

} // namespace tensorloom::arch
