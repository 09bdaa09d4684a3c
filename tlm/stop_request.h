#pragma once
#include <systemc>

namespace tensorloom::bus {

/// Somebody asked a running job to stop (abort or reset). Work looks at it where it may act: between bursts and time-steps.
///
/// A request acts at the first such point that lies later than the request itself; so what a job has done when it stops depends on
/// time alone, not on the order of processes within one time.
class stop_request {
public:
    void request()
    {
        if (!m_pending) {
            m_pending = true;
            m_at = sc_core::sc_time_stamp();
            m_event.notify(sc_core::SC_ZERO_TIME);
        }
    }
    void clear() { m_pending = false; }

    bool pending() const { return m_pending; }
    bool acts_at(const sc_core::sc_time& point) const { return m_pending && m_at < point; }
    const sc_core::sc_time& at() const { return m_at; }
    const sc_core::sc_event& event() const { return m_event; }

private:
    bool m_pending = false;
    sc_core::sc_time m_at;
    sc_core::sc_event m_event;
};

} // namespace tensorloom::bus
