#pragma once
#include <cstdint>
#include <string>
#include <tensorloom/models/base/values/named_value.h>

namespace tensorloom::isa {

/// Values of the ERROR_CODE register.
enum class error_code : std::uint32_t {
    none = 0,
    bad_program = 1, ///< program header: magic, version, sizes, address
    bad_command =
        2, ///< command header: length, reserved fields, flags; LOOP without END, END without LOOP, more than 4 nested
    unknown_opcode = 3,
    unsupported_opcode = 4, ///< no unit of the device executes it: LOAD and STORE without local memory, an instruction
                            ///< of a missing functional block
    bad_descriptor = 5,
    bad_field = 6,          ///< a field of a command has an invalid value
    unsupported_format = 7, ///< the command's element type is not the device's
    too_large = 8,          ///< the problem does not fit the device
    bus_error = 9,          ///< a transfer failed; ERROR_ADDR has the address
    not_resident = 10,      ///< matrices are to be kept, but the actuators hold none of this size
    bad_row_order = 11,     ///< a row order in memory is not a permutation
    aborted = 12,
    /// An integer sum exceeded the range of the accumulators. Y is not written; in a product of tiles, completed blocks
    /// are.
    accumulator_overflow = 13,
    arithmetic_overflow = 14, ///< an integer result of a vector or scalar instruction exceeded the range of its words
    bad_index = 15,           ///< an index of a gather, compaction or revert is outside its table
    never_signalled = 16      ///< a WAIT for a signal that no earlier command sets
};

/// The codes with their names and descriptions, in ascending order without gaps.
inline constexpr base::named_value error_code_values[] = {
    {0, "none", "no error"},
    {1, "bad_program", "malformed program header"},
    {2, "bad_command", "malformed command header, or LOOP and END that do not match"},
    {3, "unknown_opcode", "unknown opcode"},
    {4, "unsupported_opcode", "no unit of the device executes this opcode"},
    {5, "bad_descriptor", "malformed tensor descriptor"},
    {6, "bad_field", "command field out of range"},
    {7, "unsupported_format", "element type differs from the device's"},
    {8, "too_large", "problem larger than the device"},
    {9, "bus_error", "bus error"},
    {10, "not_resident", "no matrices of this size are resident"},
    {11, "bad_row_order", "row order is not a permutation"},
    {12, "aborted", "aborted"},
    {13, "accumulator_overflow", "a sum exceeds the range of the accumulators"},
    {14, "arithmetic_overflow", "an integer result exceeds the range of its words"},
    {15, "bad_index", "an index is outside its table"},
    {16, "never_signalled", "waits for a signal that no command sets"},
};

constexpr bool codes_have_no_gaps()
{
    std::uint32_t next = 0;
    for (const auto& v : error_code_values) {
        if (v.value != next++) { return false; }
    }
    return next == static_cast<std::uint32_t>(error_code::never_signalled) + 1;
}
static_assert(codes_have_no_gaps(), "one entry per error code, in their order");

/// The description of an error.
constexpr const char* error_text(error_code code)
{
    for (const auto& v : error_code_values) {
        if (v.value == static_cast<std::uint32_t>(code)) { return v.meaning; }
    }
    return "unknown error code";
}

/// Values of the ERROR_RESPONSE register: the bus response to the failed transaction.
enum class bus_response : std::uint32_t {
    none = 0, ///< no transaction failed
    address_error = 1,
    command_error = 2,
    burst_error = 3,
    byte_enable_error = 4,
    generic_error = 5,
    incomplete = 6, ///< the target set no response
    timed_out = 7   ///< the target gave no answer within the time-out of the DMA
};

/// The responses with their names and descriptions.
inline constexpr base::named_value bus_response_values[] = {
    {static_cast<std::uint32_t>(bus_response::none), "none", "no transaction failed"},
    {static_cast<std::uint32_t>(bus_response::address_error), "address_error",
     "no target, or not an address of the target"},
    {static_cast<std::uint32_t>(bus_response::command_error), "command_error",
     "the target does not accept this command at this address"},
    {static_cast<std::uint32_t>(bus_response::burst_error), "burst_error",
     "the target does not accept this length or alignment"},
    {static_cast<std::uint32_t>(bus_response::byte_enable_error), "byte_enable_error",
     "the target does not accept these byte enables"},
    {static_cast<std::uint32_t>(bus_response::generic_error), "generic_error", "the target failed"},
    {static_cast<std::uint32_t>(bus_response::incomplete), "incomplete", "the target set no response"},
    {static_cast<std::uint32_t>(bus_response::timed_out), "timed_out",
     "the target gave no answer within the DMA's time-out"},
};

/// A reason to refuse a command.
struct check_error {
    error_code code;
    std::string text;
};

} // namespace tensorloom::isa
