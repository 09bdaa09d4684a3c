#pragma once
#include <cstdint>
#include <limits>
#include <string>
#include <vector>
#include <tensorloom/models/isa/program/device_driver.h>

namespace tensorloom::testbench {

/// Runs a program of a device to its end, with no time-out but `timeout_ns`.
///
/// Called in the thread of a host. Throws isa::device_failure if the device stops without being done, and if it is not
/// done after `timeout_ns`; base::input_error if it still runs at half of SystemC's time range, 106 days at 1 ps (the
/// other half is for annotated times of devices ahead of the host's time).
isa::program_result run_to_its_end(isa::device_driver& driver, const std::vector<std::uint8_t>& program,
                                   std::uint64_t address,
                                   std::uint64_t timeout_ns = std::numeric_limits<std::uint64_t>::max());

/// Throws isa::device_failure unless all commands are done.
void require_done(const isa::program_result& ended);

/// Throws wrong_result for a program that a sum ended that overflowed. `where`: before the message, like "tensor 2: ".
void require_no_overflow(const isa::program_result& ended, const std::string& where = "");

} // namespace tensorloom::testbench
