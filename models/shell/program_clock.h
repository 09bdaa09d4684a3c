#pragma once
#include <cstdint>
#include <systemc>
#include <tensorloom/tlm/device_clock.h>
#include <tensorloom/tlm/stop_request.h>

namespace tensorloom::shell {

/// The clock of a device, which counts the cycles since the start of its program. Its period changes only between
/// programs. Waits block the calling thread.
///
/// Example
///
///     shell::program_clock clock(sc_core::sc_time(1, sc_core::SC_NS));
///     clock.start(sc_core::sc_time_stamp());
///     clock.wait_until(100);
class program_clock : public bus::device_clock {
public:
    using device_clock::device_clock;

    /// Cycle 0 begins here.
    void start(const sc_core::sc_time& at) { m_started_at = at; }
    const sc_core::sc_time& started_at() const { return m_started_at; }
    sc_core::sc_time half_period() const { return sc_core::sc_time::from_value(period().value() / 2); }

    /// The first cycle that begins at this time or later.
    std::uint64_t cycle_at(const sc_core::sc_time& time) const
    {
        return ((time - m_started_at).value() + period().value() - 1) / period().value();
    }
    std::uint64_t cycles(const sc_core::sc_time& time) const { return time.value() / period().value(); } ///< whole ones
    sc_core::sc_time time_of(std::uint64_t cycles) const
    {
        return sc_core::sc_time::from_value(cycles * period().value());
    }
    std::uint64_t now() const { return cycle_at(sc_core::sc_time_stamp()); }

    /// Waits until the next cycle boundary.
    void align() const { wait_until(now()); }
    /// Waits until other threads have finished their work at this time, so that the result does not depend on the order
    /// of threads. The kernel's order of threads that wake at one time depends on the rest of the simulation.
    void settle() const
    {
        for (unsigned delta = 0; delta < 4; ++delta) { sc_core::wait(sc_core::SC_ZERO_TIME); }
    }
    /// Waits for a cycle, ignoring stops.
    void wait_cycle() const { sc_core::wait(period()); }
    /// Waits until this cycle, ignoring stops.
    void wait_until(std::uint64_t cycle) const
    {
        const sc_core::sc_time end = begin_of(cycle);
        if (end > sc_core::sc_time_stamp()) { sc_core::wait(end - sc_core::sc_time_stamp()); }
    }
    /// Waits until this cycle, or until a stop acts: returns false then, at a cycle boundary.
    bool wait_until(std::uint64_t cycle, const bus::stop_request& stop) const
    {
        const sc_core::sc_time end = begin_of(cycle);
        while (sc_core::sc_time_stamp() < end) {
            if (stop.pending()) {
                align();
                if (stop.acts_at(sc_core::sc_time_stamp())) { return false; }
                sc_core::wait(period());
            } else {
                sc_core::wait(end - sc_core::sc_time_stamp(), stop.event());
            }
        }
        return !stop.acts_at(sc_core::sc_time_stamp());
    }

private:
    sc_core::sc_time begin_of(std::uint64_t cycle) const { return m_started_at + time_of(cycle); }

    sc_core::sc_time m_started_at;
};

} // namespace tensorloom::shell
