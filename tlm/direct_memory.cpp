#include <tensorloom/tlm/direct_memory.h>
#include <algorithm>
#include <cstring>

namespace tensorloom::bus {
namespace {

constexpr std::size_t most_grants = 16; // the oldest is given up for the next

bool holds(const tlm::tlm_dmi& dmi, std::uint64_t address)
{
    return address >= dmi.get_start_address() && address <= dmi.get_end_address();
}

bool allows(const tlm::tlm_dmi& dmi, tlm::tlm_command command)
{
    return command == tlm::TLM_READ_COMMAND ? dmi.is_read_allowed() : dmi.is_write_allowed();
}

} // namespace

std::optional<sc_core::sc_time> direct_memory::move(dma_port& port, const dma_burst& burst)
{
    const tlm::tlm_dmi* dmi = grant_of(port, burst);
    if (dmi == nullptr || dmi->get_end_address() - burst.address < burst.bytes - 1) { return std::nullopt; }
    unsigned char* memory = dmi->get_dmi_ptr() + (burst.address - dmi->get_start_address());
    const bool reads = burst.command == tlm::TLM_READ_COMMAND;
    std::memcpy(reads ? burst.data : memory, reads ? memory : burst.data, burst.bytes);
    return static_cast<double>(burst.bytes) * (reads ? dmi->get_read_latency() : dmi->get_write_latency());
}

void direct_memory::invalidate(std::uint64_t first, std::uint64_t last)
{
    m_granted.erase(std::remove_if(m_granted.begin(), m_granted.end(),
                                   [=](const tlm::tlm_dmi& dmi) {
                                       return dmi.get_start_address() <= last && dmi.get_end_address() >= first;
                                   }),
                    m_granted.end());
    m_refused.reset();
}

const tlm::tlm_dmi* direct_memory::grant_of(dma_port& port, const dma_burst& burst)
{
    for (const auto& dmi : m_granted) {
        if (holds(dmi, burst.address) && allows(dmi, burst.command)) { return &dmi; }
    }
    if (m_refused && burst.address >= m_refused->first && burst.address <= m_refused->last) { return nullptr; }
    tlm::tlm_generic_payload request;
    burst.describe(request);
    tlm::tlm_dmi answer;
    const bool granted = port.get_direct_mem_ptr(request, answer) && answer.get_dmi_ptr() != nullptr;
    if (!holds(answer, burst.address)) {
        m_refused = range{burst.address, burst.address}; // an answer about something else is no answer
        return nullptr;
    }
    if (!granted || !allows(answer, burst.command)) {
        m_refused = range{answer.get_start_address(), answer.get_end_address()};
        return nullptr;
    }
    if (m_granted.size() == most_grants) { m_granted.erase(m_granted.begin()); }
    m_granted.push_back(answer);
    return &m_granted.back();
}

} // namespace tensorloom::bus
