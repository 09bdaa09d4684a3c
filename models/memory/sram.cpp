#include <tensorloom/models/memory/sram.h>
#include <cstdlib>
#include <cstring>
#include <new>
#include <tensorloom/models/arch/sram_energy.h>

namespace tensorloom::memory {

std::optional<std::string> complaint(const sram_config& config)
{
    if (config.bytes == 0) { return std::string("SRAM of 0 bytes, expected at least 1"); }
    if (config.bytes_per_cycle == 0) { return std::string("SRAM port of 0 bytes per cycle, expected at least 1"); }
    if (config.clock_period <= sc_core::SC_ZERO_TIME) { return std::string("SRAM clock period must be above 0"); }
    return std::nullopt;
}

void sram_body::release::operator()(unsigned char* p) const { std::free(p); }

sram_body::sram_body(const sram_config& config) : m_config(config)
{
    if (const auto wrong = complaint(config)) { SC_REPORT_ERROR("/tensorloom/sram/config", wrong->c_str()); }
    m_bytes.reset(static_cast<unsigned char*>(std::calloc(config.bytes, 1)));
    if (!m_bytes) { throw std::bad_alloc(); }
}

void sram_body::b_transport(tlm::tlm_generic_payload& transaction, sc_core::sc_time& delay)
{
    const std::uint64_t address = transaction.get_address();
    const unsigned length = transaction.get_data_length();
    const bool reads = transaction.is_read();
    transaction.set_dmi_allowed(false);
    if (!reads && !transaction.is_write()) {
        transaction.set_response_status(tlm::TLM_OK_RESPONSE);
        return;
    }
    if (address >= m_config.bytes || length > m_config.bytes - address) {
        transaction.set_response_status(tlm::TLM_ADDRESS_ERROR_RESPONSE);
        return;
    }
    unsigned char* data = transaction.get_data_ptr();
    if (data == nullptr || length == 0) {
        transaction.set_response_status(tlm::TLM_GENERIC_ERROR_RESPONSE);
        return;
    }
    if (transaction.get_streaming_width() != 0 && transaction.get_streaming_width() < length) {
        transaction.set_response_status(tlm::TLM_BURST_ERROR_RESPONSE);
        return;
    }
    const unsigned char* enables = transaction.get_byte_enable_ptr();
    const unsigned enable_length = transaction.get_byte_enable_length();
    if (enables != nullptr && enable_length == 0) {
        transaction.set_response_status(tlm::TLM_BYTE_ENABLE_ERROR_RESPONSE);
        return;
    }
    unsigned char* memory = m_bytes.get() + address;
    if (enables == nullptr) {
        std::memcpy(reads ? data : memory, reads ? memory : data, length);
    } else {
        for (unsigned i = 0; i < length; ++i) {
            if (enables[i % enable_length] == TLM_BYTE_ENABLED) {
                (reads ? data[i] : memory[i]) = reads ? memory[i] : data[i];
            }
        }
    }
    m_counts[reads ? 0 : 1] += (address + length + 7) / 8 - address / 8;
    const std::uint64_t cycles = (std::uint64_t{length} + m_config.bytes_per_cycle - 1) / m_config.bytes_per_cycle;
    delay += m_config.latency + static_cast<double>(cycles) * m_config.clock_period;
    transaction.set_dmi_allowed(m_config.allow_dmi);
    transaction.set_response_status(tlm::TLM_OK_RESPONSE);
}

unsigned sram_body::transport_dbg(tlm::tlm_generic_payload& transaction)
{
    const std::uint64_t address = transaction.get_address();
    unsigned char* data = transaction.get_data_ptr();
    if (address >= m_config.bytes || data == nullptr || !(transaction.is_read() || transaction.is_write())) {
        return 0;
    }
    const auto bytes = std::min<std::uint64_t>(transaction.get_data_length(), m_config.bytes - address);
    unsigned char* memory = m_bytes.get() + address;
    std::memcpy(transaction.is_read() ? data : memory, transaction.is_read() ? memory : data, bytes);
    transaction.set_response_status(tlm::TLM_OK_RESPONSE);
    return static_cast<unsigned>(bytes);
}

bool sram_body::get_direct_mem_ptr(tlm::tlm_generic_payload& transaction, tlm::tlm_dmi& dmi)
{
    dmi.init();
    const std::uint64_t address = transaction.get_address();
    if (address >= m_config.bytes) {
        dmi.set_start_address(m_config.bytes);
        return false; // everything above the memory
    }
    dmi.set_start_address(0);
    dmi.set_end_address(m_config.bytes - 1);
    if (!m_config.allow_dmi) { return false; }
    dmi.set_dmi_ptr(m_bytes.get());
    dmi.allow_read_write();
    const sc_core::sc_time per_byte = m_config.clock_period / static_cast<double>(m_config.bytes_per_cycle);
    dmi.set_read_latency(per_byte);
    dmi.set_write_latency(per_byte);
    return true;
}

void attach_sram(bus::activity_sink& activity, const std::string& object, const sram_body& body)
{
    activity.attach(object, arch::sram_events, body.counts());
}

} // namespace tensorloom::memory
