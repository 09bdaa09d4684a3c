#include <tensorloom/models/fetta/gather_scatter.h>

namespace tensorloom::fetta {

gather_buffer::gather_buffer(sc_core::sc_module_name name, const device_limits& limits)
    : sc_core::sc_module(name), banks("banks"), m_type(limits.operand), m_side(limits.side),
      m_requests(limits.engines, limits.engines * limits.side),
      m_collected(std::size_t{limits.engines} * limits.side * limits.side), m_rows(limits.engines, limits.side)
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
    const auto& layout = m_banks->layout();
    m_wants.push_back({port * m_side + lane, m_requests.add(layout.row_of(e), layout.bank_of(e)), layout.lane_of(e)});
}

void gather_buffer::tick()
{
    if (complete()) { return; }
    const auto& requests = m_requests.rows();
    for (std::size_t r = 0; r < requests.size(); ++r) {
        if (requests[r].turn != m_ticks) { continue; }
        m_banks->read_row(m_type, requests[r].row, requests[r].bank, m_collected.data() + r * m_side);
        m_totals.rows += short_rows_of(m_type);
    }
    ++m_ticks;
    if (!complete()) { return; }
    m_totals.words += short_rows_of(m_type) * m_wants.size();
    for (const auto& w : m_wants) { m_rows.values[w.slot] = m_collected[std::size_t{w.row} * m_side + w.lane]; }
}

scatter_buffer::scatter_buffer(sc_core::sc_module_name name, const device_limits& limits)
    : sc_core::sc_module(name), banks("banks"), m_side(limits.side),
      m_requests(limits.engines, limits.engines * limits.side),
      m_values(std::size_t{limits.engines} * limits.side * limits.side),
      m_lanes(std::size_t{limits.engines} * limits.side)
{}

void scatter_buffer::begin(base::element_type type)
{
    m_requests.clear();
    m_type = type;
    m_ticks = 0;
}

void scatter_buffer::put(std::uint64_t e, float value)
{
    const auto& layout = m_banks->layout();
    const std::size_t known = m_requests.rows().size();
    const unsigned row = m_requests.add(layout.row_of(e), layout.bank_of(e));
    const unsigned lane = layout.lane_of(e);
    if (row == known) { m_lanes[row] = 0; }
    m_lanes[row] |= 1u << lane;
    m_values[std::size_t{row} * m_side + lane] = value;
    m_totals.words += short_rows_of(m_type);
}

void scatter_buffer::tick()
{
    if (complete()) { return; }
    const auto& requests = m_requests.rows();
    for (std::size_t r = 0; r < requests.size(); ++r) {
        if (requests[r].turn != m_ticks) { continue; }
        m_banks->write_row(m_type, requests[r].row, requests[r].bank, m_values.data() + r * m_side, m_lanes[r]);
        m_totals.rows += short_rows_of(m_type);
    }
    ++m_ticks;
}

} // namespace tensorloom::fetta
