#include <tensorloom/models/shell/job_clock.h>

namespace tensorloom::shell {

std::uint64_t job_clock::cycle_at(const sc_core::sc_time& time) const
{
    return ((time - m_started_at).value() + m_period.value() - 1) / m_period.value();
}

void job_clock::align() const
{
    const sc_core::sc_time boundary = begin_of(now());
    if (boundary > sc_core::sc_time_stamp()) { sc_core::wait(boundary - sc_core::sc_time_stamp()); }
}

bool job_clock::wait_until(std::uint64_t cycle, const bus::stop_request& stop) const
{
    const sc_core::sc_time end = begin_of(cycle);
    while (sc_core::sc_time_stamp() < end) {
        if (stop.pending()) {
            align();
            if (stop.acts_at(sc_core::sc_time_stamp())) { return false; }
            sc_core::wait(m_period);
        } else {
            sc_core::wait(end - sc_core::sc_time_stamp(), stop.event());
        }
    }
    return !stop.acts_at(sc_core::sc_time_stamp());
}

} // namespace tensorloom::shell
