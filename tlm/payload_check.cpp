#include <systemc>
#include <tensorloom/tlm/payload_check.h>
#include <cstring>

namespace tensorloom::bus {

std::optional<std::string> payload_check::request_complaint(const tlm::tlm_generic_payload& t)
{
    if (t.get_response_status() != tlm::TLM_INCOMPLETE_RESPONSE) {
        return "14.17 e: response status is not INCOMPLETE at the start";
    }
    if (t.get_command() != tlm::TLM_IGNORE_COMMAND) {
        if (t.get_data_ptr() == nullptr) { return "14.11 e: data pointer is null"; }
        if (t.get_data_length() == 0) { return "14.12 d: data length is 0"; }
        if (t.get_streaming_width() == 0) { return "14.15 f: streaming width is 0"; }
    }
    if (t.get_byte_enable_ptr() != nullptr) {
        if (t.get_byte_enable_length() == 0) { return "14.14: byte enables of length 0"; }
        for (unsigned i = 0; i < t.get_byte_enable_length(); ++i) {
            const auto e = t.get_byte_enable_ptr()[i];
            if (e != TLM_BYTE_ENABLED && e != TLM_BYTE_DISABLED) {
                return "14.13: a byte enable is neither 0x00 nor 0xff";
            }
        }
    }
    if (t.is_dmi_allowed()) { return "14.16: DMI hint is set by the initiator"; }
    return std::nullopt;
}

payload_check::payload_check(const tlm::tlm_generic_payload& t)
    : m_command(t.get_command()), m_address(t.get_address()), m_data(t.get_data_ptr()), m_length(t.get_data_length()),
      m_enables(t.get_byte_enable_ptr()), m_enable_length(t.get_byte_enable_length()),
      m_streaming(t.get_streaming_width())
{
    if (t.is_write() && m_data != nullptr) { m_written.assign(m_data, m_data + m_length); }
}

std::optional<std::string> payload_check::response_complaint(const tlm::tlm_generic_payload& t,
                                                             const sc_core::sc_time& delay_before,
                                                             const sc_core::sc_time& delay_after) const
{
    if (t.get_response_status() == tlm::TLM_INCOMPLETE_RESPONSE) {
        return "14.17: the target left the response INCOMPLETE";
    }
    if (t.get_command() != m_command) { return "14.7: command changed"; }
    if (t.get_address() != m_address) { return "14.7: address not restored"; }
    if (t.get_data_ptr() != m_data || t.get_data_length() != m_length) {
        return "14.7: data pointer or length changed";
    }
    if (t.get_byte_enable_ptr() != m_enables || t.get_byte_enable_length() != m_enable_length) {
        return "14.7: byte enables changed";
    }
    if (t.get_streaming_width() != m_streaming) { return "14.7: streaming width changed"; }
    if (!m_written.empty() && std::memcmp(m_written.data(), m_data, m_length) != 0) {
        return "14.11: the data of a write changed";
    }
    if (delay_after < delay_before) { return "11.1: the annotated delay decreased"; }
    return std::nullopt;
}

} // namespace tensorloom::bus
