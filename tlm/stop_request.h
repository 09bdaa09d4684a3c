#pragma once
#include <cstdint>
#include <systemc>
#include <tensorloom/tlm/cxx_standard.h>

namespace tensorloom::bus {

/// Somebody asked a running program to stop (abort or reset). Work looks at it where it may act: between bursts and
/// time-steps.
///
/// A request acts at the first such point that lies later than the request itself; so what a program has done when it
/// stops depends on time alone, not on the order of processes within one time. (A DMA that runs ahead of time, by at
/// most the global quantum, has passed the points that lie in this quantum.)
///
/// Example
///
///     bus::stop_request stop;
///     stop.request(delay);
///     const std::uint64_t passed = bus::wait_cycles(8, sc_core::sc_time(1, sc_core::SC_NS), stop);
class stop_request {
public:
    /// The request is made `delay` from now (the annotated time of a write). Of several the earliest counts.
    void request(const sc_core::sc_time& delay = sc_core::SC_ZERO_TIME)
    {
        const sc_core::sc_time at = sc_core::sc_time_stamp() + delay;
        if (m_requested && m_at <= at) { return; }
        m_requested = true;
        m_at = at;
        m_event.cancel();
        m_event.notify(delay);
    }
    void clear()
    {
        m_requested = false;
        m_event.cancel();
    }

    /// Its time has come.
    bool pending() const { return m_requested && m_at <= sc_core::sc_time_stamp(); }
    bool acts_at(const sc_core::sc_time& point) const { return m_requested && m_at < point; }
    const sc_core::sc_event& event() const { return m_event; }

private:
    bool m_requested = false;
    sc_core::sc_time m_at;
    sc_core::sc_event m_event;
};

/// So many clock periods pass for the calling thread, from now on; fewer when a stop acts at a period's end before the
/// last: how many have passed. (A stop that acts at the end of the last comes too late: all is done.)
/// What ends later than sc_max_time() ends then, and with it the simulation.
std::uint64_t wait_cycles(std::uint64_t cycles, const sc_core::sc_time& period, const stop_request& stop);

} // namespace tensorloom::bus
