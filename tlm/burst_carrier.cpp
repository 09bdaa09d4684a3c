#include <tensorloom/tlm/burst_carrier.h>
#include <algorithm>
#include <utility>
#include <vector>
#include <tlm_utils/tlm_quantumkeeper.h>
#include <tensorloom/tlm/transaction_pool.h>

namespace tensorloom::bus {
namespace {

// ---- blocking ----

/// Carries bursts by b_transport, each called with its issue time as annotated delay, in the order of issue.
///
/// Bursts overlap in annotated time. A target that waits inside of b_transport holds the thread, so the bursts behind
/// it are issued when it has returned. Runs ahead of simulated time by at most the global quantum.
class blocking_carrier : public burst_carrier {
public:
    blocking_carrier(dma_port& port, answer_handler answered);

    void begin() override { m_time.reset(); }
    sc_core::sc_time open(const sc_core::sc_time& earliest) override;
    void send(dma_burst& burst) override;
    void retire(dma_burst&) override {}
    void close(const sc_core::sc_time& end) override;
    tlm::tlm_sync_enum receive(tlm::tlm_generic_payload&, tlm::tlm_phase&, sc_core::sc_time&) override
    {
        return tlm::TLM_ACCEPTED;
    }

private:
    dma_port& m_port;
    answer_handler m_answered;
    tlm::tlm_generic_payload m_transaction;
    tlm_utils::tlm_quantumkeeper m_time; // its local time is that of the next request
};

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
    m_port.target().b_transport(m_transaction, delay);
    burst.done = sc_core::sc_time_stamp() + delay;
    burst.status = m_transaction.get_response_status();
    burst.dmi_hinted = m_transaction.is_dmi_allowed();
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

// ---- non-blocking ----

/// Carries bursts by nb_transport: a four-phase initiator of the base protocol.
///
/// - BEGIN_REQ is sent at its time, without annotation. The next one follows when the request before it has ended: by
///   END_REQ, BEGIN_RESP or TLM_COMPLETED, at the annotated time.
/// - Every short-cut of the target is taken: END_REQ or BEGIN_RESP as TLM_UPDATED, TLM_COMPLETED at once, no END_REQ.
/// - A BEGIN_RESP that comes by nb_transport_bw is answered with TLM_COMPLETED; one that is returned, with END_RESP at
///   the annotated time. Responses are never held back, and may come in any order.
/// - Other phases are ignored, and so is what comes for a transaction that is not in flight.
/// - Payloads come from a pool; one reference is held from BEGIN_REQ until the burst is retired.
class non_blocking_carrier : public burst_carrier {
public:
    non_blocking_carrier(dma_port& port, answer_handler answered);

    void begin() override {}
    sc_core::sc_time open(const sc_core::sc_time& earliest) override;
    void send(dma_burst& burst) override;
    void retire(dma_burst& burst) override;
    void close(const sc_core::sc_time& end) override;
    tlm::tlm_sync_enum receive(tlm::tlm_generic_payload& transaction, tlm::tlm_phase& phase,
                               sc_core::sc_time& delay) override;

private:
    struct flight {
        tlm::tlm_generic_payload* transaction;
        dma_burst* burst;
    };
    void request_ended(const tlm::tlm_generic_payload& transaction, const sc_core::sc_time& delay);
    void response_began(const flight& of, const sc_core::sc_time& delay);

    dma_port& m_port;
    answer_handler m_answered;
    transaction_pool m_pool;
    std::vector<flight> m_in_flight;                        // until retired, in the order of issue
    const tlm::tlm_generic_payload* m_requesting = nullptr; // its request has not ended
    sc_core::sc_time m_request_ended;                       // when the last one did
    sc_core::sc_event m_news;                               // a request or a burst has ended
};

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
    const tlm::tlm_sync_enum answer = m_port.target().nb_transport_fw(transaction, phase, delay);
    if (answer == tlm::TLM_ACCEPTED || burst.answered) { return; }
    if (answer == tlm::TLM_COMPLETED) {
        response_began(of, delay);
    } else if (phase == tlm::END_REQ) {
        request_ended(transaction, delay);
    } else if (phase == tlm::BEGIN_RESP) {
        response_began(of, delay);
        phase = tlm::END_RESP;
        m_port.target().nb_transport_fw(transaction, phase, delay);
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
    of.burst->dmi_hinted = of.transaction->is_dmi_allowed();
    of.burst->answered = true;
    m_answered(*of.burst);
    m_news.notify(sc_core::SC_ZERO_TIME);
}

} // namespace

std::unique_ptr<burst_carrier> make_burst_carrier(dma_transport transport, dma_port& port,
                                                  burst_carrier::answer_handler answered)
{
    if (transport == dma_transport::non_blocking) {
        return std::make_unique<non_blocking_carrier>(port, std::move(answered));
    }
    return std::make_unique<blocking_carrier>(port, std::move(answered));
}

} // namespace tensorloom::bus
