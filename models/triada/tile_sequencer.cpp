#include <tensorloom/models/triada/tile_sequencer.h>

namespace tensorloom::triada {

using shell::command_outcome;

tile_sequencer::tile_sequencer(sc_core::sc_module_name name, cell_transfer& transfers, cell_memory_if& cells,
                               stream_control& streams, const shell::program_clock& clock, arch::element_type format,
                               std::function<void(const block_transfer&)> log, phase_signal& phase)
    : sc_core::sc_module(name), m_transfers(transfers), m_cells(cells), m_streams(streams), m_clock(clock),
      m_format(format), m_log(std::move(log)), m_phase(phase)
{
    SC_HAS_PROCESS(tile_sequencer);
    SC_THREAD(serve_port);
}

command_outcome tile_sequencer::run(const arch::triada::gemt_command& command, const arch::triada::gemt_plan& plan)
{
    const auto intermediate = [&](std::size_t index) {
        const auto& shape = plan.stages[index].output;
        return arch::dense_descriptor(command.workspace.base +
                                          plan.workspace_offset(index) * arch::element_bytes(m_format),
                                      m_format, {shape[0], shape[1], shape[2]});
    };
    for (std::size_t i = 0; i < plan.stages.size(); ++i) {
        const bool last = i + 1 == plan.stages.size();
        stage_run run{command,
                      plan.stages[i],
                      i == 0 ? command.x : intermediate(i - 1),
                      last ? command.y : intermediate(i),
                      std::nullopt,
                      plan.stages[i].passes(),
                      command.double_buffer() ? 2u : 1u};
        if (last && command.accumulate()) { run.initial = command.initial_y; }
        const auto outcome = run_stage(run);
        if (!outcome.ok()) { return outcome; }
    }
    return {};
}

// ---- the thread of the command ----

command_outcome tile_sequencer::run_stage(const stage_run& run)
{
    m_run.emplace(run);
    m_passes_done = m_operands_loaded = m_port_done = 0;
    m_cancelled_at.reset();
    m_failed_at.reset();
    m_port_outcome = {};
    m_port_busy = true;
    m_stage_begins.notify(sc_core::SC_ZERO_TIME);

    auto outcome = run_passes();
    if (!outcome.ok()) {
        m_cancelled_at = m_clock.now();
        m_pass_ended.notify(sc_core::SC_ZERO_TIME);
    }
    wait_for_transfers(device_phase::unload, [this] { return !m_port_busy; });
    log_ended(m_clock.now(), m_clock.now() + 1);
    const bool port_failed = !m_port_outcome.ok() && m_port_outcome.error != arch::error_code::aborted;
    if (port_failed || outcome.ok()) { outcome = m_port_outcome; }
    m_run.reset();
    return outcome;
}

command_outcome tile_sequencer::run_passes()
{
    for (std::uint64_t pass = 0; pass < m_run->passes; ++pass) {
        if (!wait_for_transfers(device_phase::load, [&] { return may_run(pass); })) { return m_port_outcome; }
        m_phase.enter(device_phase::compute);
        const auto outcome = run_pass(pass);
        if (!outcome.ok()) { return outcome; }
        ++m_passes_done;
        m_pass_ended.notify(sc_core::SC_ZERO_TIME);
        log_ended(m_clock.now(), m_clock.now());
    }
    return {};
}

command_outcome tile_sequencer::run_pass(std::uint64_t number)
{
    const auto& run = *m_run;
    const unsigned mode = run.stage.mode;
    const auto pass = run.stage.pass(number);
    const auto box = pass.box();
    stream_link link = link_of(run.command, run.stage);
    auto& s = link.switches;
    s.window = {pass.operand.first[mode], pass.operand.size[mode], pass.result.first[mode], pass.result.size[mode]};
    s.length = box[mode];
    s.source = run.operand_register(number);
    s.target = run.sum_register(number);
    s.first_step = static_cast<std::uint32_t>(run.result_of(number) * run.stage.input[mode] + pass.operand.first[mode]);
    return m_streams.run(box, {link});
}

bool tile_sequencer::may_run(std::uint64_t pass) const
{
    const bool opens = pass % m_run->stage.passes_of_result() == 0;
    return opens ? m_port_done > pass : m_operands_loaded > pass;
}

// Waits until `ready`; false when that will never be, because the port has failed or has been stopped. Whether it waits
// is decided by simulated time alone, not by the order of the two threads within one time.
template <class Ready> bool tile_sequencer::wait_for_transfers(device_phase phase, const Ready& ready)
{
    const std::uint64_t from = m_clock.now();
    if (m_failed_at && *m_failed_at < from) { return false; }
    m_is_waiting = true;
    while (!ready() && m_port_busy) {
        m_phase.enter(phase);
        wait(m_transfer_ended);
        log_ended(from, m_clock.now() + 1);
    }
    m_is_waiting = false;
    return ready();
}

// Logs the transfers that ended before this cycle. The computation has been waiting since cycle `waited_from`.
void tile_sequencer::log_ended(std::uint64_t waited_from, std::uint64_t before)
{
    while (!m_ended.empty() && m_ended.front().report.end_cycle() < before) {
        const auto& transfer = m_ended.front();
        const auto& report = transfer.report;
        const std::uint64_t waited =
            std::min(report.cycles, report.end_cycle() - std::min(report.end_cycle(), waited_from));
        const std::uint64_t start = std::max(waited_from, report.start_cycle);
        block_transfer done{transfer.unload, m_run->stage.position, transfer.block, start, waited, report.counts};
        done.counts[arch::triada::event::overlapped_cycle] = report.cycles - waited;
        m_log(done);
        m_ended.pop_front();
    }
}

// ---- the thread of the memory port ----

void tile_sequencer::serve_port()
{
    while (true) {
        wait(m_stage_begins);
        // The last results are unloaded when there is nothing left to load.
        for (std::uint64_t pass = 0; pass < m_run->passes + m_run->buffers; ++pass) {
            if (!wait_for_pass(pass) || !transfer_for(pass)) { break; }
            m_port_done = pass + 1;
            m_transfer_ended.notify(sc_core::SC_ZERO_TIME);
        }
        m_port_busy = false;
        m_transfer_ended.notify(sc_core::SC_ZERO_TIME);
    }
}

// Waits until the registers that a pass uses are free; false when it will not come to that.
bool tile_sequencer::wait_for_pass(std::uint64_t pass)
{
    const auto free = [&] { return m_passes_done + m_run->buffers > pass; };
    while (!free() && !m_cancelled_at) { wait(m_pass_ended); }
    return free();
}

// All that the port does for one pass; false when it must not go on.
bool tile_sequencer::transfer_for(std::uint64_t number)
{
    const auto& run = *m_run;
    const auto loads = [&](const arch::tensor_descriptor& tensor, const arch::tensor_block& block, cell_register to) {
        return !cancelled() && ended(false, number, m_transfers.load({{arch::block_descriptor(tensor, block), to}}));
    };
    std::optional<arch::tile_pass> pass;
    if (number < run.passes) {
        pass = run.stage.pass(number);
        if (!loads(run.input, pass->operand, run.operand_register(number))) { return false; }
        m_operands_loaded = number + 1;
        m_transfer_ended.notify(sc_core::SC_ZERO_TIME);
    }
    if (number >= run.buffers) {
        const std::uint64_t before = number - run.buffers;
        const auto closed = run.stage.pass(before);
        if (closed.closes) {
            if (cancelled()) { return false; }
            const auto to = arch::block_descriptor(run.output, closed.result);
            const auto report =
                m_transfers.unload(run.sum_register(before), to, run.command.shifts[run.stage.position]);
            if (!ended(true, run.result_of(before), report)) { return false; }
        }
    }
    if (pass && pass->opens) {
        const cell_register sums = run.sum_register(number);
        if (run.initial) { return loads(*run.initial, pass->result, sums); }
        m_cells.clear(sums, pass->result.size);
    }
    return true;
}

bool tile_sequencer::ended(bool unload, std::uint64_t block, const transfer_report& report)
{
    m_ended.push_back({unload, static_cast<std::uint32_t>(block), report});
    if (m_is_waiting) { // what memories count until a row comes is that row's: it comes before the next transfer
        m_transfer_ended.notify(sc_core::SC_ZERO_TIME);
        for (unsigned delta = 0; delta < 2; ++delta) { wait(sc_core::SC_ZERO_TIME); }
    }
    if (report.outcome.ok()) { return true; }
    m_port_outcome = report.outcome;
    m_failed_at = m_clock.now();
    return false;
}

} // namespace tensorloom::triada
