#include <tensorloom/tlm/register_bank.h>
#include <algorithm>
#include <utility>

namespace tensorloom::bus {
namespace {

// The enabled bytes of an access of at most 8 bytes, as lanes of the aligned 8 bytes from its first register on.
std::uint64_t lane_mask(const tlm::tlm_generic_payload& transaction)
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
    return mask << (8 * (transaction.get_address() % 4));
}

// The registers of an access: the first one and their number.
std::uint32_t first_offset(const tlm::tlm_generic_payload& transaction)
{
    return static_cast<std::uint32_t>(transaction.get_address() & ~std::uint64_t{3});
}
unsigned register_count(const tlm::tlm_generic_payload& transaction)
{
    return transaction.get_data_length() == 8 ? 2 : 1;
}

} // namespace

register_bank::register_bank(const isa::register_table& table, register_owner& owner, const target_tolerance& tolerance)
    : m_block_bytes(table.block_bytes), m_slots(table.block_bytes / 4), m_owner(owner), m_tolerance(tolerance)
{
    for (const auto& r : table) {
        slot& s = m_slots[r.offset / 4];
        s.definition = &r;
        s.reset = r.reset();
        s.read_write = r.mask(isa::register_access::read_write);
        s.write_one_clear = r.mask(isa::register_access::write_one_clear);
        s.write_start = r.mask(isa::register_access::write_start);
        s.read_only = s.writable() == 0;
        s.latches = r.trait == isa::register_trait::latches_next;
        s.read_acts = s.latches;
    }
    reset();
}

void register_bank::set_pair(std::uint32_t lo_offset, std::uint64_t value)
{
    set(lo_offset, static_cast<std::uint32_t>(value));
    set(lo_offset + 4, static_cast<std::uint32_t>(value >> 32));
}

void register_bank::reset()
{
    for (slot& s : m_slots) { s.value = s.reset; }
}

void register_bank::set_reset_value(std::uint32_t offset, std::uint32_t value)
{
    m_slots[offset / 4].reset = value;
    set(offset, value);
}

std::vector<register_value> register_bank::list() const
{
    std::vector<register_value> all;
    for (const slot& s : m_slots) {
        if (s.definition == nullptr) { continue; }
        all.push_back({s.definition->name, s.definition->offset, debug_word(s.definition->offset)});
    }
    return all;
}

void register_bank::listen(register_listener listener)
{
    m_listener = std::move(listener);
    for (slot& s : m_slots) { s.read_acts = s.latches || m_listener; }
}

std::uint32_t register_bank::debug_word(std::uint32_t offset) const
{
    if (m_slots[offset / 4].latches) { return static_cast<std::uint32_t>(m_owner.debug_value(offset)); }
    if (offset >= 4 && m_slots[offset / 4 - 1].latches) {
        return static_cast<std::uint32_t>(m_owner.debug_value(offset - 4) >> 32);
    }
    return get(offset);
}

// `first`: offset of the first register; `value` and `mask`: of it and the next.
void register_bank::report(bool is_write, std::uint32_t first, std::uint64_t value, std::uint64_t mask,
                           const sc_core::sc_time& delay) const
{
    if (!m_listener) { return; }
    for (std::uint32_t offset = first; mask != 0; offset += 4, value >>= 32, mask >>= 32) {
        const auto* definition = m_slots[offset / 4].definition;
        const auto enabled = static_cast<std::uint32_t>(mask);
        if (definition == nullptr || enabled == 0) { continue; }
        m_listener({*definition, is_write, enabled, static_cast<std::uint32_t>(value) & enabled, delay});
    }
}

tlm::tlm_response_status register_bank::check(const tlm::tlm_generic_payload& transaction) const
{
    const std::uint64_t address = transaction.get_address();
    const unsigned length = transaction.get_data_length();
    if (address >= m_block_bytes || length > m_block_bytes - address) { return tlm::TLM_ADDRESS_ERROR_RESPONSE; }
    const bool size_ok = length == 1 || length == 2 || length == 4 || length == 8;
    const unsigned streaming = transaction.get_streaming_width();
    const bool streaming_ok = streaming >= length || (streaming == 0 && m_tolerance.zero_streaming_width);
    if (!size_ok || address % length != 0 || !streaming_ok) { return tlm::TLM_BURST_ERROR_RESPONSE; }
    if (transaction.get_data_ptr() == nullptr) { return tlm::TLM_GENERIC_ERROR_RESPONSE; }
    if (transaction.get_byte_enable_ptr() != nullptr && transaction.get_byte_enable_length() == 0) {
        return tlm::TLM_BYTE_ENABLE_ERROR_RESPONSE;
    }
    return tlm::TLM_OK_RESPONSE;
}

