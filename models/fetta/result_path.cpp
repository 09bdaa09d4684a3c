#include <tensorloom/models/fetta/result_path.h>

namespace tensorloom::fetta {

result_path::result_path(sc_core::sc_module_name name, const device_limits& limits, accumulation_unit& accumulators,
                         blocks::fidelity model)
    : sc_core::sc_module(name), banks("banks"), m_limits(limits), m_accumulators(accumulators),
      m_network(make_reduction_network("reduction_network", limits, model)), m_scatter("scatter_buffer", limits),
      m_requests(limits.engines, limits.engines * limits.side)
{
    m_scatter.banks(banks);
}

void result_path::start(const contract_command& command)
{
    m_command = command;
    m_linear = is_linear(command, operand_role::result);
    m_transpose = is_transposed(command, operand_role::result);
    m_now = nullptr;
    set_controls(0);
}

void result_path::set_controls(std::uint32_t bank_index)
{
    m_bank_index = bank_index;
    m_controls = blocks::xor_controls(m_network->shape(), m_command.mask_contracted, bank_index, m_transpose);
}

void result_path::clear()
{
    m_network->clear();
    m_accumulators.clear();
}

unsigned result_path::request(const result_controls& controls)
{
    if (!m_linear || !controls.arrives.due || !controls.what.passes_on) { return 1; }
    m_requests.clear();
    const row_layout& layout = banks->layout();
    for (std::uint32_t engine = 0; engine < m_limits.engines; ++engine) {
        const std::uint64_t* const elements = controls.arrives.elements.data() + std::size_t{engine} * m_limits.side;
        for (std::uint32_t lane = 0; lane < controls.arrives.beats[engine].lanes; ++lane) {
            m_requests.add(layout.row_of(elements[lane]), layout.bank_of(elements[lane]));
        }
    }
    return std::max(1u, m_requests.cycles());
}

void result_path::evaluate(const port_beats& psums, const result_controls& controls)
{
    m_now = &controls;
    // The network's output goes to the accumulators.
    if (controls.arrives.due) {
        m_accumulators.evaluate(m_network->output(), controls.what);
    } else {
        m_accumulators.evaluate();
    }
    if (controls.enters) {
        if (controls.bank_index != m_bank_index) { set_controls(controls.bank_index); }
        m_network->evaluate(psums, m_controls);
    } else {
        m_network->evaluate();
    }
}

void result_path::commit()
{
    m_network->commit();
    m_accumulators.commit();
    m_writes = false;
    if (m_now->arrives.due && m_now->what.passes_on) { write(); }
}

// Writes the rows at the accumulation unit's output.
void result_path::write()
{
    const beat_addresses& to = m_now->arrives;
    const port_beats& sums = m_accumulators.output();
    const auto type = m_command.result_type();
    const std::uint64_t short_rows = short_rows_of(type);
    if (m_linear) { m_scatter.begin(type); }
    for (std::uint32_t engine = 0; engine < m_limits.engines; ++engine) {
        const beat_indices& row = to.beats[engine];
        const std::uint32_t port = engine ^ to.place.bank_index;
        const std::uint32_t bank = m_transpose ? m_network->shape().transposed(port) : port;
        if (!row.present || (sums.valid >> bank & 1u) == 0) { continue; }
        const float* const values = sums.values.data() + std::size_t{bank} * m_limits.side;
        if (m_linear) {
            const std::uint64_t* const elements = to.elements.data() + std::size_t{engine} * m_limits.side;
            for (std::uint32_t lane = 0; lane < row.lanes; ++lane) { m_scatter.put(elements[lane], values[lane]); }
        } else {
            banks->write_row(type, to.place.row, bank, values, (1u << row.lanes) - 1);
            m_short_rows_written += short_rows;
            if (m_counts != nullptr) { m_counts->access(bank, short_rows); }
        }
        m_writes = true;
    }
    if (!m_linear) { return; }
    while (!m_scatter.complete()) { m_scatter.tick(); }
    m_short_rows_written += short_rows * m_scatter.requests().rows().size();
    if (m_counts != nullptr) {
        for (const auto& row : m_scatter.requests().rows()) { m_counts->access(row.bank, short_rows); }
    }
}

void result_path::trace(sc_core::sc_trace_file& file)
{
    trace_network(file, *m_network);
    const std::string prefix = std::string(m_accumulators.name()) + ".";
    const accumulation_waveform& shown = m_accumulators.watch();
    trace_beats(file, shown.in, m_limits.engines, prefix + "in");
    trace_beats(file, shown.out, m_limits.engines, prefix + "out");
    sc_core::sc_trace(&file, shown.what.row, prefix + "row");
    sc_core::sc_trace(&file, shown.what.adds, prefix + "adds");
    sc_core::sc_trace(&file, shown.what.passes_on, prefix + "passes_on");
}

} // namespace tensorloom::fetta
