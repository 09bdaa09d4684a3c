#pragma once
#include <cstddef>
#include <cstdint>
#include <optional>
#include <tensorloom/models/arch/error_code.h>
#include <tensorloom/models/arch/program.h>
#include <tensorloom/models/arch/shell_commands.h>

namespace tensorloom::arch {

/// Bytes of the payload of a command of the shell; nothing when it has no such command.
std::optional<std::size_t> shell_payload_bytes(opcode code);

/// The first reason to refuse the payload of a LOOP, WAIT or SIGNAL; nothing for commands without payload.
///
///     bad_field    a count of 0, a signal above 31, reserved bytes that are not 0
std::optional<refusal> check_control(opcode code, const std::uint8_t* payload);

/// The first reason to refuse a LOAD or STORE in this iteration, on a device with so many bytes of its own, in windows
/// of this size. The first iteration, {0, 0}, is checked when a program is loaded.
///
///     bad_field        reserved bytes that are not 0
///     bad_descriptor   malformed, or addresses outside of 64 bits
///     too_large        a byte outside of the device's memory, or bytes on both sides of the end of a window
std::optional<refusal> check_transfer(const transfer_command& command, const loop_indices& iteration,
                                      std::uint64_t local_bytes, std::uint64_t window_bytes);

} // namespace tensorloom::arch
