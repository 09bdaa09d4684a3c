#include <tensorloom/models/fetta/gather_buffer.h>
#include <algorithm>

namespace tensorloom::fetta {

gather_buffer::gather_buffer(sc_core::sc_module_name name, const arch::fetta::geometry& geometry)
    : sc_core::sc_module(name), banks("banks"), m_type(geometry.operand), m_side(geometry.side),
      m_requests(geometry.engines, geometry.engines * geometry.side),
      m_collected(std::size_t{geometry.engines} * geometry.side * geometry.side),
      m_rows(geometry.engines, geometry.side)
{
    m_wants.reserve(m_rows.values.size());
}

void gather_buffer::begin(std::uint64_t valid)
{
    m_requests.clear();
    m_wants.clear();
    std::fill(m_rows.values.begin(), m_rows.values.end(), 0.0f);
    m_rows.valid = valid;
    m_ticks = 0;
}

void gather_buffer::want(unsigned port, unsigned lane, std::uint64_t e)
{
    const auto& places = m_banks->places();
    m_wants.push_back({port * m_side + lane, m_requests.add(places.row_of(e), places.bank_of(e)), places.lane_of(e)});
}

void gather_buffer::tick()
{
    if (complete()) { return; }
    const auto& requests = m_requests.rows();
    for (std::size_t r = 0; r < requests.size(); ++r) {
        if (requests[r].turn != m_ticks) { continue; }
        m_banks->read_row(m_type, requests[r].row, requests[r].bank, m_collected.data() + r * m_side);
    }
    ++m_ticks;
    if (!complete()) { return; }
    for (const auto& w : m_wants) { m_rows.values[w.slot] = m_collected[std::size_t{w.row} * m_side + w.lane]; }
}

} // namespace tensorloom::fetta
