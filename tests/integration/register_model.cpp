#include "integration/register_model.h"

namespace tensorloom::test {
namespace {

bool read_only(std::uint32_t offset)
{
    switch (offset) {
    case 0x000: // ID
    case 0x004: // VERSION
    case 0x008: // CAPS
    case 0x010: // CAPS_SIZE_0
    case 0x014:
    case 0x018:
    case 0x024: // STATUS
    case 0x040: // ERROR_CODE
    case 0x044: // ERROR_COMMAND
    case 0x048: // ERROR_ADDR
    case 0x04c:
    case 0x050: // CYCLES
    case 0x054:
    case 0x058: // COMMANDS_DONE
    case 0x05c: // TOKEN
    case 0x068: // COUNTER_VALUE
    case 0x06c:
    case 0x070: return true; // ERROR_RESPONSE
    default: return false;
    }
}

std::uint32_t writable_bits(std::uint32_t offset)
{
    switch (offset) {
    case 0x02c: return 0x7;         // IRQ_ENABLE
    case 0x030:                     // PROGRAM_ADDR_LO
    case 0x034: return 0xffff'ffff; // PROGRAM_ADDR_HI
    case 0x060: return 0xff;        // COUNTER_INDEX
    default: return 0;
    }
}

} // namespace

register_model::register_model(std::uint32_t caps, const std::array<std::uint32_t, 3>& caps_size)
    : m_caps(caps), m_caps_size(caps_size)
{
    reset();
}

void register_model::reset()
{
    m_words.fill(0);
    set(0x000, 0x41495254); // "TRIA"
    set(0x004, 0x0001'0005);
    set(0x008, m_caps);
    for (std::uint32_t i = 0; i < 3; ++i) { set(0x010 + 4 * i, m_caps_size[i]); }
}

void register_model::program_runs()
{
    for (const auto offset : volatile_registers) { m_words[offset / 4].reset(); }
}

std::uint32_t register_model::written_to(std::uint32_t offset, const bus_access& a)
{
    std::uint32_t bits = 0;
    if (a.command != tlm::TLM_WRITE_COMMAND || (a.has_enables && a.enables.empty())) { return 0; }
    for (unsigned i = 0; i < a.before.size(); ++i) {
        const std::uint64_t at = a.address + i;
        if (at / 4 * 4 == offset && enabled(a, i)) { bits |= std::uint32_t{a.before[i]} << (8 * (at % 4)); }
    }
    return bits;
}

tlm::tlm_response_status register_model::expected_status(const bus_access& a) const
{
    if (a.command == tlm::TLM_IGNORE_COMMAND) { return tlm::TLM_OK_RESPONSE; }
    if (a.address + a.length > block_bytes || a.address >= block_bytes) { return tlm::TLM_ADDRESS_ERROR_RESPONSE; }
    if (a.length == 0 || a.length > 8 || (a.length & (a.length - 1)) != 0 || a.address % a.length != 0) {
        return tlm::TLM_BURST_ERROR_RESPONSE;
    }
    if (a.width != 0 && a.width < a.length) { return tlm::TLM_BURST_ERROR_RESPONSE; }
    if (a.null_data) { return tlm::TLM_GENERIC_ERROR_RESPONSE; }
    if (a.has_enables && a.enables.empty()) { return tlm::TLM_BYTE_ENABLE_ERROR_RESPONSE; }
    for (unsigned i = 0; i < a.length && a.command == tlm::TLM_WRITE_COMMAND; ++i) {
        if (enabled(a, i) && read_only(static_cast<std::uint32_t>((a.address + i) / 4 * 4))) {
            return tlm::TLM_COMMAND_ERROR_RESPONSE;
        }
    }
    return tlm::TLM_OK_RESPONSE;
}

std::string register_model::see_byte(std::uint64_t address, unsigned char value) const
{
    const auto& word = m_words[address / 4];
    if (!word || static_cast<unsigned char>(*word >> (8 * (address % 4))) == value) { return {}; }
    return "byte " + std::to_string(address) + " of the registers is " + std::to_string(value) + " instead of byte " +
           std::to_string(address % 4) + " of " + std::to_string(*word);
}

std::string register_model::check(const bus_access& a)
{
    const auto expected = expected_status(a);
    if (a.status != expected) {
        return text_of(a) + ": status " + std::to_string(a.status) + " instead of " + std::to_string(expected);
    }
    if (a.dmi_hint) { return text_of(a) + ": DMI hint"; }
    const bool reads = a.command == tlm::TLM_READ_COMMAND && expected == tlm::TLM_OK_RESPONSE;
    for (unsigned i = 0; i < a.after.size(); ++i) {
        if (reads && enabled(a, i)) {
            const auto wrong = see_byte(a.address + i, a.after[i]);
            if (!wrong.empty()) { return text_of(a) + ": " + wrong; }
        } else if (a.after[i] != a.before[i]) {
            return text_of(a) + ": data byte " + std::to_string(i) + " changed";
        }
    }
    if (a.command != tlm::TLM_WRITE_COMMAND || expected != tlm::TLM_OK_RESPONSE) { return {}; }
    for (unsigned i = 0; i < a.length; ++i) {
        if (!enabled(a, i)) { continue; }
        const auto at = static_cast<std::uint32_t>(a.address + i);
        auto& word = m_words[at / 4];
        const unsigned shift = 8 * (at % 4);
        const std::uint32_t bits = std::uint32_t{a.before[i]} << shift;
        const std::uint32_t mask = writable_bits(at / 4 * 4) & 0xffu << shift;
        if (word) { word = (*word & ~mask) | (bits & mask); }
        if (at / 4 * 4 == 0x028 && word) { word = *word & ~bits; } // IRQ_STATUS: a 1 clears
    }
    return {};
}

std::string register_model::seen(std::uint64_t address, const unsigned char* bytes, std::uint64_t count) const
{
    for (std::uint64_t i = 0; i < count; ++i) {
        const auto wrong = see_byte(address + i, bytes[i]);
        if (!wrong.empty()) { return wrong; }
    }
    return {};
}

} // namespace tensorloom::test
