#pragma once
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>
#include <gtest/gtest.h>
#include <systemc>
#include <tlm>
#include <tlm_utils/simple_initiator_socket.h>
#include <tlm_utils/peq_with_get.h>
#include "tlm/payload.h"

namespace tensorloom::test {

/// A payload of a pool, with the id that the test gave it.
struct pooled_payload : payload {
    explicit pooled_payload(tlm::tlm_mm_interface* mm) : payload(tlm::TLM_IGNORE_COMMAND, 0, {}) { set_mm(mm); }
    unsigned id = 0;
};

/// Hands out payloads and counts those that come back.
class payload_pool : public tlm::tlm_mm_interface {
public:
    pooled_payload& take()
    {
        if (m_free.empty()) {
            m_all.push_back(std::make_unique<pooled_payload>(this));
            m_free.push_back(m_all.back().get());
        }
        auto* p = m_free.back();
        m_free.pop_back();
        ++taken;
        p->acquire();
        return *p;
    }
    void free(tlm::tlm_generic_payload* p) override
    {
        EXPECT_EQ(p->get_ref_count(), 0);
        p->reset();
        ++freed;
        m_free.push_back(static_cast<pooled_payload*>(p));
    }

    std::uint64_t taken = 0;
    std::uint64_t freed = 0;

private:
    std::vector<std::unique_ptr<pooled_payload>> m_all;
    std::vector<pooled_payload*> m_free;
};

/// A non-blocking initiator: sends the requests of a list as fast as the target takes them, and watches the target's
/// manners.
///
/// What it holds against the target, in `errors`: a phase out of order, a BEGIN_RESP before END_RESP of the former,
/// annotated times that descend on the way back, a response left INCOMPLETE, a response for a transaction that it does
/// not have. This is everything but the socket.
class at_initiator_body : public sc_core::sc_module {
public:
    enum class ends_response { by_completed, by_updated, by_call };

    struct request {
        tlm::tlm_command command;
        std::uint64_t address;
        std::vector<unsigned char> data;
        sc_core::sc_time not_before{}; ///< when BEGIN_REQ is sent at the earliest
        sc_core::sc_time annotation{}; ///< of BEGIN_REQ
    };
    struct answer {
        std::uint64_t address = 0; ///< as it stood in the response
        tlm::tlm_response_status status = tlm::TLM_INCOMPLETE_RESPONSE;
        std::vector<unsigned char> data;
        sc_core::sc_time begin_request, end_request, begin_response; ///< effective times
        bool dmi_hint = false;
    };

    std::vector<request> requests;
    unsigned outstanding = 1000; ///< transactions under way at most
    std::function<ends_response()> how = [] { return ends_response::by_completed; };
    std::function<sc_core::sc_time()> response_delay = [] { return sc_core::SC_ZERO_TIME; };
    std::map<unsigned, answer> answers; ///< by the index of the request
    std::vector<unsigned> order;        ///< indices as their responses began
    std::vector<std::string> errors;
    /// Otherwise an END_REQ may be annotated to come later than a BEGIN_RESP that follows it.
    bool one_order_on_the_way_back = true;
    payload_pool pool;

    explicit at_initiator_body(sc_core::sc_module_name name) : sc_core::sc_module(name), m_end_response("end_response")
    {
        SC_HAS_PROCESS(at_initiator_body);
        SC_THREAD(send_all);
        SC_METHOD(end_responses);
        sensitive << m_end_response.get_event();
        dont_initialize();
    }

    /// Adds a request; before the simulation starts.
    request& read(std::uint64_t address, std::size_t bytes)
    {
        return write(address, std::vector<unsigned char>(bytes, untouched), tlm::TLM_READ_COMMAND);
    }
    request& write(std::uint64_t address, std::vector<unsigned char> data,
                   tlm::tlm_command command = tlm::TLM_WRITE_COMMAND)
    {
        requests.push_back({command, address, std::move(data)});
        return requests.back();
    }

    bool finished() const { return m_sent == requests.size() && answers.size() == requests.size() && m_live == 0; }
    unsigned invalidations() const { return m_invalidations; }

    virtual tlm::tlm_fw_transport_if<>& target() = 0; ///< what the socket is bound to

protected:
    tlm::tlm_sync_enum nb_transport_bw(tlm::tlm_generic_payload& transaction, tlm::tlm_phase& phase,
                                       sc_core::sc_time& delay)
    {
        auto& t = static_cast<pooled_payload&>(transaction);
        if (phase == tlm::END_REQ) {
            end_request(t, delay);
            return tlm::TLM_ACCEPTED;
        }
        if (phase != tlm::BEGIN_RESP) {
            errors.push_back("a phase that a target does not send");
            return tlm::TLM_ACCEPTED;
        }
        if (m_requesting == &t) { end_request(t, delay); }
        if (m_responding || now() + delay < m_response_free) {
            errors.push_back("BEGIN_RESP before END_RESP of the former");
        }
        response(t, delay);
        const sc_core::sc_time ended = delay + response_delay();
        m_response_free = now() + ended;
        switch (how()) {
        case ends_response::by_completed:
            delay = ended;
            end(t);
            return tlm::TLM_COMPLETED;
        case ends_response::by_updated:
            delay = ended;
            phase = tlm::END_RESP;
            end(t);
            return tlm::TLM_UPDATED;
        case ends_response::by_call: break;
        }
        m_responding = true;
        m_end_response.notify(t, ended);
        return tlm::TLM_ACCEPTED;
    }

