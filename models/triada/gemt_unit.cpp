#include <tensorloom/models/triada/gemt_unit.h>
#include <tensorloom/models/triada/debug_memories.h>
#include <tensorloom/tlm/instance_report.h>

namespace tensorloom::triada {

using blocks::device_phase;
using isa::error_code;
using shell::command_outcome;

namespace {

constexpr const char* stage_names[] = {"stage_1", "stage_2", "stage_3", "pointwise"};
static_assert(pointwise_stage == 3, "its name is the last one");

} // namespace

gemt_unit::gemt_unit(const config& config, bus::dma_ports& dma, const bus::stop_request& stop,
                     const shell::program_clock& clock, shell::device_log& log, std::string device)
    : m_config(config), m_dma(dma), m_completions(dma), m_stop(stop), m_clock(clock), m_log(log),
      m_device(std::move(device)), m_steps([this](const logged_step& step) { log_step(step); })
{
    m_core = make_tensor_core("core", config, clock, stop, m_steps);
    std::array<coefficient_memory_if*, 3> memories{};
    std::array<control_if*, 3> controls{};
    for (unsigned mode = 0; mode < 3; ++mode) {
        m_actuators[mode] =
            std::make_unique<actuator>(("actuator_" + std::to_string(mode + 1)).c_str(), mode, config.format, m_steps);
        m_actuators[mode]->stream.bind(m_core->streams);
        memories[mode] = m_actuators[mode]->memory.operator->();
        controls[mode] = m_actuators[mode]->control.operator->();
    }
    cell_memory_if& cells = m_core->cells;
    m_matrices = std::make_unique<matrix_loader>(memories, dma, stop);
    m_transfers = std::make_unique<cell_transfer>(m_config, cells, dma, stop, clock);
    m_streams = std::make_unique<stream_control>(config.format, memories, controls, *m_core, m_steps, stop);
    if (config.fidelity == fidelity::rtl) {
        m_verilog = std::make_unique<rtl_streams>(config.format, memories);
        m_streams->use(*m_verilog);
        for (auto& a : m_actuators) { a->use(*m_verilog); }
    }
    m_passes = std::make_unique<blocks::pass_sequencer>("tiles", clock, m_phase, m_log);
    m_fitting = std::make_unique<fitting_gemt>(m_config, *m_transfers, cells, *m_streams, m_contents,
                                               [this](const blocks::logged_transfer& block) { log_block(0, block); });
    m_pointwise = std::make_unique<pointwise_runner>(
        m_config, *m_transfers, *m_streams, m_contents, m_phase,
        [this](const char* what, const transfer_report& report) { return log_transfer(what, report); });
    m_tiles = std::make_unique<tiled_gemt>(
        m_config, *m_transfers, cells, *m_streams, m_phase,
        [this](unsigned stage, const blocks::logged_transfer& block) { log_block(stage, block); });
    for (unsigned mode = 0; mode < 3; ++mode) {
        for (unsigned next = 0; next < 3; ++next) {
            if (next != mode) { m_actuators[mode]->hand_over[next]->bind(*controls[next]); }
        }
        m_actuators[mode]->hand_over[to_device]->bind(*m_streams);
    }
    for (auto& a : m_actuators) { a->set_look_ahead(config.look_ahead); }
    if (blocks::is_stepped(config.fidelity) || config.stream_burst != 0) {
        const std::size_t vectors = blocks::is_stepped(config.fidelity) ? 1 : config.stream_burst;
        for (auto& a : m_actuators) { a->set_burst(vectors); }
    }
}

void gemt_unit::reset()
{
    m_matrices->clear();
    m_contents.clear();
    for (unsigned r = 0; r < m_config.registers(); ++r) { m_core->clear(static_cast<cell_register>(r), m_config.mesh); }
}

std::vector<shell::debug_memory> gemt_unit::memories()
{
    std::vector<shell::debug_memory> all{mesh_registers(*m_core, m_config)};
    for (unsigned mode = 0; mode < 3; ++mode) { all.push_back(coefficients(*m_actuators[mode], mode, m_config)); }
    return all;
}

void gemt_unit::write_state(base::state_writer& state) const
{
    m_matrices->write_state(state);
    m_contents.write_state(state);
}

std::function<void()> gemt_unit::read_state(base::state_reader& state)
{
    const auto matrices = m_matrices->read_state(state, m_config.matrix_elements);
    const auto contents = m_contents.read_state(state, m_config);
    return [matrices, contents] {
        matrices();
        contents();
    };
}

// ---- waveforms ----

void gemt_unit::trace_command(sc_core::sc_trace_file& file)
{
    const std::string prefix = m_device + ".";
    sc_core::sc_trace(&file, m_phase.value(), prefix + "phase");
    sc_core::sc_trace(&file, m_command, prefix + "command");
}

void gemt_unit::trace(sc_core::sc_trace_file& file)
{
    const std::string prefix = m_device + ".";
    for (auto& a : m_actuators) {
        sc_core::sc_trace(&file, a->streaming_signal(), std::string(a->name()) + ".streaming");
    }
    const auto& core = m_core->watch();
    sc_core::sc_trace(&file, core.stage, prefix + "core.stage");
    sc_core::sc_trace(&file, core.step, prefix + "core.step");
    sc_core::sc_trace(&file, core.tag, prefix + "core.tag");
}

void gemt_unit::trace_cell(sc_core::sc_trace_file& file, const shape3& at)
{
    for (unsigned m = 0; m < 3; ++m) {
        if (at[m] >= m_config.mesh[m]) {
            bus::report_error(m_device, "/tensorloom/triada/trace", "watched cell outside of the mesh");
        }
    }
    const auto& w = m_core->watch(at);
    const std::string cell = m_device + "." + "core.cell_" + std::to_string(at[0]) + "_" + std::to_string(at[1]) + "_" +
                             std::to_string(at[2]);
    const auto show = [&](const arithmetic::traced_element& element, const std::string& what) {
        sc_core::sc_trace(&file, element.re, cell + what);
        if (base::is_complex(m_config.format)) { sc_core::sc_trace(&file, element.im, cell + what + "_im"); }
    };
    sc_core::sc_trace(&file, w.x_valid, cell + ".x_valid");
    sc_core::sc_trace(&file, w.tag, cell + ".x_tag");
    show(w.coefficient, ".x_coefficient");
    sc_core::sc_trace(&file, w.y_valid, cell + ".y_valid");
    show(w.operand, ".y_operand");
    for (unsigned r = 0; r < m_config.registers(); ++r) { show(w.element[r], ".element_" + std::to_string(r)); }
}

// ---- commands ----

bool gemt_unit::executes(std::uint8_t code) const
{
    return code == static_cast<std::uint8_t>(opcode::gemt) || code == static_cast<std::uint8_t>(opcode::pointwise);
}

std::optional<isa::check_error> gemt_unit::check(const isa::command_header& header, const std::uint8_t* payload) const
{
    if (header.opcode == static_cast<std::uint8_t>(opcode::pointwise)) {
        return isa::check(isa::pointwise_command::decode(header.flags, payload), m_config.mesh, m_config.format);
    }
    return triada::check(gemt_command::decode(header.flags, payload),
                         {m_config.mesh, m_config.format, m_config.matrix_elements, m_config.cell_registers});
}

command_outcome gemt_unit::execute(shell::running_command& running)
{
    const shell::issued_command& command = running.command;
    const auto& header = command.header;
    m_command = command.index;
    command_outcome outcome;
    std::optional<std::uint64_t> completion;
    if (header.opcode == static_cast<std::uint8_t>(opcode::pointwise)) {
        const auto step = isa::pointwise_command::decode(header.flags, command.payload);
        if (step.completion()) { completion = step.completion_address; }
        outcome = m_pointwise->run(step);
    } else {
        const auto product = gemt_command::decode(header.flags, command.payload);
        if (product.completion()) { completion = product.completion_address; }
        outcome = run_gemt(product);
    }
    if (outcome.ok() && completion) {
        outcome = write_completion(*completion, header.token);
        if (!outcome.ok()) { m_contents.clear(); }
    }
    m_phase.enter(device_phase::none);
    return outcome;
}

command_outcome gemt_unit::run_gemt(const gemt_command& command)
{
    const gemt_plan plan = plan_gemt(command, m_config.mesh);
    const auto outcome = load_matrices(command);
    if (outcome.ok() && plan.fits) { return m_fitting->run(*m_passes, command, plan); }
    m_contents.clear();
    return outcome.ok() ? m_tiles->run(*m_passes, command, plan) : outcome;
}

command_outcome gemt_unit::load_matrices(const gemt_command& command)
{
    if (command.keep_matrices()) {
        return {m_matrices->resident(command) ? error_code::none : error_code::not_resident};
    }
    m_phase.enter(device_phase::matrices);
    triada::counts counted;
    shell::transfer_watch watch(m_dma, m_clock);
    const auto outcome = m_matrices->load(command, counted[event::coefficient_write]);
    m_clock.align();
    const auto freed = watch.freed();
    m_log.add(bus::log_record("matrices")
                  .of_command(m_command)
                  .during(watch.start(), freed.all())
                  .with_counts(counted.data())
                  .with_freed(&freed));
    return outcome;
}

command_outcome gemt_unit::write_completion(std::uint64_t address, std::uint32_t token)
{
    m_phase.enter(device_phase::unload);
    shell::transfer_watch watch(m_dma, m_clock);
    const auto outcome = m_completions.store_word(address, token, m_stop);
    m_clock.align();
    const auto freed = watch.freed();
    m_log.add(bus::log_record("unload", "completion")
                  .of_command(m_command)
                  .during(watch.start(), freed.all())
                  .with_counts(counts{}.data())
                  .with_freed(&freed));
    return outcome;
}

// ---- log ----

command_outcome gemt_unit::log_transfer(const char* name, const transfer_report& report)
{
    m_log.add(bus::log_record(name)
                  .of_command(m_command)
                  .during(report.start_cycle, report.cycles)
                  .with_counts(report.counts.data())
                  .with_freed(&report.freed));
    return report.outcome;
}

void gemt_unit::log_block(unsigned stage, const blocks::logged_transfer& block)
{
    const char* name = block.unload ? "unload" : "load";
    auto counted = block.counts;
    counted[static_cast<std::size_t>(event::overlapped_cycle)] = block.overlapped;
    m_log.add(bus::log_record(name)
                  .of_command(m_command)
                  .with_id(block.number)
                  .with_detail(stage)
                  .during(block.start_cycle, block.cycles)
                  .with_counts(counted.data()));
}

void gemt_unit::log_step(const logged_step& step)
{
    m_log.add(bus::log_record("compute", stage_names[step.stage])
                  .of_command(m_command)
                  .with_id(step.step)
                  .with_detail(step.tag)
                  .during(m_clock.cycle_at(step.start), step.skipped ? 0 : m_config.step_cycles)
                  .with_counts(step.counts.data()));
}

} // namespace tensorloom::triada
