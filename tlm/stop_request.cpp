#include <tensorloom/tlm/stop_request.h>

namespace tensorloom::bus {

std::uint64_t wait_cycles(std::uint64_t cycles, const sc_core::sc_time& period, const stop_request& stop)
{
    const sc_core::sc_time start = sc_core::sc_time_stamp();
    const std::uint64_t representable = (sc_core::sc_max_time() - start).value() / period.value();
    const auto end_of = [&](std::uint64_t n) {
        return n > representable ? sc_core::sc_max_time() : start + sc_core::sc_time::from_value(n * period.value());
    };
    const sc_core::sc_time end = end_of(cycles);
    while (sc_core::sc_time_stamp() < end && !stop.pending()) {
        sc_core::wait(end - sc_core::sc_time_stamp(), stop.event());
    }
    if (sc_core::sc_time_stamp() >= end) { return cycles; }

    std::uint64_t passed = (sc_core::sc_time_stamp() - start).value() / period.value();
    while (passed < cycles && !stop.acts_at(end_of(passed))) { ++passed; }
    if (end_of(passed) > sc_core::sc_time_stamp()) { sc_core::wait(end_of(passed) - sc_core::sc_time_stamp()); }
    return passed;
}

} // namespace tensorloom::bus