    void invalidate(sc_dt::uint64, sc_dt::uint64) { ++m_invalidations; }

private:
    static sc_core::sc_time now() { return sc_core::sc_time_stamp(); }

    void send_all()
    {
        for (m_sent = 0; m_sent < requests.size();) {
            const request& r = requests[m_sent];
            if (r.not_before > now()) { wait(r.not_before - now()); }
            while (m_live >= outstanding) { wait(m_changed); }
            auto& t = pool.take();
            t.id = static_cast<unsigned>(m_sent++);
            t.data = r.data;
            t.set_command(r.command);
            t.set_address(r.address);
            t.set_data_ptr(t.data.data());
            t.set_data_length(static_cast<unsigned>(t.data.size()));
            t.set_streaming_width(t.get_data_length());
            t.set_dmi_allowed(false);
            t.set_response_status(tlm::TLM_INCOMPLETE_RESPONSE);
            ++m_live;
            m_under_way[t.id].begin_request = now() + r.annotation;
            m_requesting = &t;
            tlm::tlm_phase phase = tlm::BEGIN_REQ;
            sc_core::sc_time delay = r.annotation;
            const auto result = target().nb_transport_fw(t, phase, delay);
            if (result == tlm::TLM_UPDATED) {
                if (phase == tlm::END_REQ) {
                    end_request(t, delay);
                } else {
                    errors.push_back("TLM_UPDATED with a phase that is not END_REQ");
                }
            } else if (result == tlm::TLM_COMPLETED) {
                m_requesting = nullptr;
                m_request_free = now() + delay;
                response(t, delay);
                end(t);
            }
            while (m_requesting != nullptr) { wait(m_changed); }
            if (m_request_free > now()) { wait(m_request_free - now()); }
        }
    }

    void watch_way_back(const sc_core::sc_time& delay)
    {
        if (one_order_on_the_way_back && now() + delay < m_way_back) { errors.push_back("annotated times descend"); }
        m_way_back = now() + delay;
    }

    void end_request(pooled_payload& t, const sc_core::sc_time& delay)
    {
        watch_way_back(delay);
        if (m_requesting != &t) { errors.push_back("END_REQ for another transaction"); }
        m_requesting = nullptr;
        m_request_free = now() + delay;
        m_under_way[t.id].end_request = m_request_free;
        m_changed.notify(sc_core::SC_ZERO_TIME);
    }

    void response(pooled_payload& t, const sc_core::sc_time& delay)
    {
        watch_way_back(delay);
        auto found = m_under_way.find(t.id);
        if (found == m_under_way.end()) {
            errors.push_back("response for a transaction that is not under way");
            return;
        }
        answer& a = found->second;
        a.address = t.get_address();
        a.status = t.get_response_status();
        if (a.status == tlm::TLM_INCOMPLETE_RESPONSE) { errors.push_back("response INCOMPLETE"); }
        a.data = t.data;
        a.begin_response = now() + delay;
        a.dmi_hint = t.is_dmi_allowed();
        order.push_back(t.id);
        answers.insert(m_under_way.extract(found));
    }

    void end(pooled_payload& t)
    {
        --m_live;
        t.release();
        m_changed.notify(sc_core::SC_ZERO_TIME);
    }

    void end_responses()
    {
        while (auto* t = m_end_response.get_next_transaction()) {
            tlm::tlm_phase phase = tlm::END_RESP;
            sc_core::sc_time delay;
            m_responding = false;
            target().nb_transport_fw(*t, phase, delay);
            end(static_cast<pooled_payload&>(*t));
        }
    }

    tlm_utils::peq_with_get<tlm::tlm_generic_payload> m_end_response;
    sc_core::sc_event m_changed;
    std::map<unsigned, answer> m_under_way;
    std::size_t m_sent = 0;
    unsigned m_live = 0;
    unsigned m_invalidations = 0;
    pooled_payload* m_requesting = nullptr; // between BEGIN_REQ and END_REQ
    bool m_responding = false;              // between BEGIN_RESP and a call with END_RESP
    sc_core::sc_time m_request_free, m_response_free, m_way_back;
};

/// The same with a socket.
template <unsigned BUSWIDTH = 32> class at_initiator : public at_initiator_body {
public:
    tlm_utils::simple_initiator_socket<at_initiator, BUSWIDTH> out;

    explicit at_initiator(sc_core::sc_module_name name) : at_initiator_body(name), out("out")
    {
        out.register_nb_transport_bw(this, &at_initiator::nb_transport_bw);
        out.register_invalidate_direct_mem_ptr(this, &at_initiator::invalidate);
    }
    tlm::tlm_fw_transport_if<>& target() override { return *out.operator->(); }
};

} // namespace tensorloom::test
