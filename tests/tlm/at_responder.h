#pragma once
#include <algorithm>
#include <cstring>
#include <deque>
#include <functional>
#include <set>
#include <vector>
#include <systemc>
#include <tlm>
#include <tlm_utils/simple_target_socket.h>
#include "tlm/payload.h"

namespace tensorloom::test {

/// How an at_responder goes through the phases of one transaction.
enum class phase_style {
    four,         ///< END_REQ later, BEGIN_RESP later
    updated,      ///< END_REQ at once (TLM_UPDATED), BEGIN_RESP later
    implied,      ///< no END_REQ: BEGIN_RESP implies it
    early_answer, ///< BEGIN_RESP at once (TLM_UPDATED)
    completed     ///< TLM_COMPLETED at once
};

/// A memory of the test's that answers in phases, in any order and style, and takes note of what breaks the rules. This
/// is everything but the socket.
class at_responder_body : public sc_core::sc_module {
public:
    std::vector<unsigned char> bytes;
    std::function<phase_style()> style = [] { return phase_style::updated; };
    std::function<sc_core::sc_time()> accept_delay = [] { return ns(1); };
    std::function<sc_core::sc_time()> latency = [] { return ns(10); };
    std::vector<std::uint64_t> addresses; ///< in order of BEGIN_REQ
    std::vector<sc_core::sc_time> times;  ///< of BEGIN_REQ
    std::vector<std::string> wrongs;      ///< rules that the initiator side broke
    bool answers_in_order = true;         ///< otherwise as the latencies say
    std::uint64_t base = 0;               ///< address of bytes[0]
    /// Called first with each request. When it sets a response status, nothing is transferred.
    std::function<void(tlm::tlm_generic_payload&)> intercept;
    bool waits_inside = false; ///< the latency of a blocking call is waited for, not annotated
    /// Answers get_direct_mem_ptr; refuses everything without.
    std::function<bool(tlm::tlm_generic_payload&, tlm::tlm_dmi&)> direct;

    at_responder_body(sc_core::sc_module_name name, std::size_t size) : sc_core::sc_module(name), bytes(size)
    {
        SC_HAS_PROCESS(at_responder_body);
        SC_THREAD(accept_requests);
        SC_THREAD(send_responses);
    }

    std::size_t live() const { return m_live.size(); }

    virtual tlm::tlm_bw_transport_if<>& initiator() = 0; ///< what the socket is bound to

protected:
    void b_transport(tlm::tlm_generic_payload& t, sc_core::sc_time& delay)
    {
        addresses.push_back(t.get_address());
        transfer(t);
        if (waits_inside) {
            wait(delay + latency());
            delay = sc_core::SC_ZERO_TIME;
        } else {
            delay += latency();
        }
    }

    tlm::tlm_sync_enum nb_transport_fw(tlm::tlm_generic_payload& t, tlm::tlm_phase& phase, sc_core::sc_time& delay)
    {
        const auto now = sc_core::sc_time_stamp();
        if (phase == tlm::END_RESP) {
            if (m_responding != &t) { wrongs.push_back("END_RESP without BEGIN_RESP"); }
            end_response(t);
            return tlm::TLM_COMPLETED;
        }
        if (phase != tlm::BEGIN_REQ) { return tlm::TLM_ACCEPTED; }
        if (!t.has_mm() || t.get_ref_count() < 1) { wrongs.push_back("BEGIN_REQ without memory management"); }
        if (m_requesting != nullptr) { wrongs.push_back("BEGIN_REQ before the END_REQ of the one before"); }
        if (!m_live.insert(&t).second) { wrongs.push_back("BEGIN_REQ of a live transaction"); }
        t.acquire();
        addresses.push_back(t.get_address());
        times.push_back(now + delay);
        transfer(t);
        auto kind = style();
        if (m_responding != nullptr && (kind == phase_style::early_answer || kind == phase_style::completed)) {
            kind = phase_style::updated; // one response at a time
        }
        switch (kind) {
        case phase_style::four:
            m_requesting = &t;
            m_accept.notify(delay + accept_delay());
            m_pending.push_back({&t, now + delay + accept_delay() + latency(), true});
            return tlm::TLM_ACCEPTED;
        case phase_style::updated:
            phase = tlm::END_REQ;
            delay += accept_delay();
            m_pending.push_back({&t, now + delay + latency(), false});
            m_changed.notify(sc_core::SC_ZERO_TIME);
            return tlm::TLM_UPDATED;
        case phase_style::implied:
            m_requesting = &t;
            m_pending.push_back({&t, now + delay + latency(), false});
            m_changed.notify(sc_core::SC_ZERO_TIME);
            return tlm::TLM_ACCEPTED;
        case phase_style::early_answer:
            phase = tlm::BEGIN_RESP;
            delay = in_order(delay + latency());
            m_responding = &t;
            return tlm::TLM_UPDATED;
        case phase_style::completed:
            delay = in_order(delay + latency());
            m_live.erase(&t);
            t.release();
            return tlm::TLM_COMPLETED;
        }
        return tlm::TLM_ACCEPTED;
    }

