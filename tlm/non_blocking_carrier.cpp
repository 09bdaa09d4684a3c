#include <tensorloom/tlm/non_blocking_carrier.h>
#include <algorithm>
#include <utility>

namespace tensorloom::bus {

non_blocking_carrier::non_blocking_carrier(dma_port& port, answer_handler answered)
    : m_port(port), m_answered(std::move(answered))
{}

sc_core::sc_time non_blocking_carrier::open(const sc_core::sc_time& earliest)
{
    while (m_requesting != nullptr) { sc_core::wait(m_news); }
    close(std::max(earliest, m_request_ended));
    return sc_core::sc_time_stamp();
}

void non_blocking_carrier::send(dma_burst& burst)
{
    tlm::tlm_generic_payload& transaction = m_pool.acquire();
    burst.describe(transaction);
    burst.answered = false;
    const flight of{&transaction, &burst};
    m_in_flight.push_back(of);
    m_requesting = &transaction;
    tlm::tlm_phase phase = tlm::BEGIN_REQ;
    sc_core::sc_time delay;
    const tlm::tlm_sync_enum answer = m_port.nb_transport_fw(transaction, phase, delay);
    if (answer == tlm::TLM_ACCEPTED || burst.answered) { return; }
    if (answer == tlm::TLM_COMPLETED) {
        response_began(of, delay);
    } else if (phase == tlm::END_REQ) {
        request_ended(transaction, delay);
    } else if (phase == tlm::BEGIN_RESP) {
        response_began(of, delay);
        phase = tlm::END_RESP;
        m_port.nb_transport_fw(transaction, phase, delay);
    }
}

void non_blocking_carrier::retire(dma_burst& burst)
{
    while (!burst.answered) { sc_core::wait(m_news); }
    const auto found =
        std::find_if(m_in_flight.begin(), m_in_flight.end(), [&burst](const flight& f) { return f.burst == &burst; });
    if (found == m_in_flight.end()) { return; }
    found->transaction->release();
    m_in_flight.erase(found);
}

void non_blocking_carrier::close(const sc_core::sc_time& end)
{
    const sc_core::sc_time now = sc_core::sc_time_stamp();
    if (end > now) { sc_core::wait(end - now); }
}

tlm::tlm_sync_enum non_blocking_carrier::receive(tlm::tlm_generic_payload& transaction, tlm::tlm_phase& phase,
                                                 sc_core::sc_time& delay)
{
    const auto found = std::find_if(m_in_flight.begin(), m_in_flight.end(),
                                    [&transaction](const flight& f) { return f.transaction == &transaction; });
    if (found == m_in_flight.end() || found->burst->answered) { return tlm::TLM_ACCEPTED; }
    if (phase == tlm::END_REQ) { request_ended(transaction, delay); }
    if (phase != tlm::BEGIN_RESP) { return tlm::TLM_ACCEPTED; }
    response_began(*found, delay);
    return tlm::TLM_COMPLETED;
}

void non_blocking_carrier::request_ended(const tlm::tlm_generic_payload& transaction, const sc_core::sc_time& delay)
{
    if (m_requesting != &transaction) { return; }
    m_requesting = nullptr;
    m_request_ended = sc_core::sc_time_stamp() + delay;
    m_news.notify(sc_core::SC_ZERO_TIME);
}

void non_blocking_carrier::response_began(const flight& of, const sc_core::sc_time& delay)
{
    request_ended(*of.transaction, delay);
    of.burst->done = sc_core::sc_time_stamp() + delay;
    of.burst->status = of.transaction->get_response_status();
    of.burst->answered = true;
    m_answered(*of.burst);
    m_news.notify(sc_core::SC_ZERO_TIME);
}

} // namespace tensorloom::bus
