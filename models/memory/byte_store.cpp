#include <tensorloom/models/memory/byte_store.h>
#include <algorithm>
#include <cstring>
#include <new>
#include <utility>
#include <sys/mman.h>

namespace tensorloom::memory {

void byte_store::release::operator()(unsigned char* p) const { munmap(p, bytes); }

byte_store::byte_store(const byte_store_config& config) : m_config(config)
{
    // Reserved, not taken: a memory may be larger than the host's, as long as few of its pages are touched.
    void* const pages =
        mmap(nullptr, config.bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (pages == MAP_FAILED) { throw std::bad_alloc(); }
    m_bytes = {static_cast<unsigned char*>(pages), release{config.bytes}};
    if (config.fill != 0) { std::memset(m_bytes.get(), config.fill, config.bytes); }
}

std::uint64_t byte_store::turn_bytes(const tlm::tlm_generic_payload& transaction)
{
    const unsigned width = transaction.get_streaming_width();
    const unsigned length = transaction.get_data_length();
    return width == 0 ? length : std::min(width, length);
}

tlm::tlm_response_status byte_store::complaint(const tlm::tlm_generic_payload& transaction) const
{
    const std::uint64_t address = transaction.get_address();
    const unsigned length = transaction.get_data_length();
    const unsigned width = transaction.get_streaming_width();
    if (transaction.is_write() && m_config.read_only) { return tlm::TLM_COMMAND_ERROR_RESPONSE; }
    if (transaction.get_data_ptr() == nullptr || length == 0) { return tlm::TLM_GENERIC_ERROR_RESPONSE; }
    if (width == 0 ? !m_config.tolerance.zero_streaming_width : width < length && !m_config.streaming_bursts) {
        return tlm::TLM_BURST_ERROR_RESPONSE;
    }
    if (address >= m_config.bytes || turn_bytes(transaction) > m_config.bytes - address) {
        return tlm::TLM_ADDRESS_ERROR_RESPONSE;
    }
    if (transaction.get_byte_enable_ptr() != nullptr && transaction.get_byte_enable_length() == 0) {
        return tlm::TLM_BYTE_ENABLE_ERROR_RESPONSE;
    }
    return tlm::TLM_OK_RESPONSE;
}

bool byte_store::execute(tlm::tlm_generic_payload& transaction)
{
    transaction.set_dmi_allowed(false);
    if (transaction.get_command() == tlm::TLM_IGNORE_COMMAND) {
        transaction.set_response_status(tlm::TLM_OK_RESPONSE);
        return false;
    }
    const auto status = complaint(transaction);
    transaction.set_response_status(status);
    if (status != tlm::TLM_OK_RESPONSE) { return false; }
    const unsigned length = transaction.get_data_length();
    if (transaction.get_byte_enable_ptr() == nullptr && turn_bytes(transaction) == length) {
        unsigned char* memory = m_bytes.get() + transaction.get_address();
        unsigned char* data = transaction.get_data_ptr();
        std::memcpy(transaction.is_read() ? data : memory, transaction.is_read() ? memory : data, length);
    } else {
        move_bytes(transaction);
    }
    transaction.set_dmi_allowed(m_config.allow_dmi);
    return true;
}

// The general way: byte enables, streaming.
void byte_store::move_bytes(tlm::tlm_generic_payload& transaction)
{
    unsigned char* memory = m_bytes.get() + transaction.get_address();
    unsigned char* data = transaction.get_data_ptr();
    const std::uint64_t turn = turn_bytes(transaction);
    const unsigned char* enables = transaction.get_byte_enable_ptr();
    const unsigned enable_length = transaction.get_byte_enable_length();
    for (std::uint64_t i = 0; i < transaction.get_data_length(); ++i) {
        if (enables != nullptr && enables[i % enable_length] != TLM_BYTE_ENABLED) { continue; }
        (transaction.is_read() ? data[i] : memory[i % turn]) = transaction.is_read() ? memory[i % turn] : data[i];
    }
}

unsigned byte_store::transport_dbg(tlm::tlm_generic_payload& transaction)
{
    const std::uint64_t address = transaction.get_address();
    unsigned char* data = transaction.get_data_ptr();
    if (address >= m_config.bytes || data == nullptr || transaction.get_command() == tlm::TLM_IGNORE_COMMAND) {
        return 0;
    }
    const auto bytes = std::min<std::uint64_t>(transaction.get_data_length(), m_config.bytes - address);
    unsigned char* memory = m_bytes.get() + address;
    std::memcpy(transaction.is_read() ? data : memory, transaction.is_read() ? memory : data, bytes);
    transaction.set_response_status(tlm::TLM_OK_RESPONSE);
    return static_cast<unsigned>(bytes);
}

bool byte_store::get_direct_mem_ptr(tlm::tlm_generic_payload& transaction, tlm::tlm_dmi& dmi,
                                    const sc_core::sc_time& latency_per_byte)
{
    dmi.init();
    if (transaction.get_address() >= m_config.bytes) {
        dmi.set_start_address(m_config.bytes);
        return false;
    }
    dmi.set_start_address(0);
    dmi.set_end_address(m_config.bytes - 1);
    if (!m_config.allow_dmi || (m_config.read_only && transaction.is_write())) { return false; }
    dmi.set_dmi_ptr(m_bytes.get());
    if (m_config.read_only) {
        dmi.allow_read();
    } else {
        dmi.allow_read_write();
    }
    dmi.set_read_latency(latency_per_byte);
    dmi.set_write_latency(latency_per_byte);
    m_granted = true;
    return true;
}

bool byte_store::take_back_dmi() { return std::exchange(m_granted, false); }

} // namespace tensorloom::memory
