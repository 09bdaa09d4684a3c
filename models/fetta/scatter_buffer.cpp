#include <tensorloom/models/fetta/scatter_buffer.h>

namespace tensorloom::fetta {

scatter_buffer::scatter_buffer(sc_core::sc_module_name name, const arch::fetta::geometry& geometry)
    : sc_core::sc_module(name), banks("banks"), m_side(geometry.side),
      m_requests(geometry.engines, geometry.engines * geometry.side),
      m_values(std::size_t{geometry.engines} * geometry.side * geometry.side),
      m_lanes(std::size_t{geometry.engines} * geometry.side)
{}

void scatter_buffer::begin(arch::element_type type)
{
    m_requests.clear();
    m_type = type;
    m_ticks = 0;
}

void scatter_buffer::put(std::uint64_t e, float value)
{
    const auto& places = m_banks->places();
    const std::size_t known = m_requests.rows().size();
    const unsigned row = m_requests.add(places.row_of(e), places.bank_of(e));
    const unsigned lane = places.lane_of(e);
    if (row == known) { m_lanes[row] = 0; }
    m_lanes[row] |= 1u << lane;
    m_values[std::size_t{row} * m_side + lane] = value;
}

void scatter_buffer::tick()
{
    if (complete()) { return; }
    const auto& requests = m_requests.rows();
    for (std::size_t r = 0; r < requests.size(); ++r) {
        if (requests[r].turn != m_ticks) { continue; }
        m_banks->write_row(m_type, requests[r].row, requests[r].bank, m_values.data() + r * m_side, m_lanes[r]);
    }
    ++m_ticks;
}

} // namespace tensorloom::fetta
