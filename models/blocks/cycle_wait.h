#pragma once
#include <cstdint>
#include <systemc>
#include <tensorloom/tlm/cxx_standard.h>
#include <tensorloom/tlm/stop_request.h>

namespace tensorloom::blocks {

/// So many clock periods pass for the calling thread, from now on; fewer when a stop acts at a period's end before the
/// last: how many have passed. (A stop that acts at the end of the last comes too late: all is done.)
/// What ends later than sc_max_time() ends then, and with it the simulation.
std::uint64_t wait_cycles(std::uint64_t cycles, const sc_core::sc_time& period, const bus::stop_request& stop);

} // namespace tensorloom::blocks
