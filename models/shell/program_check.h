#pragma once
#include <cstdint>
#include <functional>
#include <optional>
#include <vector>
#include <tensorloom/models/arch/program/error_code.h>
#include <tensorloom/models/arch/program/program.h>
#include <tensorloom/models/shell/local_memory.h>
#include <tensorloom/models/shell/program_failure.h>
#include <tensorloom/tlm/cxx_standard.h>

namespace tensorloom::shell {

/// A reason to refuse a command of the device's own: header, payload, bytes of payload.
using device_check =
    std::function<std::optional<arch::refusal>(const arch::command_header&, const std::uint8_t*, std::size_t)>;

/// The first thing wrong with a program of which the header is right (program_fetch.h), before any of it runs.
///
///     bad_program          commands that end before or behind the program's end
///     bad_command          length, flags or reserved bytes of a header; a fifth LOOP inside four; an END without LOOP;
///                          when nothing else is wrong, the first LOOP without END
///     unknown_opcode
///     unsupported_opcode   LOAD or STORE without a memory
///     and what arch/shell_command_check.h and the device say of payloads
///
/// `memory`: what LOAD and STORE move into and out of, or nullptr.
std::optional<program_failure> check_program(const std::vector<std::uint8_t>& program, const local_memory* memory,
                                             const device_check& device);

} // namespace tensorloom::shell
