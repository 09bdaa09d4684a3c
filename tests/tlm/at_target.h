#pragma once
#include <cstring>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>
#include <systemc>
#include <tlm>
#include <tlm_utils/simple_target_socket.h>
#include "tlm/payload.h"

namespace tensorloom::test {

DECLARE_EXTENDED_PHASE(weather_report);

/// How an at_target answers one transaction. Times count from BEGIN_REQ.
struct at_answer {
    enum class way {
        four_phases,    ///< END_REQ, then BEGIN_RESP, both by nb_transport_bw
        end_returned,   ///< END_REQ returned, BEGIN_RESP by nb_transport_bw
        no_end,         ///< BEGIN_RESP by nb_transport_bw ends the request too
        begin_returned, ///< BEGIN_RESP returned; END_RESP must follow
        completed       ///< TLM_COMPLETED returned
    } how = way::four_phases;
    sc_core::sc_time accept;  ///< END_REQ
    sc_core::sc_time respond; ///< BEGIN_RESP or completion; not before `accept`
    bool annotated = false;   ///< phases by nb_transport_bw are announced at BEGIN_REQ's time, with the rest as delay
    tlm::tlm_response_status status = tlm::TLM_OK_RESPONSE;
};

/// The four phases, the request taken at once.
inline at_answer answer_after(double respond_ns, tlm::tlm_response_status status = tlm::TLM_OK_RESPONSE)
{
    at_answer a;
    a.respond = ns(respond_ns);
    a.status = status;
    return a;
}

/// A memory behind a non-blocking socket, of the test's own. It answers as `plan` says, watches that the initiator
/// keeps to the base protocol, and hangs an extension on each payload that tells when the payload is freed.
template <unsigned BUSWIDTH = 32> class at_target : public sc_core::sc_module {
public:
    tlm_utils::simple_target_socket<at_target, BUSWIDTH> in;

    struct access {
        tlm::tlm_command command;
        std::uint64_t address;
        unsigned length;
        sc_core::sc_time time; ///< of BEGIN_REQ
    };

    std::vector<unsigned char> bytes;
    std::uint64_t base = 0; ///< address of bytes[0]
    std::vector<access> log;
    std::function<at_answer(const tlm::tlm_generic_payload&)> plan = [](const auto&) { return at_answer(); };
    bool gossips = false; ///< sends phases that nobody knows, and responses twice

    unsigned freed = 0; ///< payloads
    unsigned most_in_flight = 0;
    std::set<const tlm::tlm_generic_payload*> seen;
    std::vector<std::string> violations;
    tlm::tlm_dmi dmi; ///< what get_direct_mem_ptr answers
    bool grants_dmi = false;
    std::function<tlm::tlm_dmi(std::uint64_t)> grant_for; ///< instead of `dmi`, by address
    unsigned asked_for_dmi = 0;
    std::vector<std::uint64_t> asked_at;                                            ///< for direct pointers
    std::function<bool(std::uint64_t)> hints = [](std::uint64_t) { return false; }; ///< at a direct pointer, in answers

    at_target(sc_core::sc_module_name name, std::size_t size) : sc_core::sc_module(name), in("in"), bytes(size)
    {
        SC_HAS_PROCESS(at_target);
        in.register_b_transport(this, &at_target::b_transport);
        in.register_nb_transport_fw(this, &at_target::nb_transport_fw);
        in.register_get_direct_mem_ptr(this, &at_target::get_direct_mem_ptr);
        SC_METHOD(act);
        sensitive << m_due;
        dont_initialize();
    }

    std::vector<std::uint64_t> addresses() const
    {
        std::vector<std::uint64_t> all;
        for (const auto& a : log) { all.push_back(a.address); }
        return all;
    }
    std::size_t in_flight() const { return m_live.size(); }

private:
    struct telltale : tlm::tlm_extension<telltale> {
        explicit telltale(unsigned& freed) : m_freed(freed) {}
        ~telltale() override { ++m_freed; }
        tlm::tlm_extension_base* clone() const override { return nullptr; }
        void copy_from(const tlm::tlm_extension_base&) override {}
        unsigned& m_freed;
    };
    struct live {
        access as_sent;
        unsigned char* data;
        bool awaits_end_resp = false;
    };

    void expect(bool ok, const char* what)
    {
        if (!ok) { violations.emplace_back(what); }
    }

    tlm::tlm_sync_enum nb_transport_fw(tlm::tlm_generic_payload& t, tlm::tlm_phase& phase, sc_core::sc_time& delay)
    {
        if (phase == tlm::END_RESP) {
            const auto found = m_live.find(&t);
            expect(found != m_live.end() && found->second.awaits_end_resp, "END_RESP that nobody waits for");
            if (found != m_live.end()) { finish(t); }
            return tlm::TLM_COMPLETED;
        }
        expect(phase == tlm::BEGIN_REQ, "phase that an initiator may not send");
        return begin(t, phase, delay);
    }

    // Blocking calls are answered after the same time, in one go.
    void b_transport(tlm::tlm_generic_payload& t, sc_core::sc_time& delay)
    {
        log.push_back({t.get_command(), t.get_address(), t.get_data_length(), sc_core::sc_time_stamp() + delay});
        const at_answer answer = plan(t);
        transfer(t, answer.status);
        delay += answer.respond;
    }

    tlm::tlm_sync_enum begin(tlm::tlm_generic_payload& t, tlm::tlm_phase& phase, sc_core::sc_time& delay)
    {
        const sc_core::sc_time now = sc_core::sc_time_stamp() + delay;
        expect(t.has_mm() && t.get_ref_count() >= 1, "no memory manager or reference");
        expect(m_live.count(&t) == 0, "transaction is in flight already");
        expect(m_request == nullptr && m_request_ended <= now, "BEGIN_REQ before the last request ended");
        expect(t.get_response_status() == tlm::TLM_INCOMPLETE_RESPONSE, "response is set in the request");
        expect(t.get_byte_enable_ptr() == nullptr && t.get_streaming_width() == t.get_data_length() &&
                   t.get_address() % t.get_data_length() == 0 && !t.is_dmi_allowed(),
               "not what the strictest target takes");
        telltale* left = nullptr;
        t.get_extension(left);
        expect(left == nullptr, "an extension is left from the last use");
        t.set_auto_extension(new telltale(freed));
        t.acquire();
        const access a{t.get_command(), t.get_address(), t.get_data_length(), now};
        log.push_back(a);
        seen.insert(&t);
        m_live[&t] = {a, t.get_data_ptr()};
        most_in_flight = std::max(most_in_flight, static_cast<unsigned>(m_live.size()));
        m_request = &t;

        const at_answer answer = plan(t);
        using way = at_answer::way;
        if (gossips) {
            at(now, [this, &t] { send(t, weather_report, sc_core::SC_ZERO_TIME); });
        }
        switch (answer.how) {
        case way::four_phases:
            later(now, answer.accept, answer.annotated, [this, &t](const auto& d) { end_request(t, d); });
            break;
        case way::end_returned:
            m_request = nullptr;
            m_request_ended = now + answer.accept;
            phase = tlm::END_REQ;
            delay += answer.accept;
            break;
        case way::no_end: break;
        case way::begin_returned:
            respond(t, answer.status);
            request_ended_at(now + answer.respond);
            m_live[&t].awaits_end_resp = true;
            phase = tlm::BEGIN_RESP;
            delay += answer.respond;
            return tlm::TLM_UPDATED;
        case way::completed:
            respond(t, answer.status);
            request_ended_at(now + answer.respond);
            delay += answer.respond;
            finish(t);
            return tlm::TLM_COMPLETED;
        }
        later(now, answer.respond, answer.annotated,
              [this, &t, status = answer.status](const auto& d) { begin_response(t, status, d); });
        return answer.how == way::end_returned ? tlm::TLM_UPDATED : tlm::TLM_ACCEPTED;
    }

    void end_request(tlm::tlm_generic_payload& t, const sc_core::sc_time& delay)
    {
        request_ended_at(sc_core::sc_time_stamp() + delay);
        expect(send(t, tlm::END_REQ, delay) == tlm::TLM_ACCEPTED, "END_REQ is not just accepted");
    }

    void begin_response(tlm::tlm_generic_payload& t, tlm::tlm_response_status status, const sc_core::sc_time& delay)
    {
        if (m_request == &t) { request_ended_at(sc_core::sc_time_stamp() + delay); }
        respond(t, status);
        expect(send(t, tlm::BEGIN_RESP, delay) == tlm::TLM_COMPLETED, "BEGIN_RESP is not completed at once");
        if (gossips) { send(t, tlm::BEGIN_RESP, delay); }
        finish(t);
    }

    void request_ended_at(const sc_core::sc_time& time)
    {
        m_request = nullptr;
        m_request_ended = time;
    }

    void respond(tlm::tlm_generic_payload& t, tlm::tlm_response_status status)
    {
        const auto& sent = m_live.at(&t);
        expect(t.get_address() == sent.as_sent.address && t.get_data_length() == sent.as_sent.length &&
                   t.get_command() == sent.as_sent.command && t.get_data_ptr() == sent.data,
               "payload changed in flight");
        transfer(t, status);
    }

    void transfer(tlm::tlm_generic_payload& t, tlm::tlm_response_status status)
    {
        t.set_response_status(status);
        t.set_dmi_allowed(hints(t.get_address()));
        if (status != tlm::TLM_OK_RESPONSE && status != tlm::TLM_INCOMPLETE_RESPONSE) { return; }
        unsigned char* here = bytes.data() + (t.get_address() - base);
        if (t.is_read()) { std::memcpy(t.get_data_ptr(), here, t.get_data_length()); }
        if (t.is_write()) { std::memcpy(here, t.get_data_ptr(), t.get_data_length()); }
    }

    void finish(tlm::tlm_generic_payload& t)
    {
        m_live.erase(&t);
        t.release();
    }

    tlm::tlm_sync_enum send(tlm::tlm_generic_payload& t, tlm::tlm_phase phase, sc_core::sc_time delay)
    {
        return in->nb_transport_bw(t, phase, delay);
    }

    bool get_direct_mem_ptr(tlm::tlm_generic_payload& t, tlm::tlm_dmi& answer)
    {
        ++asked_for_dmi;
        asked_at.push_back(t.get_address());
        answer = grant_for ? grant_for(t.get_address()) : dmi;
        return grants_dmi;
    }

    // ---- the future ----

    template <class Deed> void later(sc_core::sc_time now, sc_core::sc_time after, bool annotated, Deed deed)
    {
        if (annotated) {
            at(now, [deed, after] { deed(after); });
        } else {
            at(now + after, [deed] { deed(sc_core::SC_ZERO_TIME); });
        }
    }
    void at(const sc_core::sc_time& time, std::function<void()> deed)
    {
        m_agenda.emplace(time, std::move(deed));
        m_due.notify(m_agenda.begin()->first - sc_core::sc_time_stamp());
    }
    void act()
    {
        while (!m_agenda.empty() && m_agenda.begin()->first <= sc_core::sc_time_stamp()) {
            const auto deed = std::move(m_agenda.begin()->second);
            m_agenda.erase(m_agenda.begin());
            deed();
        }
        if (!m_agenda.empty()) { m_due.notify(m_agenda.begin()->first - sc_core::sc_time_stamp()); }
    }

    std::map<tlm::tlm_generic_payload*, live> m_live;
    const tlm::tlm_generic_payload* m_request = nullptr;
    sc_core::sc_time m_request_ended;
    std::multimap<sc_core::sc_time, std::function<void()>> m_agenda; // of one time: in the order of insertion
    sc_core::sc_event m_due;
};

} // namespace tensorloom::test
