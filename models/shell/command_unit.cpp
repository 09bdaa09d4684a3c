#include <tensorloom/models/shell/command_unit.h>
#include <algorithm>

namespace tensorloom::shell {

using isa::error_code;

namespace {

bool any_overlap(const byte_ranges& a, const byte_ranges& b)
{
    return std::any_of(a.begin(), a.end(), [&](const byte_range& x) {
        return std::any_of(b.begin(), b.end(), [&](const byte_range& y) { return overlap(x, y); });
    });
}

isa::bus_response response_of(tlm::tlm_response_status status)
{
    switch (status) {
    case tlm::TLM_OK_RESPONSE: return isa::bus_response::none;
    case tlm::TLM_INCOMPLETE_RESPONSE: return isa::bus_response::incomplete;
    case tlm::TLM_ADDRESS_ERROR_RESPONSE: return isa::bus_response::address_error;
    case tlm::TLM_COMMAND_ERROR_RESPONSE: return isa::bus_response::command_error;
    case tlm::TLM_BURST_ERROR_RESPONSE: return isa::bus_response::burst_error;
    case tlm::TLM_BYTE_ENABLE_ERROR_RESPONSE: return isa::bus_response::byte_enable_error;
    case tlm::TLM_GENERIC_ERROR_RESPONSE: break;
    }
    return isa::bus_response::generic_error;
}

} // namespace

// Modulo 2^64, so that a range may end with the last address.
bool overlap(const byte_range& a, const byte_range& b)
{
    return a.bytes != 0 && b.bytes != 0 && (a.first - b.first < b.bytes || b.first - a.first < a.bytes);
}

bool depends(const access_set& later, const access_set& earlier)
{
    return any_overlap(later.reads, earlier.writes) || any_overlap(later.writes, earlier.reads) ||
           any_overlap(later.writes, earlier.writes);
}

command_outcome outcome_of(const bus::dma_result& result)
{
    switch (result.outcome) {
    case bus::dma_result::outcome::ok: return {};
    case bus::dma_result::outcome::stopped: return {error_code::aborted};
    case bus::dma_result::outcome::timed_out:
        return {error_code::bus_error, result.address, isa::bus_response::timed_out};
    case bus::dma_result::outcome::failed: break;
    }
    return {error_code::bus_error, result.address, response_of(result.status)};
}

void unit_activity::trace(sc_core::sc_trace_file& file, const std::string& unit) const
{
    sc_core::sc_trace(&file, m_opcode, unit + ".opcode");
    sc_core::sc_trace(&file, m_command, unit + ".command");
}

void unit_table::add(command_unit& unit, const isa::command_descriptions& commands)
{
    const auto number = static_cast<unsigned>(m_units.size());
    m_units.push_back(&unit);
    for (const auto& c : commands) {
        const auto opcode = static_cast<std::uint8_t>(c.opcode.value);
        if (unit.executes(opcode)) {
            m_entries[opcode] = {&unit, number, c.payload == nullptr ? 0 : c.payload->bytes()};
        }
    }
}

} // namespace tensorloom::shell
