#include <tensorloom/tlm/register_bank.h>

namespace tensorloom::bus {
namespace {

// The mask of enabled bytes of an access of at most 8 bytes, byte i of the access in bits 8i..8i+7.
std::uint64_t byte_mask(const tlm::tlm_generic_payload& transaction)
{
    const unsigned length = transaction.get_data_length();
    const unsigned char* enables = transaction.get_byte_enable_ptr();
    const unsigned enable_length = transaction.get_byte_enable_length();
    std::uint64_t mask = 0;
    for (unsigned i = 0; i < length; ++i) {
        if (enables == nullptr || enables[i % enable_length] == TLM_BYTE_ENABLED) {
            mask |= std::uint64_t{0xff} << (8 * i);
        }
    }
    return mask;
}

} // namespace

register_bank::register_bank(const arch::register_definition* map, std::size_t count, std::uint32_t block_bytes,
                             register_owner& owner)
    : m_slots(block_bytes / 4), m_values(block_bytes / 4, 0), m_owner(owner)
{
    for (std::size_t i = 0; i < count; ++i) { m_slots[map[i].offset / 4] = slot{&map[i], map[i].reset}; }
    reset();
}

void register_bank::set_pair(std::uint32_t lo_offset, std::uint64_t value)
{
    set(lo_offset, static_cast<std::uint32_t>(value));
    set(lo_offset + 4, static_cast<std::uint32_t>(value >> 32));
}

void register_bank::reset()
{
    for (std::size_t i = 0; i < m_slots.size(); ++i) { m_values[i] = m_slots[i].reset; }
}

void register_bank::set_reset_value(std::uint32_t offset, std::uint32_t value)
{
    m_slots[offset / 4].reset = value;
    set(offset, value);
}

tlm::tlm_response_status register_bank::check(const tlm::tlm_generic_payload& transaction) const
{
    const std::uint64_t address = transaction.get_address();
    const unsigned length = transaction.get_data_length();
    const std::uint64_t block = m_slots.size() * 4;
    if (address >= block || length > block - address) { return tlm::TLM_ADDRESS_ERROR_RESPONSE; }
    const bool size_ok = length == 1 || length == 2 || length == 4 || length == 8;
    const unsigned streaming = transaction.get_streaming_width();
    if (!size_ok || address % length != 0 || (streaming != 0 && streaming < length)) {
        return tlm::TLM_BURST_ERROR_RESPONSE;
    }
    if (transaction.get_data_ptr() == nullptr) { return tlm::TLM_GENERIC_ERROR_RESPONSE; }
    if (transaction.get_byte_enable_ptr() != nullptr && transaction.get_byte_enable_length() == 0) {
        return tlm::TLM_BYTE_ENABLE_ERROR_RESPONSE;
    }
    return tlm::TLM_OK_RESPONSE;
}

void register_bank::b_transport(tlm::tlm_generic_payload& transaction, const sc_core::sc_time& delay)
{
    transaction.set_dmi_allowed(false);
    if (transaction.is_read() || transaction.is_write()) {
        auto status = check(transaction);
        if (status == tlm::TLM_OK_RESPONSE) {
            const auto address = static_cast<std::uint32_t>(transaction.get_address());
            if (transaction.is_read()) {
                for (std::uint32_t offset = address & ~3u; offset < address + transaction.get_data_length();
                     offset += 4) {
                    m_owner.before_read(offset, delay);
                }
                read(address, transaction.get_data_ptr(), transaction);
            } else {
                status = write(address, transaction.get_data_ptr(), transaction, delay);
            }
        }
        transaction.set_response_status(status);
    } else {
        transaction.set_response_status(tlm::TLM_OK_RESPONSE); // TLM_IGNORE_COMMAND moves nothing
    }
}

unsigned register_bank::transport_dbg(tlm::tlm_generic_payload& transaction)
{
    const std::uint64_t address = transaction.get_address();
    const std::uint64_t block = m_slots.size() * 4;
    if (!transaction.is_read() || address >= block || transaction.get_data_ptr() == nullptr) { return 0; }
    const auto bytes = static_cast<unsigned>(std::min<std::uint64_t>(transaction.get_data_length(), block - address));
    for (unsigned i = 0; i < bytes; ++i) {
        const std::uint64_t at = address + i;
        transaction.get_data_ptr()[i] = static_cast<unsigned char>(m_values[at / 4] >> (8 * (at % 4)));
    }
    transaction.set_response_status(tlm::TLM_OK_RESPONSE);
    return bytes;
}

void register_bank::read(std::uint32_t address, unsigned char* data, const tlm::tlm_generic_payload& transaction)
{
    const std::uint64_t mask = byte_mask(transaction);
    for (unsigned i = 0; i < transaction.get_data_length(); ++i) {
        const std::uint32_t at = address + i;
        if ((mask >> (8 * i) & 0xff) != 0) { data[i] = static_cast<unsigned char>(m_values[at / 4] >> (8 * (at % 4))); }
    }
}

tlm::tlm_response_status register_bank::write(std::uint32_t address, const unsigned char* data,
                                              const tlm::tlm_generic_payload& transaction,
                                              const sc_core::sc_time& delay)
{
    std::uint64_t value = 0;
    for (unsigned i = 0; i < transaction.get_data_length(); ++i) { value |= std::uint64_t{data[i]} << (8 * i); }
    std::uint64_t mask = byte_mask(transaction);
    const unsigned shift = 8 * (address % 4);
    value <<= shift;
    mask <<= shift;

    const std::uint32_t first = address & ~3u;
    const unsigned words = transaction.get_data_length() == 8 ? 2 : 1;
    const auto touched = [mask](unsigned w) { return static_cast<std::uint32_t>(mask >> (32 * w)) != 0; };
    for (unsigned w = 0; w < words; ++w) {
        const auto* definition = m_slots[first / 4 + w].definition;
        if (touched(w) && definition != nullptr && definition->access == arch::register_access::read_only) {
            return tlm::TLM_COMMAND_ERROR_RESPONSE;
        }
    }
    for (unsigned w = 0; w < words; ++w) {
        const std::uint32_t offset = first + 4 * w;
        const auto* definition = m_slots[offset / 4].definition;
        if (!touched(w) || definition == nullptr) { continue; }
        const std::uint32_t bits = static_cast<std::uint32_t>(mask >> (32 * w)) & definition->writable;
        const std::uint32_t word = static_cast<std::uint32_t>(value >> (32 * w)) & bits;
        switch (definition->access) {
        case arch::register_access::read_write:
            set(offset, (get(offset) & ~bits) | word);
            m_owner.after_write(offset, get(offset), delay);
            break;
        case arch::register_access::write_one_clear:
            set(offset, get(offset) & ~word);
            m_owner.after_write(offset, word, delay);
            break;
        case arch::register_access::write_start: m_owner.after_write(offset, word, delay); break;
        case arch::register_access::read_only: break;
        }
    }
    return tlm::TLM_OK_RESPONSE;
}

} // namespace tensorloom::bus
