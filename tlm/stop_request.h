#pragma once
#include <cstdint>
#include <systemc>
#include <tensorloom/tlm/cxx_standard.h>

namespace tensorloom::bus {

/// A request to stop the running program (abort or reset). Work checks it at points where it can stop: between bursts
/// and time-steps.
///
/// A request acts at the first such point later than the request itself, so the state at the stop depends on time
/// alone, not on the order of processes at one time. (A DMA that runs ahead of time, by at most the global quantum, has
/// already passed the points within this quantum.)
///
/// Example
///
///     bus::stop_request stop;
///     stop.request(delay);
///     const std::uint64_t passed = bus::wait_cycles(8, sc_core::sc_time(1, sc_core::SC_NS), stop);
class stop_request {
public:
    /// Requests a stop `delay` from now (the annotated time of a write). The earliest of several requests counts.
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

/// Waits for this number of clock periods in the calling thread. Returns earlier when a stop acts at the end of a
/// period before the last; returns the number of periods that passed. (A stop that acts at the end of the last period
/// is too late.) A wait beyond sc_max_time() ends there, and with it the simulation.
std::uint64_t wait_cycles(std::uint64_t cycles, const sc_core::sc_time& period, const stop_request& stop);

} // namespace tensorloom::bus
