#include <tensorloom/tlm/protocol_checker.h>
#include <sstream>
#include <tensorloom/tlm/instance_report.h>
#include <tensorloom/tlm/simulated_time.h>

namespace tensorloom::bus {

namespace {

using payload = tlm::tlm_generic_payload;
using sc_core::sc_time;

bool called_from_method()
{
    // Before the simulation runs, the "current" process is the one that was created last.
    return sc_core::sc_is_running() && sc_core::sc_get_current_process_handle().proc_kind() == sc_core::SC_METHOD_PROC_;
}

const char* text_of(tlm::tlm_command command)
{
    switch (command) {
    case tlm::TLM_READ_COMMAND: return "read";
    case tlm::TLM_WRITE_COMMAND: return "write";
    default: return "ignore";
    }
}

} // namespace

protocol_monitor::protocol_monitor(std::string name, on_violation reaction)
    : m_name(std::move(name)), m_reaction(reaction)
{}

// ---- the life of a transaction ----

protocol_monitor::live_transaction& protocol_monitor::begin(const payload& t, bool blocking)
{
    auto& live = m_live.begin(t);
    live.snapshot.take(t, !m_tolerated.test(static_cast<std::size_t>(protocol_rule::ignore_moved_data)));
    live.blocking = blocking;
    live.phase = tlm::UNINITIALIZED_PHASE;
    live.serial = ++m_serial;
    return live;
}

void protocol_monitor::end(const payload& t)
{
    m_live.end(t);
    if (m_request == &t) { m_request = nullptr; }
    if (m_response == &t) { m_response = nullptr; }
}

// ---- blocking transport ----

void protocol_monitor::b_transport(payload& t, sc_time& delay)
{
    const access a(t);
    rule_set before = broken_by_request(t);
    before.add_if(called_from_method(), protocol_rule::blocking_call_from_method);
    before.add_if(t.has_mm() && t.get_ref_count() < 1, protocol_rule::reference_count);
    const auto* live = m_live.find(t);
    if (live != nullptr) {
        before.add(live->blocking ? protocol_rule::transaction_reused : protocol_rule::mixed_interfaces);
    }
    raise(before, a);
    ++m_transactions;
    if (live != nullptr) { // already tracked
        guarded(a, [&] { target()->b_transport(t, delay); });
        return;
    }
    const sc_time due = annotated(delay);
    rule_set after;
    {
        const payload_snapshot& sent = begin(t, true).snapshot;
        const decltype(m_live)::until_left call(m_live, t);
        guarded(a, [&] { target()->b_transport(t, delay); });
        after = sent.changes(t);
        after.add(sent.leftovers(t));
    }
    after.add_if(t.get_response_status() == tlm::TLM_INCOMPLETE_RESPONSE, protocol_rule::status_left_incomplete);
    after.add_if(annotated(delay) < due, protocol_rule::delay_decreased);
    note_hint(t);
    raise(after, a);
}

void protocol_monitor::note_hint(const payload& t)
{
    if (!t.is_dmi_allowed()) { return; }
    m_hinted = true;
    m_hinted_command = t.get_command();
    m_hinted_address = t.get_address();
}

// ---- reporting ----

void protocol_monitor::report_live()
{
    rule_set broken;
    broken.add(protocol_rule::left_live);
    std::vector<access> accesses;
    m_live.for_each([&](const live_transaction& live) { accesses.emplace_back(live.snapshot); });
    for (const auto& a : accesses) { raise(broken, a); }
}

/// The exception propagates; the report must not replace it.
void protocol_monitor::note_exception(const access& a)
{
    try {
        if (note(protocol_rule::exception_escaped, a)) { send(protocol_rule::exception_escaped, a); }
    } catch (const sc_core::sc_report&) {}
}

/// Counts all violations before reporting the first, because reporting may throw.
void protocol_monitor::report(const rule_set& broken, const access& a)
{
    rule_set sent;
    for (const auto& d : protocol_rules) {
        if (broken.has(d.rule) && note(d.rule, a)) { sent.add(d.rule); }
    }
    for (const auto& d : protocol_rules) {
        if (sent.has(d.rule)) { send(d.rule, a); }
    }
}

/// False when the rule is tolerated.
bool protocol_monitor::note(protocol_rule rule, const access& a)
{
    const auto index = static_cast<std::size_t>(rule);
    const auto& d = definition_of(rule);
    ++m_counts[index];
    if (m_tolerated.test(index)) { return false; }
    ++(d.weight == rule_weight::error ? m_violations : m_warnings);
    if (m_kept.size() < most_kept) { m_kept.push_back({rule, sc_core::sc_time_stamp(), description(rule, a)}); }
    return true;
}

void protocol_monitor::send(protocol_rule rule, const access& a) const
{
    if (m_reaction == on_violation::count) { return; }
    const std::string text = description(rule, a);
    if (m_reaction == on_violation::report_error && definition_of(rule).weight == rule_weight::error) {
        report_error(m_name, report_id, text);
    } else {
        report_warning(m_name, report_id, text);
    }
}

std::string protocol_monitor::description(protocol_rule rule, const access& a)
{
    const auto& d = definition_of(rule);
    std::ostringstream text;
    text << d.clause << ": " << d.text << " (" << text_of(a.command) << ", address 0x" << std::hex << a.address
         << std::dec << ", " << a.length << " bytes)";
    return text.str();
}

} // namespace tensorloom::bus
