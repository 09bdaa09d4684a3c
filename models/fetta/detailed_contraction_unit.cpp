#include <tensorloom/models/fetta/detailed_contraction_unit.h>

namespace tensorloom::fetta {
namespace {

/// Cycles whose time passes at once without a waveform.
constexpr std::uint64_t cycles_at_once = 1024;

contraction_engine_config engine_settings(const config& device)
{
    contraction_engine_config c;
    c.side = device.limits.side;
    c.psum = device.limits.psum;
    c.model = device.fidelity;
    c.operand = device.limits.operand;
    c.mac_latency = device.limits.mac_latency;
    return c;
}

// The row that the network brings an engine.
const float* row_of(const port_beats* rows, std::uint32_t engine, std::uint32_t side)
{
    if (rows == nullptr || (rows->valid >> engine & 1u) == 0) { return nullptr; }
    return rows->values.data() + std::size_t{engine} * side;
}

} // namespace

detailed_contraction_unit::detailed_contraction_unit(sc_core::sc_module_name name, const config& config,
                                                     const bus::clock_source& clock, const bus::stop_request& stop)
    : tensor_contraction_unit(name, config, clock, stop), m_limits(config.limits), m_controller("controller", m_limits),
      m_ia("ia_path", operand_role::ia, m_limits, config.fidelity),
      m_ib("ib_path", operand_role::ib, m_limits, config.fidelity),
      m_results("result_path", m_limits, accumulators(), config.fidelity), m_psums(m_limits.engines, m_limits.side)
{
    for (std::uint32_t e = 0; e < m_limits.engines; ++e) {
        const std::string engine = "engine_" + std::to_string(e);
        m_engines.push_back(std::make_unique<contraction_engine>(engine.c_str(), engine_settings(config)));
    }
    m_ia.banks(ia);
    m_ib.banks(ib);
    m_results.banks(result);
}

detailed_contraction_unit::~detailed_contraction_unit() = default;

contract_outcome detailed_contraction_unit::run(const contract_command& command)
{
    m_dataflow = dataflow_of(command.mapped());
    m_controller.start(command);
    m_ia.start(command);
    m_ib.start(command);
    m_results.start(command);
    for (auto& engine : m_engines) { engine->configure(m_dataflow); }
    m_cycles = {};
    m_waiting = m_passed = 0;
    if (banks() != nullptr) { banks()->begin_around(); } // each command by itself, as the fast fidelity counts
    const totals before = counted();

    const buffer_latency buffers = cycles_of_buffers(command, m_limits);
    bool goes_on = buffers.gather == 0 || pass(buffers.gather, false);
    while (goes_on && !m_controller.ended()) { goes_on = cycle(); }
    goes_on = goes_on && (buffers.scatter == 0 || pass(buffers.scatter, true));
    rest();
    contract_outcome done;
    if (!goes_on) {
        done = after(m_passed, ideal_cycles(command, m_limits));
        done.stopped = true;
        return done;
    }

    // The cycles in which the sums of the last tile drain count as waiting for psums.
    const bool output_stationary = m_dataflow == engine_dataflow::output_stationary;
    const std::uint64_t waits = m_cycles.gaps + (output_stationary ? m_cycles.rows : 0);
    done.cycles.compute = m_cycles.steps;
    (output_stationary ? done.cycles.psum : done.cycles.reload) = waits;
    done.cycles.fill = m_cycles.all - m_cycles.steps - waits + buffers.gather + buffers.scatter;
    done.conflict_cycles = m_cycles.conflicts;

    const totals now = counted();
    auto& n = done.counts;
    n[event::contract] = 1;
    n[event::tile] = m_cycles.tiles;
    n[event::compute_cycle] = done.cycles.compute;
    n[event::fill_cycle] = done.cycles.fill;
    n[event::reload_cycle] = done.cycles.reload;
    n[event::psum_cycle] = done.cycles.psum;
    n[event::conflict_cycle] = m_cycles.conflicts;
    n[event::mac] = std::uint64_t{command.batch} * command.contracted * command.ia_free * command.ib_free;
    n[event::padding_mac] = now.multiply_adds - before.multiply_adds - n[event::mac];
    n[event::ia_row_read] = now.ia_rows - before.ia_rows;
    n[event::ib_row_read] = now.ib_rows - before.ib_rows;
    n[event::result_row_write] = now.result_rows - before.result_rows;
    n[event::ia_element] = now.ia_elements - before.ia_elements;
    n[event::ib_element] = now.ib_elements - before.ib_elements;
    n[event::reduction_element] = now.reduced - before.reduced;
    n[event::accumulator_psum] = now.accumulated - before.accumulated;
    n[event::buffer_row] = now.buffered.rows - before.buffered.rows;
    n[event::buffer_word] = now.buffered.words - before.buffered.words;
    return done;
}

void detailed_contraction_unit::count_parts(base::bank_counts& banks)
{
    m_ia.count_banks(banks);
    m_ib.count_banks(banks);
    m_results.count_banks(banks);
}

/// Executes a cycle of the engines and lets its time pass, now or later. False: a stop acted.
bool detailed_contraction_unit::cycle()
{
    const contract_controls& controls = m_controller.next_cycle();
    m_ia.fetch(controls.ia);
    m_ib.fetch(controls.ib);
    const unsigned results_take = m_results.request(controls.result);
    const unsigned lasts = std::max({m_ia.bank_cycles(), m_ib.bank_cycles(), results_take});
    if (banks() != nullptr && lasts > 1) {
        const auto& waited = m_ia.bank_cycles() == lasts   ? m_ia.requests()
                             : m_ib.bank_cycles() == lasts ? m_ib.requests()
                                                           : m_results.requests();
        banks()->wait(lasts - 1, [&](unsigned bank) { return waited.rows_in(bank) == lasts; });
    }
    if (!stall(lasts - 1)) { return false; }

    const port_beats* const ia_rows = m_ia.deliver();
    const port_beats* const ib_rows = m_ib.deliver();
    collect_results();
    m_results.evaluate(m_psums, controls.result);
    for (std::uint32_t e = 0; e < m_limits.engines; ++e) {
        m_engines[e]->evaluate(controls.engines, {row_of(ia_rows, e, m_limits.side), row_of(ib_rows, e, m_limits.side),
                                                  controls.valid[e]});
    }
    for (auto& engine : m_engines) { engine->commit(); }
    m_results.commit();
    count(controls);
    m_waveform.load = controls.engines.load;
    m_waveform.step = controls.engines.step;
    m_waveform.drain = controls.engines.finish;
    m_waveform.write = m_results.writes();
    m_waveform.tile = controls.tile;
    return pass(1, m_controller.ended());
}

void detailed_contraction_unit::count(const contract_controls& controls)
{
    ++m_cycles.all;
    if (controls.engines.start) { ++m_cycles.tiles; }
    if (controls.engines.step) {
        m_cycles.gaps += m_cycles.steps == 0 ? 0 : m_cycles.since;
        m_cycles.since = 0;
        ++m_cycles.steps;
    } else {
        ++m_cycles.since;
    }
    if (controls.result.arrives.due) { m_cycles.rows = controls.result.arrives.first ? 1 : m_cycles.rows + 1; }
}

void detailed_contraction_unit::collect_results()
{
    const std::size_t side = m_limits.side;
    m_psums.valid = 0;
    for (std::size_t e = 0; e < m_engines.size(); ++e) {
        const engine_result bottom = m_engines[e]->result();
        if (!bottom.valid) { continue; }
        m_psums.valid |= std::uint64_t{1} << e;
        std::copy_n(bottom.row, side, m_psums.values.data() + e * side);
    }
}

/// Stall cycles: banks access rows, and all registers hold. False: a stop acted.
bool detailed_contraction_unit::stall(std::uint64_t cycles)
{
    if (cycles == 0) { return true; }
    m_cycles.conflicts += cycles;
    if (m_is_traced) {
        const std::uint64_t tile = m_waveform.tile;
        m_waveform = {};
        m_waveform.stall = true;
        m_waveform.tile = tile;
        for (auto& engine : m_engines) { engine->hold(); }
    }
    const bool goes_on = pass(cycles, false);
    m_waveform.stall = false;
    return goes_on;
}

/// Lets the time of these cycles pass, now or later. False: a stop acted.
bool detailed_contraction_unit::pass(std::uint64_t cycles, bool at_once)
{
    m_waiting += cycles;
    if (!m_is_traced && !at_once && m_waiting < cycles_at_once) { return true; }
    const std::uint64_t now = m_waiting;
    m_waiting = 0;
    const std::uint64_t passed = bus::wait_cycles(now, clock().period(), stop());
    m_passed += passed;
    return passed == now;
}

/// After a command and after a stop: discards all beats in flight, also in the waveform.
void detailed_contraction_unit::rest()
{
    m_ia.fetch({});
    m_ib.fetch({});
    m_ia.deliver();
    m_ib.deliver();
    for (auto& engine : m_engines) { engine->configure(m_dataflow); }
    m_results.clear();
    m_waveform = {};
}

detailed_contraction_unit::totals detailed_contraction_unit::counted() const
{
    totals t;
    for (const auto& engine : m_engines) { t.multiply_adds += engine->multiply_adds(); }
    t.ia_rows = m_ia.short_rows_read();
    t.ib_rows = m_ib.short_rows_read();
    t.ia_elements = m_ia.delivered_elements();
    t.ib_elements = m_ib.delivered_elements();
    t.reduced = m_results.entered_elements();
    t.accumulated = m_results.accumulated_psums();
    t.result_rows = m_results.short_rows_written();
    for (const auto& buffer : {m_ia.buffered(), m_ib.buffered(), m_results.buffered()}) {
        t.buffered.rows += buffer.rows;
        t.buffered.words += buffer.words;
    }
    return t;
}

bool detailed_contraction_unit::trace_parts(sc_core::sc_trace_file& file, const contraction_trace& what)
{
    m_is_traced = true;
    for (const unsigned e : what.engines) {
        if (e >= m_engines.size()) { return false; }
        trace_engine(file, *m_engines[e], what.processing_elements);
    }
    if (what.array) {
        const std::string prefix = std::string(name()) + ".";
        sc_core::sc_trace(&file, m_waveform.load, prefix + "load");
        sc_core::sc_trace(&file, m_waveform.step, prefix + "step");
        sc_core::sc_trace(&file, m_waveform.drain, prefix + "drain");
        sc_core::sc_trace(&file, m_waveform.stall, prefix + "stall");
        sc_core::sc_trace(&file, m_waveform.write, prefix + "write");
        sc_core::sc_trace(&file, m_waveform.tile, prefix + "tile");
    }
    if (what.networks) {
        m_ia.trace(file);
        m_ib.trace(file);
        m_results.trace(file);
    }
    return true;
}

void detailed_contraction_unit::trace_engine(sc_core::sc_trace_file& file, contraction_engine& traced,
                                             bool processing_elements)
{
    const std::string prefix = std::string(traced.name()) + ".";
    const engine_waveform& engine = traced.watch();
    sc_core::sc_trace(&file, engine.steps, prefix + "steps");
    sc_core::sc_trace(&file, engine.starts, prefix + "starts");
    sc_core::sc_trace(&file, engine.loads, prefix + "loads");
    sc_core::sc_trace(&file, engine.drains, prefix + "drains");
    sc_core::sc_trace(&file, engine.valid, prefix + "valid");
    if (!processing_elements) { return; }
    for (std::uint32_t r = 0; r < m_limits.side; ++r) {
        for (std::uint32_t c = 0; c < m_limits.side; ++c) {
            const std::string pe = prefix + "pe_" + std::to_string(r) + "_" + std::to_string(c) + ".";
            const pe_waveform& shown = traced.watch(r, c);
            sc_core::sc_trace(&file, shown.step, pe + "step");
            sc_core::sc_trace(&file, shown.ia, pe + "ia");
            sc_core::sc_trace(&file, shown.ib_active, pe + "ib_active");
            sc_core::sc_trace(&file, shown.ib_shadow, pe + "ib_shadow");
            sc_core::sc_trace(&file, shown.psum, pe + "psum");
            sc_core::sc_trace(&file, shown.psum_shadow, pe + "psum_shadow");
        }
    }
}

} // namespace tensorloom::fetta
