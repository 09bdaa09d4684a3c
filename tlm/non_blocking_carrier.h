#pragma once
#include <vector>
#include <systemc>
#include <tlm>
#include <tensorloom/tlm/burst_carrier.h>
#include <tensorloom/tlm/cxx_standard.h>
#include <tensorloom/tlm/transaction_pool.h>

namespace tensorloom::bus {

/// Carries bursts by nb_transport: a four-phase initiator of the base protocol.
///
/// - BEGIN_REQ is sent at its time, without annotation. The next one follows when the request before it has ended: by
/// END_REQ,
///   BEGIN_RESP or TLM_COMPLETED, at the annotated time.
/// - Every short-cut of the target is taken: END_REQ or BEGIN_RESP as TLM_UPDATED, TLM_COMPLETED at once, no END_REQ.
/// - A BEGIN_RESP that comes by nb_transport_bw is answered with TLM_COMPLETED; one that is returned, with END_RESP at
/// the annotated
///   time. Responses are never held back, and may come in any order.
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

} // namespace tensorloom::bus
