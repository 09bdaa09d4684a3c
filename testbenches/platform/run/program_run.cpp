#include "platform/run/program_run.h"
#include <algorithm>
#include <string>
#include <systemc>
#include <tensorloom/models/base/values/input_error.h>
#include "platform/process/main.h"

namespace tensorloom::testbench {

isa::program_result run_to_its_end(isa::device_driver& driver, const std::vector<std::uint8_t>& program,
                                   std::uint64_t address, std::uint64_t timeout_ns)
{
    const sc_core::sc_time now = sc_core::sc_time_stamp(),
                           end = sc_core::sc_time::from_value(sc_core::sc_max_time().value() / 2);
    const sc_core::sc_time left = now < end ? end - now : sc_core::SC_ZERO_TIME;
    const auto left_ns = static_cast<std::uint64_t>(left.to_seconds() * 1e9);
    try {
        return driver.run(program, address, std::min(timeout_ns, left_ns));
    } catch (const isa::device_failure&) {
        const bool at_the_end =
            sc_core::sc_time_stamp() + sc_core::sc_time(1, sc_core::SC_MS) > end; // but for rounding
        if (timeout_ns > left_ns && at_the_end && sc_core::sc_pending_activity()) {
            throw base::input_error("the device is not done after 106 days of simulated time, the longest run, "
                                    "expected a faster --clock, a smaller --memory-latency or less to do");
        }
        throw;
    }
}

void require_done(const isa::program_result& ended)
{
    if (ended.done) { return; }
    throw isa::device_failure(std::string("the device reports: ") + error_text(ended.error) + ", command " +
                              std::to_string(ended.error_command));
}

void require_no_overflow(const isa::program_result& ended, const std::string& where)
{
    if (ended.error != isa::error_code::accumulator_overflow) { return; }
    throw wrong_result(where +
                       "a sum overflows its accumulator, expected numbers or shifts with sums from -2^31 to 2^31 - 1");
}

} // namespace tensorloom::testbench
