#pragma once
#include <functional>
#include <random>
#include <set>
#include <vector>
#include <systemc>
#include <tlm>
#include "conformance/target_bench.h"

namespace tensorloom::test {

/// Sends single transactions through all phases for a test, by a prober whose backward path it takes over.
class phase_walker {
public:
    explicit phase_walker(rogue_initiator_body& prober) : m_prober(prober)
    {
        prober.backward = [this](tlm::tlm_generic_payload& t, tlm::tlm_phase& phase, sc_core::sc_time&) {
            if (phase == tlm::END_REQ) { request_ended(t); }
            if (phase != tlm::BEGIN_RESP) { return tlm::TLM_ACCEPTED; }
            request_ended(t);
            responded(t);
            return tlm::TLM_COMPLETED;
        };
    }
    /// Called within the call that brings END_REQ, or that begins the request when that ends it at once (then with its
    /// annotation).
    std::function<void(const sc_core::sc_time&)> on_end_request;

    /// Sends BEGIN_REQ.
    void begin(tlm::tlm_generic_payload& t, sc_core::sc_time delay = sc_core::SC_ZERO_TIME)
    {
        m_requesting = &t;
        tlm::tlm_phase phase = tlm::BEGIN_REQ;
        const auto answer = m_prober.target().nb_transport_fw(t, phase, delay);
        if (answer == tlm::TLM_ACCEPTED) { return; }
        if (answer == tlm::TLM_COMPLETED || phase == tlm::BEGIN_RESP) { responded(t); }
        if (answer == tlm::TLM_UPDATED && phase == tlm::BEGIN_RESP) {
            tlm::tlm_phase end = tlm::END_RESP;
            m_prober.target().nb_transport_fw(t, end, delay);
        }
        request_ended(t, delay);
    }
    bool done(const tlm::tlm_generic_payload& t) const { return m_responded.count(&t) == 1; }
    void await(const tlm::tlm_generic_payload& t)
    {
        while (!done(t)) { sc_core::wait(m_changed); }
    }

private:
    void request_ended(tlm::tlm_generic_payload& t, const sc_core::sc_time& delay = sc_core::SC_ZERO_TIME)
    {
        if (m_requesting != &t) { return; }
        m_requesting = nullptr;
        if (on_end_request) { on_end_request(delay); }
    }
    void responded(tlm::tlm_generic_payload& t)
    {
        m_responded.insert(&t);
        m_changed.notify(sc_core::SC_ZERO_TIME);
    }

    rogue_initiator_body& m_prober;
    const tlm::tlm_generic_payload* m_requesting = nullptr;
    std::set<const tlm::tlm_generic_payload*> m_responded;
    sc_core::sc_event m_changed;
};

/// Random requests of up to 64 bytes within [offset, offset + range) of a bench, some at once, some annotated ahead of
/// time.
inline std::vector<at_initiator_body::request> random_requests(const target_bench& b, unsigned seed, std::size_t count,
                                                               std::uint64_t offset, std::uint64_t range)
{
    std::mt19937 engine(seed);
    std::vector<at_initiator_body::request> requests;
    for (std::size_t i = 0; i < count; ++i) {
        const unsigned size = 1 + engine() % 64;
        const std::uint64_t at = b.base + offset + engine() % (range - size + 1);
        const bool write = engine() % 2 == 0;
        requests.push_back(
            {write ? tlm::TLM_WRITE_COMMAND : tlm::TLM_READ_COMMAND, at,
             write ? pattern(size, seed + static_cast<unsigned>(i)) : std::vector<unsigned char>(size, untouched),
             sc_core::SC_ZERO_TIME, ns(engine() % 4 == 0 ? engine() % 20 : 0)});
    }
    return requests;
}

/// Ends responses in each of the legal ways, in turn, some at once, some later.
inline void end_responses_in_turn(at_initiator_body& queue)
{
    queue.how = [n = 0u]() mutable { return static_cast<at_initiator_body::ends_response>(n++ % 3); };
    queue.response_delay = [n = 0u]() mutable { return ns(n++ % 5 == 0 ? 7 : 0); };
}

} // namespace tensorloom::test
