#pragma once
#include <cstdint>
#include <tensorloom/models/arch/program/program.h>
#include <tensorloom/models/arch/program/shell_commands.h>

namespace tensorloom::shell {

/// A command of a program at one of the times it runs: within a loop a command runs often.
struct issued_command {
    std::uint32_t index = 0; ///< of the command in the program
    arch::command_header header;
    const std::uint8_t* payload =
        nullptr; ///< header.length - command_header::encoded_bytes of them; stay while the program runs
    arch::loop_indices iteration{}; ///< of the two innermost loops around the command, [0] innermost; 0 without a loop
    std::uint64_t execution = 0;    ///< how often this command has run before, of all the loops around it; modulo 2^64
};

} // namespace tensorloom::shell
