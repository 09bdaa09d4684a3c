// Non-blocking transport: phases, their order, their times.
#include <tensorloom/tlm/protocol_checker.h>
#include <algorithm>
#include <tensorloom/tlm/simulated_time.h>

namespace tensorloom::bus {

namespace {

using payload = tlm::tlm_generic_payload;
using sc_core::sc_time;

bool is_extended(const tlm::tlm_phase& phase) { return phase > tlm::END_RESP; }

tlm::tlm_phase_enum base_phase(const tlm::tlm_phase& phase)
{
    return static_cast<tlm::tlm_phase_enum>(static_cast<unsigned>(phase));
}

/// Violations by the return value of a call, independent of the transaction's state.
rule_set broken_by_return(tlm::tlm_sync_enum result, const tlm::tlm_phase& sent, const sc_time& sent_delay,
                          const tlm::tlm_phase& phase, const sc_time& delay)
{
    const bool accepted = result == tlm::TLM_ACCEPTED;
    rule_set broken;
    broken.add_if(accepted && (phase != sent || delay != sent_delay), protocol_rule::accepted_with_changes);
    broken.add_if(!accepted && is_extended(sent), protocol_rule::extended_phase_answered);
    return broken;
}

} // namespace

// ---- allowed calls ----

rule_set protocol_monitor::broken_by_call(const payload& t) const
{
    rule_set broken;
    broken.add_if(!t.has_mm(), protocol_rule::no_memory_manager);
    broken.add_if(t.has_mm() && t.get_ref_count() < 1, protocol_rule::reference_count);
    return broken;
}

rule_set protocol_monitor::broken_by_begin_request(const payload& t, const sc_time& time) const
{
    rule_set broken = broken_by_request(t);
    if (const auto* live = m_live.find(t)) {
        broken.add(live->blocking ? protocol_rule::mixed_interfaces : protocol_rule::transaction_reused);
    }
    broken.add_if(m_request != nullptr && m_request != &t, protocol_rule::request_exclusion);
    broken.add_if(time < m_request_time, protocol_rule::time_order);
    return broken;
}

rule_set protocol_monitor::broken_by_end_response(const payload& t, const sc_time& time) const
{
    rule_set broken;
    const auto* live = m_live.find(t);
    if (live == nullptr) {
        broken.add(protocol_rule::unknown_transaction);
        return broken;
    }
    if (live->blocking) { return broken; } // already reported as mixed
    if (live->phase != tlm::BEGIN_RESP) {
        broken.add(protocol_rule::phase_order);
        return broken;
    }
    broken = live->snapshot.changes(t);
    broken.add_if(time < live->time, protocol_rule::time_decreased);
    broken.add_if(t.get_response_status() != live->status, protocol_rule::status_changed_after_response);
    return broken;
}

rule_set protocol_monitor::broken_by_answer(const payload& t, tlm::tlm_phase_enum phase, const sc_time& time) const
{
    rule_set broken;
    const auto* live = m_live.find(t);
    if (live == nullptr) {
        broken.add(protocol_rule::unknown_transaction);
        return broken;
    }
    if (live->blocking) { return broken; }
    if (!may_follow(*live, phase)) {
        broken.add(protocol_rule::phase_order);
        return broken;
    }
    broken = live->snapshot.changes(t);
    broken.add_if(time < live->time, protocol_rule::time_decreased);
    if (phase == tlm::BEGIN_RESP) {
        broken.add(broken_by_response(*live, t));
        broken.add_if(m_response != nullptr, protocol_rule::response_exclusion);
        broken.add_if(time < m_response_time, protocol_rule::time_order);
    }
    return broken;
}

rule_set protocol_monitor::broken_by_response(const live_transaction& live, const payload& t) const
{
    rule_set broken = live.snapshot.changes(t);
    broken.add(live.snapshot.leftovers(t));
    broken.add_if(t.get_response_status() == tlm::TLM_INCOMPLETE_RESPONSE, protocol_rule::status_left_incomplete);
    return broken;
}

bool protocol_monitor::may_follow(const live_transaction& live, tlm::tlm_phase_enum phase) const
{
    if (phase == tlm::END_REQ) { return live.phase == tlm::BEGIN_REQ; }
    return phase == tlm::BEGIN_RESP && (live.phase == tlm::BEGIN_REQ || live.phase == tlm::END_REQ);
}

// ---- state of a transaction ----

void protocol_monitor::begin_request(const payload& t, const sc_time& time)
{
    auto& live = begin(t, false);
    live.phase = tlm::BEGIN_REQ;
    live.time = time;
    m_request = &t;
    m_request_time = std::max(m_request_time, time);
    ++m_transactions;
}

void protocol_monitor::take_answer(const payload& t, tlm::tlm_phase_enum phase, const sc_time& time)
{
    auto* live = m_live.find(t);
    if (live == nullptr || live->blocking || !may_follow(*live, phase)) { return; }
    live->phase = phase;
    live->time = std::max(live->time, time);
    if (m_request == &t) { m_request = nullptr; } // END_REQ, or BEGIN_RESP that implies it
    if (phase == tlm::BEGIN_RESP) {
        live->status = t.get_response_status();
        m_response = &t;
        m_response_time = std::max(m_response_time, time);
        note_hint(t);
    }
}

protocol_monitor::live_transaction* protocol_monitor::find(const payload& t, std::uint64_t serial)
{
    auto* live = m_live.find(t);
    return live != nullptr && live->serial == serial ? live : nullptr;
}

// ---- the calls ----

tlm::tlm_sync_enum protocol_monitor::nb_transport_fw(payload& t, tlm::tlm_phase& phase, sc_time& delay)
{
    const access a(t);
    const tlm::tlm_phase sent = phase;
    const sc_time sent_delay = delay;
    const sc_time time = annotated(delay);
    rule_set before = broken_by_call(t);
    if (sent == tlm::BEGIN_REQ) {
        before.add(broken_by_begin_request(t, time));
    } else if (sent == tlm::END_RESP) {
        before.add(broken_by_end_response(t, time));
    } else {
        before.add_if(!is_extended(sent), protocol_rule::phase_direction);
    }
    raise(before, a);

    std::uint64_t serial = 0;
    const auto* live = m_live.find(t);
    const bool elsewhere = live != nullptr && live->blocking; // reported as mixed, and tracked there
    if (sent == tlm::BEGIN_REQ && !elsewhere) {
        begin_request(t, time);
        serial = m_serial;
    } else if (sent == tlm::END_RESP && live != nullptr && live->phase == tlm::BEGIN_RESP) {
        end(t);
    }
    const auto result = guarded(a, [&] { return target()->nb_transport_fw(t, phase, delay); });
    rule_set after = broken_by_return(result, sent, sent_delay, phase, delay);
    if (!is_extended(sent)) { after.add(after_forward(t, serial, result, sent, phase, delay)); }
    raise(after, a);
    return result;
}

rule_set protocol_monitor::after_forward(const payload& t, std::uint64_t serial, tlm::tlm_sync_enum result,
                                         const tlm::tlm_phase& sent, const tlm::tlm_phase& phase, const sc_time& delay)
{
    rule_set broken;
    auto* live = find(t, serial);
    if (result == tlm::TLM_UPDATED && !is_extended(phase)) {
        if (live != nullptr && may_follow(*live, base_phase(phase))) {
            broken.add(broken_by_answer(t, base_phase(phase), annotated(delay)));
            take_answer(t, base_phase(phase), annotated(delay));
        } else {
            broken.add(protocol_rule::updated_to_wrong_phase);
        }
    } else if (result == tlm::TLM_COMPLETED) {
        if (live != nullptr && live->phase != tlm::BEGIN_RESP) {
            broken.add(broken_by_response(*live, t));
            broken.add_if(annotated(delay) < live->time, protocol_rule::time_decreased);
            note_hint(t);
            end(t);
            live = nullptr;
        } else {
            broken.add_if(live != nullptr || (sent != tlm::BEGIN_REQ && sent != tlm::END_RESP),
                          protocol_rule::completed_too_early);
        }
    }
    // A transaction that has ended may no longer exist: its owner has released it.
    if (live != nullptr) {
        broken.add(live->snapshot.changes(t));
        broken.add_if(t.get_ref_count() < 1, protocol_rule::released_early);
    }
    return broken;
}

tlm::tlm_sync_enum protocol_monitor::nb_transport_bw(payload& t, tlm::tlm_phase& phase, sc_time& delay)
{
    const access a(t);
    const tlm::tlm_phase sent = phase;
    const sc_time sent_delay = delay;
    const sc_time time = annotated(delay);
    rule_set before = broken_by_call(t);
    if (sent == tlm::END_REQ || sent == tlm::BEGIN_RESP) {
        before.add(broken_by_answer(t, base_phase(sent), time));
    } else {
        before.add_if(!is_extended(sent), protocol_rule::phase_direction);
    }
    raise(before, a);

    if (!is_extended(sent)) { take_answer(t, base_phase(sent), time); }
    const auto* live = m_live.find(t);
    const std::uint64_t serial = live != nullptr && !live->blocking ? live->serial : 0;
    const auto result = initiator()->nb_transport_bw(t, phase, delay);
    rule_set after = broken_by_return(result, sent, sent_delay, phase, delay);
    if (!is_extended(sent)) { after.add(after_backward(t, serial, result, sent, phase, delay)); }
    raise(after, a);
    return result;
}

rule_set protocol_monitor::after_backward(const payload& t, std::uint64_t serial, tlm::tlm_sync_enum result,
                                          const tlm::tlm_phase& sent, const tlm::tlm_phase& phase, const sc_time& delay)
{
    rule_set broken;
    auto* live = find(t, serial);
    const bool answers_response = sent == tlm::BEGIN_RESP;
    const bool updated = result == tlm::TLM_UPDATED && !is_extended(phase);
    broken.add_if(updated && !(answers_response && phase == tlm::END_RESP), protocol_rule::updated_to_wrong_phase);
    broken.add_if(result == tlm::TLM_COMPLETED && !answers_response, protocol_rule::completed_too_early);
    if (live == nullptr) { return broken; }
    if (answers_response && (result == tlm::TLM_COMPLETED || (updated && phase == tlm::END_RESP))) {
        broken.add_if(annotated(delay) < live->time, protocol_rule::time_decreased);
        end(t);
        return broken;
    }
    broken.add_if(t.get_ref_count() < 1, protocol_rule::released_early);
    return broken;
}

} // namespace tensorloom::bus
