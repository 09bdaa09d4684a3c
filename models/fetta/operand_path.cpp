#include <tensorloom/models/fetta/operand_path.h>
#include <tensorloom/models/fetta/operand_stream.h>

namespace tensorloom::fetta {

operand_path::operand_path(sc_core::sc_module_name name, operand_role role, const device_limits& limits,
                           blocks::fidelity model)
    : sc_core::sc_module(name), banks("banks"), m_role(role), m_limits(limits), m_gather("gather_buffer", limits),
      m_network(make_distribution_network("distribution_network", limits, model)), m_rows(limits.engines, limits.side),
      m_nothing(limits.engines, limits.side)
{
    m_gather.banks(banks);
}

void operand_path::start(const contract_command& command)
{
    m_linear = is_linear(command, m_role);
    m_transpose = is_transposed(command, m_role);
    m_shared = shared_mask(command, m_role);
    set_controls(0);
}

void operand_path::set_controls(std::uint32_t bank_index)
{
    m_bank_index = bank_index;
    m_controls = blocks::xor_controls(m_network->shape(), m_shared, bank_index, m_transpose);
}

void operand_path::fetch(const beat_addresses& addresses)
{
    m_bank_cycles = 1;
    m_fetched = nullptr;
    if (addresses.due) { m_fetched = &(m_linear ? gather(addresses) : read_banked(addresses)); }
}

const port_beats* operand_path::deliver()
{
    if (m_fetched != nullptr) { return &m_network->deliver(*m_fetched, m_controls); }
    if (m_is_traced) { m_network->deliver(m_nothing, {}); }
    return nullptr;
}

const port_beats& operand_path::read_banked(const beat_addresses& addresses)
{
    const auto& place = addresses.place;
    if (place.bank_index != m_bank_index) { set_controls(place.bank_index); }
    const std::uint64_t short_rows = short_rows_of(m_limits.operand);
    m_rows.valid = 0;
    for (std::uint32_t engine = 0; engine < m_limits.engines; ++engine) {
        const beat_indices& row = addresses.beats[engine];
        if (!row.present) { continue; }
        const std::uint32_t port = engine ^ place.bank_index;
        const std::uint32_t bank = m_transpose ? m_network->shape().transposed(port) : port;
        float* const to = m_rows.values.data() + std::size_t{bank} * m_limits.side;
        m_rows.valid |= std::uint64_t{1} << bank;
        if (row.lanes != 0) {
            banks->read_row(m_limits.operand, place.row, bank, to);
            m_short_rows_read += short_rows;
            if (m_counts != nullptr) { m_counts->access(bank, short_rows); }
        }
        std::fill(to + row.lanes, to + m_limits.side, 0.0f);
    }
    return m_rows;
}

const port_beats& operand_path::gather(const beat_addresses& addresses)
{
    std::uint64_t present = 0;
    for (std::uint32_t engine = 0; engine < m_limits.engines; ++engine) {
        present |= std::uint64_t{addresses.beats[engine].present} << engine;
    }
    m_gather.begin(present);
    for (std::uint64_t rest = present; rest != 0; rest &= rest - 1) {
        const auto engine = static_cast<std::uint32_t>(__builtin_ctzll(rest));
        const std::uint64_t* const elements = addresses.elements.data() + std::size_t{engine} * m_limits.side;
        for (std::uint32_t lane = 0; lane < addresses.beats[engine].lanes; ++lane) {
            m_gather.want(engine, lane, elements[lane]);
        }
    }
    m_bank_cycles = std::max(1u, m_gather.requests().cycles());
    for (unsigned cycle = 0; cycle < m_bank_cycles; ++cycle) { m_gather.tick(); }
    const std::uint64_t short_rows = short_rows_of(m_limits.operand);
    m_short_rows_read += short_rows * m_gather.requests().rows().size();
    if (m_counts != nullptr) {
        for (const auto& row : m_gather.requests().rows()) { m_counts->access(row.bank, short_rows); }
    }
    return m_gather.rows();
}

void operand_path::trace(sc_core::sc_trace_file& file)
{
    m_is_traced = true;
    trace_network(file, *m_network);
}

} // namespace tensorloom::fetta
