#include "integration/bus_model.h"
#include <algorithm>

namespace tensorloom::test {
unsigned bus_model::add(std::string name, std::uint64_t first, std::uint64_t size, bool read_only, bool streams,
                        bool takes_width_0, bool grants_dmi)
{
    m_memories.push_back({std::move(name),
                          first,
                          first + (size - 1),
                          read_only,
                          streams,
                          takes_width_0,
                          grants_dmi,
                          std::vector<unsigned char>(size, 0),
                          {}});
    return memories() - 1;
}

bus_model::memory* bus_model::find(std::uint64_t address)
{
    for (auto& m : m_memories) {
        if (m.first <= address && address <= m.last) { return &m; }
    }
    return nullptr;
}

bool bus_model::unmapped(std::uint64_t address)
{
    return find(address) == nullptr && std::none_of(m_avoided.begin(), m_avoided.end(), [address](const auto& range) {
               return range.first <= address && address <= range.second;
           });
}

bool bus_model::forwarded(const bus_access& a)
{
    const auto* m = find(a.address);
    return m != nullptr && extent(a) <= m->size() - (a.address - m->first);
}

tlm::tlm_response_status bus_model::expected_status(const bus_access& a)
{
    if (!forwarded(a)) { return tlm::TLM_ADDRESS_ERROR_RESPONSE; }
    const memory& m = *find(a.address);
    if (a.command == tlm::TLM_IGNORE_COMMAND) { return tlm::TLM_OK_RESPONSE; }
    if (a.command == tlm::TLM_WRITE_COMMAND && m.read_only) { return tlm::TLM_COMMAND_ERROR_RESPONSE; }
    if (a.null_data || a.length == 0) { return tlm::TLM_GENERIC_ERROR_RESPONSE; }
    if (a.width == 0 && !m.takes_width_0) { return tlm::TLM_BURST_ERROR_RESPONSE; }
    if (a.width != 0 && a.width < a.length && !m.streams) { return tlm::TLM_BURST_ERROR_RESPONSE; }
    if (a.has_enables && a.enables.empty()) { return tlm::TLM_BYTE_ENABLE_ERROR_RESPONSE; }
    return tlm::TLM_OK_RESPONSE;
}

std::string bus_model::retire(const bus_access& a, bool may_fail)
{
    const auto expected = expected_status(a);
    const bool reset = may_fail && a.status == tlm::TLM_GENERIC_ERROR_RESPONSE;
    if (a.status != expected && !reset) {
        return text_of(a) + ": status " + std::to_string(a.status) + " instead of " + std::to_string(expected);
    }
    if (expected != tlm::TLM_OK_RESPONSE || a.command != tlm::TLM_READ_COMMAND) {
        if (a.after != a.before) { return text_of(a) + ": the data array changed"; }
    }
    if (expected != tlm::TLM_OK_RESPONSE) { return {}; }
    memory& m = *find(a.address);
    if (a.command == tlm::TLM_WRITE_COMMAND) { retire_write(m, a, !reset); }
    if (a.command == tlm::TLM_READ_COMMAND && !reset) { return retire_read(m, a); }
    return {};
}

std::string bus_model::retire_read(memory& m, const bus_access& a)
{
    const std::uint64_t turn = extent(a);
    for (unsigned i = 0; i < a.length; ++i) {
        if (!enabled(a, i)) {
            if (a.after[i] != a.before[i]) { return text_of(a) + ": changed disabled byte " + std::to_string(i); }
            continue;
        }
        const auto wrong = see_byte(m, a.address - m.first + i % turn, a.after[i]);
        if (!wrong.empty()) { return text_of(a) + ": byte " + std::to_string(i) + wrong; }
    }
    return {};
}

void bus_model::retire_write(memory& m, const bus_access& a, bool certain)
{
    const std::uint64_t turn = extent(a);
    for (unsigned i = 0; i < a.length; ++i) {
        if (!enabled(a, i)) { continue; }
        const std::uint64_t offset = a.address - m.first + i % turn;
        if (!certain) {
            m.maybe[offset].push_back(a.before[i]);
            continue;
        }
        m.bytes[offset] = a.before[i];
        if (!m.maybe.empty()) { m.maybe.erase(offset); }
    }
}

// A byte that is seen has one value from then on.
std::string bus_model::see_byte(memory& m, std::uint64_t offset, unsigned char value)
{
    const auto others = m.maybe.empty() ? m.maybe.end() : m.maybe.find(offset);
    bool possible = value == m.bytes[offset];
    if (others != m.maybe.end()) {
        possible = possible || std::count(others->second.begin(), others->second.end(), value) != 0;
        m.maybe.erase(others);
    }
    if (possible) {
        m.bytes[offset] = value;
        return {};
    }
    return " is " + std::to_string(value) + " instead of " + std::to_string(m.bytes[offset]);
}

std::string bus_model::seen(memory& m, std::uint64_t offset, const unsigned char* data, std::uint64_t length)
{
    for (std::uint64_t i = 0; i < length; ++i) {
        const auto wrong = see_byte(m, offset + i, data[i]);
        if (!wrong.empty()) { return m.name + ": the byte at offset " + std::to_string(offset + i) + wrong; }
    }
    return {};
}

void bus_model::wrote(memory& m, std::uint64_t offset, const unsigned char* data, std::uint64_t length)
{
    for (std::uint64_t i = 0; i < length; ++i) {
        m.bytes[offset + i] = data[i];
        if (!m.maybe.empty()) { m.maybe.erase(offset + i); }
    }
}

} // namespace tensorloom::test
