#pragma once
#include <cstdint>
#include <optional>
#include <ostream>
#include <vector>
#include <systemc>
#include "platform.h"

namespace tensorloom::virtual_platform {

/// The end of a run.
struct run_end {
    std::optional<std::uint32_t> exit_status; ///< nothing: the firmware did not end within 1 s of simulated time
    std::uint64_t instructions = 0;
    double cpu_s = 0; ///< CPU time of the simulation, without construction
};

/// Elaborates a platform and simulates it: once per process.
run_end run_platform(const platform_config& config, const sc_core::sc_time& quantum,
                     const std::vector<unsigned char>& firmware, std::ostream& console_output);

/// Prints a table of simulated instructions per second, with and without devices. Each row is measured `rounds` times,
/// in a process of its own, in turns with the others.
void measure_speed(const std::vector<unsigned char>& firmware, unsigned rounds);

} // namespace tensorloom::virtual_platform
