#pragma once
#include <cstdint>
#include <optional>
#include <vector>
#include <tensorloom/models/shell/program_failure.h>
#include <tensorloom/tlm/cxx_standard.h>
#include <tensorloom/tlm/dma_engine.h>
#include <tensorloom/tlm/stop_request.h>

namespace tensorloom::shell {

/// Reads a program from memory: its header, then the rest. Takes the time of both transfers.
///
/// Errors     bad_program   an address that is not a multiple of 16; magic, version or size in the header
///            bus_error, aborted
std::optional<program_failure> fetch_program(std::uint64_t address, std::uint32_t max_bytes, bus::dma_engine& dma,
                                             const bus::stop_request& stop, std::vector<std::uint8_t>& program);

} // namespace tensorloom::shell
