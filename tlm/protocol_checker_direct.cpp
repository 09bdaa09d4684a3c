// Debug transport and the direct memory interface.
#include <tensorloom/tlm/protocol_checker.h>
#include <cstring>
#include <vector>

namespace tensorloom::bus {

namespace {

using payload = tlm::tlm_generic_payload;
using sc_core::sc_time;

/// The attributes of debug and DMI requests, and the data of a debug write.
class bare_request {
public:
    enum class with_data { no, yes };

    bare_request(const payload& t, with_data data)
        : m_command(t.get_command()), m_address(t.get_address()), m_data(t.get_data_ptr()),
          m_length(t.get_data_length())
    {
        const bool kept = data == with_data::yes && m_data != nullptr && !t.is_read();
        m_bytes.assign(m_data, m_data + (kept ? m_length : 0));
    }
    bool changed(const payload& t) const
    {
        return t.get_command() != m_command || t.get_address() != m_address || t.get_data_ptr() != m_data ||
               t.get_data_length() != m_length ||
               (!m_bytes.empty() && std::memcmp(m_bytes.data(), m_data, m_length) != 0);
    }

private:
    tlm::tlm_command m_command;
    std::uint64_t m_address;
    const unsigned char* m_data;
    unsigned m_length;
    std::vector<unsigned char> m_bytes;
};

bool as_init_leaves_it(const tlm::tlm_dmi& dmi)
{
    return dmi.get_dmi_ptr() == nullptr && dmi.is_none_allowed() && dmi.get_start_address() == 0 &&
           dmi.get_end_address() == ~sc_dt::uint64{0} && dmi.get_read_latency() == sc_core::SC_ZERO_TIME &&
           dmi.get_write_latency() == sc_core::SC_ZERO_TIME;
}

bool grants_enough(const tlm::tlm_dmi& dmi, tlm::tlm_command command)
{
    switch (command) {
    case tlm::TLM_READ_COMMAND: return dmi.is_read_allowed();
    case tlm::TLM_WRITE_COMMAND: return dmi.is_write_allowed();
    default: return true;
    }
}

} // namespace

unsigned protocol_monitor::transport_dbg(payload& t)
{
    const access a(t);
    rule_set broken;
    broken.add_if(t.get_data_ptr() == nullptr && t.get_data_length() != 0, protocol_rule::debug_null_data);
    raise(broken, a);

    const bare_request before(t, bare_request::with_data::yes);
    const sc_time now = sc_core::sc_time_stamp();
    const auto delta = sc_core::sc_delta_count();
    const unsigned done = guarded(a, [&] { return target()->transport_dbg(t); });
    rule_set after;
    if (sc_core::sc_time_stamp() != now) {
        after.add(protocol_rule::debug_took_time);
    } else {
        after.add_if(sc_core::sc_delta_count() != delta, protocol_rule::debug_waited);
    }
    after.add_if(done > a.length, protocol_rule::debug_count);
    after.add_if(before.changed(t), protocol_rule::debug_payload_changed);
    raise(after, a);
    return done;
}

bool protocol_monitor::get_direct_mem_ptr(payload& t, tlm::tlm_dmi& dmi)
{
    const access a(t);
    rule_set broken;
    broken.add_if(!as_init_leaves_it(dmi), protocol_rule::dmi_descriptor_at_request);
    raise(broken, a);

    const bare_request before(t, bare_request::with_data::no);
    const bool granted = guarded(a, [&] { return target()->get_direct_mem_ptr(t, dmi); });
    rule_set after;
    after.add_if(before.changed(t), protocol_rule::dmi_payload_changed);
    if (dmi.get_end_address() < dmi.get_start_address()) {
        after.add(protocol_rule::dmi_range_inverted);
    } else if (a.address < dmi.get_start_address() || a.address > dmi.get_end_address()) {
        after.add(granted ? protocol_rule::dmi_granted_elsewhere : protocol_rule::dmi_refused_elsewhere);
    }
    after.add_if(granted && dmi.get_dmi_ptr() == nullptr, protocol_rule::dmi_null_pointer);
    after.add_if(granted && !grants_enough(dmi, a.command), protocol_rule::dmi_access_too_small);
    if (!granted && m_hinted && m_hinted_command == a.command && m_hinted_address == a.address) {
        after.add(protocol_rule::dmi_hint_not_kept);
        m_hinted = false;
    }
    raise(after, a);
    return granted;
}

void protocol_monitor::invalidate_direct_mem_ptr(sc_dt::uint64 start, sc_dt::uint64 end)
{
    m_hinted = false;
    if (end < start) {
        payload range;
        range.set_address(start);
        rule_set broken;
        broken.add(protocol_rule::dmi_invalidation_inverted);
        raise(broken, access(range));
    }
    initiator()->invalidate_direct_mem_ptr(start, end);
}

} // namespace tensorloom::bus
