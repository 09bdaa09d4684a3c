#pragma once
#include <cstdint>
#include <tensorloom/models/arch/program/error_code.h>
#include <tensorloom/tlm/cxx_standard.h>
#include <tensorloom/tlm/dma_engine.h>

namespace tensorloom::shell {

/// How a device's command ended.
struct command_outcome {
    arch::error_code error = arch::error_code::none;        ///< aborted: it stopped because it was asked to
    std::uint64_t address = 0;                              ///< with bus_error
    arch::bus_response response = arch::bus_response::none; ///< with bus_error

    bool ok() const { return error == arch::error_code::none; }
};

/// How a command ends whose last transfer ended like this.
command_outcome outcome_of(const bus::dma_result& result);

} // namespace tensorloom::shell
