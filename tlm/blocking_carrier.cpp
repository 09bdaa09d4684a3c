#include <tensorloom/tlm/blocking_carrier.h>
#include <utility>

namespace tensorloom::bus {

blocking_carrier::blocking_carrier(dma_port& port, answer_handler answered)
    : m_port(port), m_answered(std::move(answered))
{}

sc_core::sc_time blocking_carrier::open(const sc_core::sc_time& earliest)
{
    const sc_core::sc_time now = sc_core::sc_time_stamp();
    if (earliest <= now) {
        m_time.set(sc_core::SC_ZERO_TIME);
        return now;
    }
    m_time.set(earliest - now);
    if (m_time.need_sync()) { m_time.sync(); }
    return earliest;
}

void blocking_carrier::send(dma_burst& burst)
{
    burst.describe(m_transaction);
    sc_core::sc_time delay = burst.issued - sc_core::sc_time_stamp();
    m_port.b_transport(m_transaction, delay);
    burst.done = sc_core::sc_time_stamp() + delay;
    burst.status = m_transaction.get_response_status();
    burst.answered = true;
    m_answered(burst);
}

void blocking_carrier::close(const sc_core::sc_time& end)
{
    const sc_core::sc_time now = sc_core::sc_time_stamp();
    if (end <= now) { return; }
    m_time.set(end - now);
    m_time.sync();
}

} // namespace tensorloom::bus