    bool get_direct_mem_ptr(tlm::tlm_generic_payload& t, tlm::tlm_dmi& dmi)
    {
        dmi.init();
        return direct && direct(t, dmi);
    }

private:
    struct pending {
        tlm::tlm_generic_payload* transaction;
        sc_core::sc_time at;
        bool needs_end_request;
    };

    void transfer(tlm::tlm_generic_payload& t)
    {
        if (intercept) {
            intercept(t);
            if (t.get_response_status() != tlm::TLM_INCOMPLETE_RESPONSE) { return; }
        }
        const bool inside = t.get_address() >= base && t.get_address() - base + t.get_data_length() <= bytes.size();
        t.set_response_status(inside ? tlm::TLM_OK_RESPONSE : tlm::TLM_ADDRESS_ERROR_RESPONSE);
        if (!inside) { return; }
        unsigned char* at = bytes.data() + (t.get_address() - base);
        if (t.is_read()) { std::memcpy(t.get_data_ptr(), at, t.get_data_length()); }
        if (t.is_write()) { std::memcpy(at, t.get_data_ptr(), t.get_data_length()); }
    }

    // A response that is annotated: not before the one before it.
    sc_core::sc_time in_order(const sc_core::sc_time& delay)
    {
        m_latest_response = std::max(m_latest_response, sc_core::sc_time_stamp() + delay);
        return m_latest_response - sc_core::sc_time_stamp();
    }

    void accept_requests()
    {
        while (true) {
            wait(m_accept);
            auto* t = m_requesting;
            if (t == nullptr) { continue; }
            m_requesting = nullptr;
            for (auto& p : m_pending) {
                if (p.transaction == t) { p.needs_end_request = false; }
            }
            tlm::tlm_phase phase = tlm::END_REQ;
            sc_core::sc_time delay = sc_core::SC_ZERO_TIME;
            initiator().nb_transport_bw(*t, phase, delay);
            m_changed.notify(sc_core::SC_ZERO_TIME);
        }
    }

    // The next to answer, or the end.
    std::deque<pending>::iterator next_answer()
    {
        auto next = m_pending.end();
        for (auto p = m_pending.begin(); p != m_pending.end(); ++p) {
            if (p->needs_end_request) {
                if (answers_in_order) { break; }
                continue;
            }
            if (next == m_pending.end() || p->at < next->at) { next = p; }
            if (answers_in_order) { break; }
        }
        return next;
    }

    void send_responses()
    {
        while (true) {
            const auto next = next_answer();
            if (m_responding != nullptr || next == m_pending.end()) {
                wait(m_changed);
                continue;
            }
            if (std::max(next->at, m_latest_response) > sc_core::sc_time_stamp()) {
                wait(std::max(next->at, m_latest_response) - sc_core::sc_time_stamp(), m_changed);
                continue;
            }
            auto& t = *next->transaction;
            m_pending.erase(next);
            if (m_requesting == &t) { m_requesting = nullptr; }
            m_responding = &t;
            tlm::tlm_phase phase = tlm::BEGIN_RESP;
            sc_core::sc_time delay = sc_core::SC_ZERO_TIME;
            const auto answer = initiator().nb_transport_bw(t, phase, delay);
            if (answer == tlm::TLM_COMPLETED || (answer == tlm::TLM_UPDATED && phase == tlm::END_RESP)) {
                wait(delay);
                end_response(t);
            }
        }
    }

    void end_response(tlm::tlm_generic_payload& t)
    {
        m_responding = nullptr;
        m_live.erase(&t);
        t.release();
        m_changed.notify(sc_core::SC_ZERO_TIME);
    }

    tlm::tlm_generic_payload* m_requesting = nullptr;
    tlm::tlm_generic_payload* m_responding = nullptr;
    sc_core::sc_time m_latest_response; // which may have been annotated
    std::deque<pending> m_pending;
    std::set<tlm::tlm_generic_payload*> m_live;
    sc_core::sc_event m_accept;
    sc_core::sc_event m_changed;
};

/// The same with a socket.
template <unsigned BUSWIDTH = 32> class at_responder : public at_responder_body {
public:
    tlm_utils::simple_target_socket<at_responder, BUSWIDTH> in;

    at_responder(sc_core::sc_module_name name, std::size_t size) : at_responder_body(name, size), in("in")
    {
        in.register_nb_transport_fw(this, &at_responder::nb_transport_fw);
        in.register_b_transport(this, &at_responder::b_transport);
        in.register_get_direct_mem_ptr(this, &at_responder::get_direct_mem_ptr);
    }
    tlm::tlm_bw_transport_if<>& initiator() override { return *in.operator->(); }
};

} // namespace tensorloom::test
