#include <tensorloom/tlm/recorder.h>
#include <algorithm>
#include <tensorloom/tlm/simulated_time.h>

namespace tensorloom::bus {

namespace {

using payload = tlm::tlm_generic_payload;
using sc_core::sc_time;
using forward_port = sc_core::sc_port_b<tlm::tlm_fw_transport_if<>>;

std::uint64_t annotated_ps(const sc_time& delay) { return picoseconds(annotated(delay)); }

transfer_command command_of(const payload& t)
{
    switch (t.get_command()) {
    case tlm::TLM_READ_COMMAND: return transfer_command::read;
    case tlm::TLM_WRITE_COMMAND: return transfer_command::write;
    default: return transfer_command::ignore;
    }
}

transfer_status status_of(const payload& t)
{
    switch (t.get_response_status()) {
    case tlm::TLM_OK_RESPONSE: return transfer_status::ok;
    case tlm::TLM_ADDRESS_ERROR_RESPONSE: return transfer_status::address_error;
    case tlm::TLM_COMMAND_ERROR_RESPONSE: return transfer_status::command_error;
    case tlm::TLM_BURST_ERROR_RESPONSE: return transfer_status::burst_error;
    case tlm::TLM_BYTE_ENABLE_ERROR_RESPONSE: return transfer_status::byte_enable_error;
    case tlm::TLM_GENERIC_ERROR_RESPONSE: return transfer_status::generic_error;
    default: return transfer_status::incomplete;
    }
}

/// The innermost port below these objects that calls the given interface; ports of enclosing modules call it too.
std::string name_of_caller(const std::vector<sc_core::sc_object*>& objects, const tlm::tlm_fw_transport_if<>* called)
{
    std::string name;
    for (auto* object : objects) {
        const std::string below = name_of_caller(object->get_child_objects(), called);
        if (!below.empty()) { return below; }
        auto* port = dynamic_cast<forward_port*>(object);
        if (port == nullptr) { continue; }
        for (int i = 0; i < port->size(); ++i) {
            if ((*port)[i] != called) { continue; }
            name = object->name();
            if (port->size() > 1) { name += "[" + std::to_string(i) + "]"; }
        }
    }
    return name;
}

} // namespace

void traffic_recorder::find_initiator()
{
    m_sink.connected(m_number, name_of_caller(sc_core::sc_get_top_level_objects(), this));
}

// ---- state of a transaction ----

traffic_recorder::live_transaction& traffic_recorder::begin(const payload& t, transfer_kind kind, std::uint64_t now_ps)
{
    auto& live = m_live.begin(t);
    live.has_end_request = false;
    live.has_response = false;
    auto& r = live.record;
    r.kind = kind;
    r.command = command_of(t);
    r.address = t.get_address();
    r.bytes = t.get_data_length();
    r.begin_ps = now_ps;
    return live;
}

void traffic_recorder::pass(const payload& t, tlm::tlm_phase_enum phase, std::uint64_t now_ps)
{
    auto* live = m_live.find(t);
    if (live == nullptr || live->has_response) { return; }
    if (!live->has_end_request) { live->record.end_request_ps = now_ps; } // a response implies it
    live->has_end_request = true;
    if (phase == tlm::END_REQ) { return; }
    live->has_response = true;
    live->record.begin_response_ps = now_ps;
    live->record.status = status_of(t); // the payload may no longer exist after the end
}

void traffic_recorder::end(const payload& t, std::uint64_t now_ps)
{
    auto* live = m_live.find(t);
    if (live == nullptr || !live->has_response) { return; }
    auto record = live->record;
    m_live.end(t);
    record.end_ps = now_ps;
    record.settled_ps = settled_ps();
    m_sink.log(m_number, record);
}

/// A later record begins now or later, unless its transaction has begun already. Computing that for every record would
/// scan all live ones each time; an older value is only more conservative.
std::uint64_t traffic_recorder::settled_ps()
{
    if (m_until_settling == 0) {
        m_until_settling = 64;
        std::uint64_t settled = picoseconds(sc_core::sc_time_stamp());
        m_live.for_each([&](const live_transaction& l) { settled = std::min(settled, l.record.begin_ps); });
        m_settled_ps = settled;
    }
    --m_until_settling;
    return m_settled_ps;
}

// ---- the calls ----

void traffic_recorder::b_transport(payload& t, sc_time& delay)
{
    if (m_live.find(t) != nullptr) { // a protocol violation
        target()->b_transport(t, delay);
        return;
    }
    transaction_record record = begin(t, transfer_kind::blocking, annotated_ps(delay)).record;
    {
        const decltype(m_live)::until_left call(m_live, t);
        target()->b_transport(t, delay);
    }
    record.status = status_of(t);
    record.end_request_ps = record.begin_ps;
    record.end_ps = annotated_ps(delay);
    record.begin_response_ps = record.end_ps;
    record.settled_ps = settled_ps();
    m_sink.log(m_number, record);
}

tlm::tlm_sync_enum traffic_recorder::nb_transport_fw(payload& t, tlm::tlm_phase& phase, sc_time& delay)
{
    const tlm::tlm_phase sent = phase;
    const bool begins = sent == tlm::BEGIN_REQ && m_live.find(t) == nullptr;
    if (begins) { begin(t, transfer_kind::phases, annotated_ps(delay)); }
    if (sent == tlm::END_RESP) { end(t, annotated_ps(delay)); }
    const auto result = target()->nb_transport_fw(t, phase, delay);
    if (!begins) { return result; }
    if (result == tlm::TLM_COMPLETED) {
        pass(t, tlm::BEGIN_RESP, annotated_ps(delay));
        end(t, annotated_ps(delay));
    } else if (result == tlm::TLM_UPDATED && phase == tlm::END_REQ) {
        pass(t, tlm::END_REQ, annotated_ps(delay));
    } else if (result == tlm::TLM_UPDATED && phase == tlm::BEGIN_RESP) {
        pass(t, tlm::BEGIN_RESP, annotated_ps(delay));
    }
    return result;
}

tlm::tlm_sync_enum traffic_recorder::nb_transport_bw(payload& t, tlm::tlm_phase& phase, sc_time& delay)
{
    const bool responds = phase == tlm::BEGIN_RESP;
    if (responds) {
        pass(t, tlm::BEGIN_RESP, annotated_ps(delay));
    } else if (phase == tlm::END_REQ) {
        pass(t, tlm::END_REQ, annotated_ps(delay));
    }
    const auto result = initiator()->nb_transport_bw(t, phase, delay);
    if (responds && (result == tlm::TLM_COMPLETED || (result == tlm::TLM_UPDATED && phase == tlm::END_RESP))) {
        end(t, annotated_ps(delay));
    }
    return result;
}

unsigned traffic_recorder::transport_dbg(payload& t)
{
    const unsigned done = target()->transport_dbg(t);
    m_sink.debug(m_number, done);
    return done;
}

bool traffic_recorder::get_direct_mem_ptr(payload& t, tlm::tlm_dmi& dmi)
{
    const bool granted = target()->get_direct_mem_ptr(t, dmi);
    m_sink.dmi_request(m_number, granted);
    return granted;
}

void traffic_recorder::invalidate_direct_mem_ptr(sc_dt::uint64 start, sc_dt::uint64 end)
{
    m_sink.dmi_invalidation(m_number);
    initiator()->invalidate_direct_mem_ptr(start, end);
}

} // namespace tensorloom::bus
