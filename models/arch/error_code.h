#pragma once
#include <cstdint>
#include <string>

namespace tensorloom::arch {

/// Values of the ERROR_CODE register.
enum class error_code : std::uint32_t {
    none = 0,
    bad_program = 1, ///< program header: magic, version, sizes, address
    bad_command = 2, ///< command header: length, reserved fields, flags
    unknown_opcode = 3,
    unsupported_opcode = 4, ///< a common opcode that this version of the shell does not execute
    bad_descriptor = 5,
    bad_field = 6,          ///< a field of a command has a value that is not allowed
    unsupported_format = 7, ///< the job's element type is not the device's
    too_large = 8,          ///< the problem does not fit the device
    bus_error = 9,          ///< a transfer failed; ERROR_ADDR has the address
    not_resident = 10,      ///< matrices should be kept but none of this size are in the actuators
    bad_row_order = 11,     ///< a row order in memory is not a permutation
    aborted = 12
};

/// A short text for people.
constexpr const char* error_text(error_code code)
{
    switch (code) {
    case error_code::none: return "no error";
    case error_code::bad_program: return "malformed program header";
    case error_code::bad_command: return "malformed command header";
    case error_code::unknown_opcode: return "unknown opcode";
    case error_code::unsupported_opcode: return "opcode not supported by this device version";
    case error_code::bad_descriptor: return "malformed tensor descriptor";
    case error_code::bad_field: return "command field out of range";
    case error_code::unsupported_format: return "element type differs from the device's";
    case error_code::too_large: return "problem larger than the device";
    case error_code::bus_error: return "bus error";
    case error_code::not_resident: return "no matrices of this size are resident";
    case error_code::bad_row_order: return "row order is not a permutation";
    case error_code::aborted: return "aborted";
    }
    return "unknown error code";
}

/// A reason to refuse a command.
struct refusal {
    error_code code;
    std::string text;
};

} // namespace tensorloom::arch
