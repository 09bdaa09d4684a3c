#include <tensorloom/tlm/protocol_checker.h>
#include <cstring>

namespace tensorloom::bus {

rule_set broken_by_request(const tlm::tlm_generic_payload& t)
{
    rule_set broken;
    broken.add_if(t.get_response_status() != tlm::TLM_INCOMPLETE_RESPONSE, protocol_rule::status_set_at_request);
    if (t.get_command() != tlm::TLM_IGNORE_COMMAND) {
        broken.add_if(t.get_data_ptr() == nullptr, protocol_rule::null_data);
        broken.add_if(t.get_data_length() == 0, protocol_rule::zero_length);
        broken.add_if(t.get_streaming_width() == 0, protocol_rule::zero_streaming_width);
    }
    if (t.get_byte_enable_ptr() != nullptr) {
        broken.add_if(t.get_byte_enable_length() == 0, protocol_rule::enables_of_length_zero);
        for (unsigned i = 0; i < t.get_byte_enable_length(); ++i) {
            const auto e = t.get_byte_enable_ptr()[i];
            broken.add_if(e != TLM_BYTE_ENABLED && e != TLM_BYTE_DISABLED, protocol_rule::enable_value);
        }
    }
    broken.add_if(t.is_dmi_allowed(), protocol_rule::dmi_hint_at_request);
    broken.add_if(t.get_gp_option() != tlm::TLM_MIN_PAYLOAD, protocol_rule::option_at_request);
    return broken;
}

void payload_snapshot::take(const tlm::tlm_generic_payload& t, bool with_ignored_data)
{
    m_command = t.get_command();
    m_address = t.get_address();
    m_data = t.get_data_ptr();
    m_length = t.get_data_length();
    m_enables = t.get_byte_enable_ptr();
    m_enable_length = t.get_byte_enable_length();
    m_streaming_width = t.get_streaming_width();
    m_option = t.get_gp_option();
    m_has_mm = t.has_mm();
    // A read without byte enables may change every byte.
    const bool kept = m_data != nullptr && (t.is_write() || (t.is_read() && m_enables != nullptr) ||
                                            (t.get_command() == tlm::TLM_IGNORE_COMMAND && with_ignored_data));
    m_bytes.assign(m_data, m_data + (kept ? m_length : 0));
    m_enable_bytes.assign(m_enables, m_enables + (m_enables != nullptr ? m_enable_length : 0));
    m_extensions.resize(tlm::max_num_extensions());
    for (unsigned i = 0; i < m_extensions.size(); ++i) { m_extensions[i] = t.get_extension(i); }
}

rule_set payload_snapshot::changes(const tlm::tlm_generic_payload& t) const
{
    rule_set broken;
    broken.add_if(t.get_command() != m_command, protocol_rule::command_changed);
    broken.add_if(t.get_address() != m_address, protocol_rule::address_changed);
    broken.add_if(t.get_data_ptr() != m_data, protocol_rule::data_pointer_changed);
    broken.add_if(t.get_data_length() != m_length, protocol_rule::length_changed);
    broken.add_if(!enables_are_the_same(t), protocol_rule::enables_changed);
    broken.add_if(t.get_streaming_width() != m_streaming_width, protocol_rule::streaming_width_changed);
    broken.add_if(t.get_gp_option() != m_option, protocol_rule::option_changed);
    if (m_bytes.empty()) { return broken; }
    if (m_command == tlm::TLM_READ_COMMAND) {
        broken.add_if(disabled_lane_changed(), protocol_rule::disabled_lane_changed);
    } else if (std::memcmp(m_bytes.data(), m_data, m_length) != 0) {
        broken.add(m_command == tlm::TLM_WRITE_COMMAND ? protocol_rule::written_data_changed
                                                       : protocol_rule::ignore_moved_data);
    }
    return broken;
}

rule_set payload_snapshot::leftovers(const tlm::tlm_generic_payload& t) const
{
    rule_set broken;
    for (unsigned i = 0; i < m_extensions.size(); ++i) {
        const auto* now = t.get_extension(i);
        if (now == m_extensions[i]) { continue; }
        if (m_extensions[i] != nullptr) {
            broken.add(protocol_rule::extension_changed);
        } else if (!m_has_mm) { // a memory manager clears what was added
            broken.add(protocol_rule::extension_left_behind);
        }
    }
    broken.add_if(!m_has_mm && t.has_mm(), protocol_rule::memory_manager_left_behind);
    return broken;
}

bool payload_snapshot::enables_are_the_same(const tlm::tlm_generic_payload& t) const
{
    if (t.get_byte_enable_ptr() != m_enables || t.get_byte_enable_length() != m_enable_length) { return false; }
    return m_enable_bytes.empty() || std::memcmp(m_enable_bytes.data(), m_enables, m_enable_length) == 0;
}

bool payload_snapshot::lane_is_disabled(unsigned byte) const
{
    return m_enable_bytes[byte % m_enable_length] == TLM_BYTE_DISABLED;
}

bool payload_snapshot::disabled_lane_changed() const
{
    if (m_enable_bytes.empty()) { return false; }
    for (unsigned i = 0; i < m_length; ++i) {
        if (m_data[i] != m_bytes[i] && lane_is_disabled(i)) { return true; }
    }
    return false;
}

} // namespace tensorloom::bus
