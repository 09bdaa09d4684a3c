#include <tensorloom/models/fetta/controller.h>

namespace tensorloom::fetta {

controller::controller(sc_core::sc_module_name name, const device_limits& limits)
    : sc_core::sc_module(name), m_limits(limits), m_ia(operand_role::ia, limits), m_ib(operand_role::ib, limits),
      m_entering(operand_role::result, limits), m_arriving(operand_role::result, limits)
{
    m_controls.valid.resize(limits.engines);
}

void controller::start(const contract_command& command)
{
    m_command = command;
    m_index.emplace(command, m_limits);
    m_output_stationary = is_output_stationary(command.mapped());
    for (auto* stream : {&m_ia, &m_ib, &m_entering, &m_arriving}) { stream->start(command, *m_index); }
    m_cycle = 0;
    m_tiles = 0;
    m_finish = never;
}

const contract_controls& controller::next_cycle()
{
    control_engines();
    control_results();
    const auto rows = [&](operand_stream& stream, beat_addresses& to) {
        to.due = stream.is_at(m_cycle);
        if (!to.due) { return; }
        stream.address_to(to);
        stream.next();
    };
    rows(m_ia, m_controls.ia);
    rows(m_ib, m_controls.ib);
    rows(m_arriving, m_controls.result.arrives);
    ++m_cycle;
    return m_controls;
}

// The rows of sums that belong to the result: of this step, or of all rows of the ended tile.
void controller::control_engines()
{
    engine_control& token = m_controls.engines;
    const bool ib_enters = m_ib.is_at(m_cycle);
    token.step = m_ia.is_at(m_cycle);
    token.start = token.step && m_ia.is_first();
    token.load = ib_enters && !m_output_stationary;
    token.load_start = token.load && m_ib.is_first();
    token.finish = m_cycle == m_finish;
    for (std::uint32_t engine = 0; engine < m_limits.engines; ++engine) {
        std::uint32_t& valid = m_controls.valid[engine];
        valid = 0;
        if (token.finish) {
            for (std::uint32_t row = 0; row < m_limits.side; ++row) {
                valid |= std::uint32_t{m_index->result_beat(m_finished, row, engine).present} << row;
            }
        } else if (token.step && !m_output_stationary) {
            valid = m_index->result_beat(m_ia.address().tile(), m_ia.address().row(), engine).present ? 1 : 0;
        }
    }
    if (token.step && m_output_stationary && m_ia.is_last()) {
        m_finish = m_cycle + m_limits.mac_latency;
        m_finished = m_ia.address().tile();
    }
    if (token.start) { ++m_tiles; }
    m_controls.tile = m_tiles == 0 ? 0 : m_tiles - 1;
}

void controller::control_results()
{
    result_controls& result = m_controls.result;
    if (m_arriving.is_at(m_cycle)) {
        const auto& tile = m_arriving.address().tile();
        result.what.row = static_cast<std::uint32_t>(m_index->accumulator_row(tile, m_arriving.address().row()));
        result.what.adds = tile.contracted != 0 || m_command.has(contract_command::flag_accumulate);
        result.what.passes_on =
            tile.contracted + 1 == m_index->loops().contracted_tiles && !m_command.has(contract_command::flag_keep);
    }
    // A row takes one cycle per network level, and reaches the accumulators in the next one.
    result.enters = m_entering.is_at(m_cycle + latency_of(m_limits).reduction);
    if (result.enters) {
        result.bank_index = m_entering.address().place().bank_index;
        m_entering.next();
    }
}

} // namespace tensorloom::fetta
