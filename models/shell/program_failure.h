#pragma once
#include <cstdint>
#include <tensorloom/models/arch/program/error_code.h>
#include <tensorloom/models/shell/command_outcome.h>

namespace tensorloom::shell {

/// Why a program ended before its end: what the ERROR registers show.
struct program_failure {
    arch::error_code code;
    std::uint32_t command; ///< index in the program
    std::uint64_t address = 0;
    arch::bus_response response = arch::bus_response::none;
};

inline program_failure failure_of(const command_outcome& outcome, std::uint32_t command)
{
    return {outcome.error, command, outcome.address, outcome.response};
}

} // namespace tensorloom::shell
