#pragma once
#include <systemc>
#include <tlm>
#include <tlm_utils/tlm_quantumkeeper.h>
#include <tensorloom/tlm/burst_carrier.h>
#include <tensorloom/tlm/cxx_standard.h>

namespace tensorloom::bus {

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

} // namespace tensorloom::bus