void register_bank::access(tlm::tlm_generic_payload& transaction, const sc_core::sc_time& delay)
{
    transaction.set_dmi_allowed(false);
    auto status = tlm::TLM_OK_RESPONSE; // TLM_IGNORE_COMMAND moves nothing
    if (transaction.is_read() || transaction.is_write()) {
        status = check(transaction);
        if (status == tlm::TLM_OK_RESPONSE) {
            if (transaction.is_read()) {
                read(transaction, delay);
            } else {
                status = write(transaction, delay);
            }
        }
    }
    transaction.set_response_status(status);
}

unsigned register_bank::transport_dbg(tlm::tlm_generic_payload& transaction)
{
    if (transaction.is_write()) { transaction.set_response_status(tlm::TLM_COMMAND_ERROR_RESPONSE); }
    const std::uint64_t address = transaction.get_address();
    if (!transaction.is_read() || address >= m_block_bytes || transaction.get_data_ptr() == nullptr) { return 0; }
    const auto bytes =
        static_cast<unsigned>(std::min<std::uint64_t>(transaction.get_data_length(), m_block_bytes - address));
    for (unsigned i = 0; i < bytes; ++i) {
        const auto at = static_cast<std::uint32_t>(address + i);
        transaction.get_data_ptr()[i] = static_cast<unsigned char>(debug_word(at & ~3u) >> (8 * (at % 4)));
    }
    transaction.set_response_status(tlm::TLM_OK_RESPONSE);
    return bytes;
}

void register_bank::read(tlm::tlm_generic_payload& transaction, const sc_core::sc_time& delay)
{
    const std::uint64_t mask = lane_mask(transaction);
    const std::uint32_t first = first_offset(transaction);
    std::uint64_t value = 0;
    for (unsigned w = 0; w < register_count(transaction); ++w) {
        const std::uint32_t offset = first + 4 * w;
        if (m_slots[offset / 4].latches && (mask >> (32 * w) & 0xff) != 0) {
            set_pair(offset, m_owner.latched_value(offset, delay));
        }
        value |= std::uint64_t{get(offset)} << (32 * w);
    }
    const auto lane = static_cast<unsigned>(transaction.get_address() - first);
    for (unsigned i = 0; i < transaction.get_data_length(); ++i) {
        const unsigned shift = 8 * (lane + i);
        if ((mask >> shift & 0xff) != 0) { transaction.get_data_ptr()[i] = static_cast<unsigned char>(value >> shift); }
    }
    report(false, first, value, mask, delay);
}

tlm::tlm_response_status register_bank::write(const tlm::tlm_generic_payload& transaction,
                                              const sc_core::sc_time& delay)
{
    const std::uint64_t mask = lane_mask(transaction);
    const std::uint32_t first = first_offset(transaction);
    const auto lane = static_cast<unsigned>(transaction.get_address() - first);
    std::uint64_t value = 0;
    for (unsigned i = 0; i < transaction.get_data_length(); ++i) {
        value |= std::uint64_t{transaction.get_data_ptr()[i]} << (8 * (lane + i));
    }
    const unsigned words = register_count(transaction);
    const auto enabled = [mask](unsigned w) { return static_cast<std::uint32_t>(mask >> (32 * w)); };
    for (unsigned w = 0; w < words; ++w) {
        if (enabled(w) != 0 && m_slots[first / 4 + w].read_only) { return tlm::TLM_COMMAND_ERROR_RESPONSE; }
    }
    for (unsigned w = 0; w < words; ++w) {
        write_word(first + 4 * w, static_cast<std::uint32_t>(value >> (32 * w)), enabled(w), delay);
    }
    report(true, first, value, mask, delay);
    return tlm::TLM_OK_RESPONSE;
}

void register_bank::write_word(std::uint32_t offset, std::uint32_t value, std::uint32_t enabled,
                               const sc_core::sc_time& delay)
{
    slot& s = m_slots[offset / 4];
    if (enabled == 0 || s.writable() == 0) { return; }
    const std::uint32_t changed = s.read_write & enabled;
    const std::uint32_t ones = value & enabled;
    s.value = ((s.value & ~changed) | (value & changed)) & ~(ones & s.write_one_clear);
    m_owner.after_write(offset, (s.value & s.read_write) | (ones & (s.write_one_clear | s.write_start)), delay);
}

} // namespace tensorloom::bus
