#include <tensorloom/models/triada/device.h>
#include <algorithm>
#include <limits>
#include <tensorloom/models/arch/bytes.h>
#include <tensorloom/models/arch/element_type.h>
#include <tensorloom/models/arch/triada_driver.h>

namespace tensorloom::triada {

using arch::error_code;
using arch::triada_event;
using shell::command_outcome;

namespace {

constexpr std::uint64_t piece_bytes = 256 * 1024; // of a tensor, buffered between DMA and memory port
constexpr const char* stage_names[] = {"stage_1", "stage_2", "stage_3"};
constexpr unsigned to_device = 3;

shell::shell_config shell_settings(const config& c)
{
    shell::shell_config s;
    s.id = arch::device_id("TRIA");
    s.caps = static_cast<std::uint32_t>(c.format) | static_cast<std::uint32_t>(arch::triada_event_count) << 8;
    s.caps_size = c.mesh;
    s.clock_period = c.clock_period;
    s.dma = dma_settings(c);
    s.tolerance = c.tolerance;
    return s;
}

const config& checked(const config& c)
{
    if (const auto wrong = complaint(c)) { SC_REPORT_ERROR("/tensorloom/triada/config", wrong->c_str()); }
    return c;
}

shape3 shape_of(const arch::gemt_command& job) { return {job.x.size[0], job.x.size[1], job.x.size[2]}; }

} // namespace

device_body::device_body(sc_core::sc_module_name name, const config& config, bus::activity_sink* activity)
    : device_shell(name, shell_settings(checked(config)), arch::triada_events, activity), m_config(config),
      m_steps([this](const step_row& row) { log_step(row); }), m_cells("cells")
{
    m_core = make_tensor_core("core", config, stop(), m_steps);
    m_cells.bind(m_core->cells);
    for (unsigned mode = 0; mode < 3; ++mode) {
        const std::string number = std::to_string(mode + 1);
        m_actuators[mode] = std::make_unique<actuator>(("actuator_" + number).c_str(), mode, config.format, m_steps);
        m_matrices.push_back(std::make_unique<sc_core::sc_port<coefficient_memory_if>>(("matrix_" + number).c_str()));
        m_matrices.back()->bind(m_actuators[mode]->memory);
        m_start_actuator.push_back(std::make_unique<sc_core::sc_port<control_if>>(("start_" + number).c_str()));
        m_start_actuator.back()->bind(m_actuators[mode]->control);
        m_actuators[mode]->stream.bind(m_core->streams);
        m_actuators[mode]->hand_over[to_device]->bind(*this);
    }
    for (unsigned mode = 0; mode < 3; ++mode) {
        for (unsigned next = 0; next < 3; ++next) {
            if (next != mode) { m_actuators[mode]->hand_over[next]->bind(m_actuators[next]->control); }
        }
    }
}

device_body::~device_body() = default;

void device_body::trace(sc_core::sc_trace_file& file, const std::vector<shape3>& cells)
{
    const std::string prefix = std::string(name()) + ".";
    m_traced = true;
    trace_shell(file);
    sc_core::sc_trace(&file, m_phase, prefix + "phase");
    sc_core::sc_trace(&file, m_command, prefix + "command");
    for (auto& a : m_actuators) {
        sc_core::sc_trace(&file, a->streaming_signal(), std::string(a->name()) + ".streaming");
    }
    const auto& core = m_core->waveform();
    sc_core::sc_trace(&file, core.stage, prefix + "core.stage");
    sc_core::sc_trace(&file, core.step, prefix + "core.step");
    sc_core::sc_trace(&file, core.tag, prefix + "core.tag");

    for (const auto& at : cells) {
        for (unsigned m = 0; m < 3; ++m) {
            if (at[m] >= m_config.mesh[m]) {
                SC_REPORT_ERROR("/tensorloom/triada/trace", "watched cell outside of the mesh");
            }
        }
        const auto& w = m_core->watch(at);
        const std::string cell =
            prefix + "core.cell_" + std::to_string(at[0]) + "_" + std::to_string(at[1]) + "_" + std::to_string(at[2]);
        const auto show = [&](const waveform_element& element, const std::string& what) {
            sc_core::sc_trace(&file, element.re, cell + what);
            if (arch::is_complex(m_config.format)) { sc_core::sc_trace(&file, element.im, cell + what + "_im"); }
        };
        sc_core::sc_trace(&file, w.x_valid, cell + ".x_valid");
        sc_core::sc_trace(&file, w.tag, cell + ".x_tag");
        show(w.coefficient, ".x_coefficient");
        sc_core::sc_trace(&file, w.y_valid, cell + ".y_valid");
        show(w.operand, ".y_operand");
        for (unsigned r = 0; r < cell_registers; ++r) { show(w.element[r], ".element_" + std::to_string(r)); }
    }
}

void device_body::reset_device()
{
    for (auto& memory : m_matrices) { (*memory)->resize(0); }
}

// ---- commands ----

std::optional<arch::refusal> device_body::check_command(const arch::command_header& header, const std::uint8_t* payload,
                                                        std::size_t payload_bytes) const
{
    if (header.opcode != static_cast<std::uint8_t>(arch::opcode::gemt)) {
        return arch::refusal{error_code::unknown_opcode, "opcode " + std::to_string(header.opcode)};
    }
    if (payload_bytes != arch::gemt_command::payload_bytes) {
        return arch::refusal{error_code::bad_command, "length of a GEMT command"};
    }
    return check(arch::gemt_command::decode(header.flags, payload), m_config.mesh, m_config.format);
}

command_outcome device_body::execute(std::uint32_t index, const arch::command_header& header,
                                     const std::uint8_t* payload)
{
    m_command = index;
    const auto outcome = run_gemt(arch::gemt_command::decode(header.flags, payload), header.token);
    m_phase = 0;
    return outcome;
}

command_outcome device_body::run_gemt(const arch::gemt_command& job, std::uint32_t token)
{
    if (job.keep_matrices()) {
        if (!matrices_resident(job)) { return {error_code::not_resident}; }
    } else {
        const auto outcome = phase("matrices", 1, [&](std::uint64_t) { return load_matrices(job); });
        if (!outcome.ok()) { return outcome; }
    }

    auto outcome = phase("load", 2, [&](std::uint64_t start_cycle) {
        m_cells->activate(shape_of(job));
        auto loaded = load_cells(job.x, cell_register::input);
        if (loaded.ok() && job.accumulate()) { loaded = load_cells(job.initial_y, cell_register::result); }
        return loaded.ok() ? wait_for_port(start_cycle, job.x.elements() * (job.accumulate() ? 2 : 1)) : loaded;
    });
    if (!outcome.ok()) { return outcome; }

    outcome = compute(job);
    if (!outcome.ok()) { return outcome; }

    return phase("unload", 4, [&](std::uint64_t start_cycle) {
        auto stored = store_cells(job.y);
        if (stored.ok()) { stored = wait_for_port(start_cycle, job.y.elements()); }
        if (stored.ok() && job.completion()) {
            std::uint8_t word[4];
            arch::store_le(word, token);
            stored = shell::outcome_of(dma().write(job.completion_address, word, sizeof word, stop()));
        }
        return stored;
    });
}

// Runs a phase that is not made of steps; it takes whole cycles and is reported as one row.
template <class Work> command_outcome device_body::phase(const char* name, unsigned signal, const Work& work)
{
    m_phase = signal;
    m_phase_counts = {};
    const std::uint64_t start = now_cycle();
    const command_outcome outcome = work(start);
    align();
    log(name, name, m_command, 0, 0, start, now_cycle() - start, m_phase_counts.data());
    return outcome;
}

// The memory port of the core passes so many elements per cycle; the DMA may have taken longer.
command_outcome device_body::wait_for_port(std::uint64_t start_cycle, std::uint64_t elements)
{
    const std::uint64_t cycles = (elements + m_config.load_elements - 1) / m_config.load_elements;
    return wait_until_cycle(start_cycle + cycles) ? command_outcome{} : command_outcome{error_code::aborted};
}

// ---- matrices ----

bool device_body::matrices_resident(const arch::gemt_command& job) const
{
    for (unsigned mode = 0; mode < 3; ++mode) {
        if ((*m_matrices[mode])->rows() != job.x.size[mode]) { return false; }
    }
    return true;
}

// Calls move(address, first byte of the tensor, bytes) for pieces of the contiguous runs of a tensor, in C order.
template <class Move> static command_outcome for_each_piece(const arch::tensor_descriptor& tensor, const Move& move)
{
    const arch::descriptor_runs runs(tensor);
    const std::uint64_t run_bytes =
        runs.run_elements() * arch::element_bytes(static_cast<arch::element_type>(tensor.type));
    for (std::uint64_t run = 0; run < runs.runs(); ++run) {
        for (std::uint64_t at = 0; at < run_bytes; at += piece_bytes) {
            const auto outcome =
                move(runs.address(run) + at, run * run_bytes + at, std::min(piece_bytes, run_bytes - at));
            if (!outcome.ok()) { return outcome; }
        }
    }
    return {};
}

command_outcome device_body::load_matrices(const arch::gemt_command& job)
{
    m_buffer.resize(piece_bytes);
    for (unsigned mode = 0; mode < 3; ++mode) {
        auto& memory = *m_matrices[mode];
        memory->resize(job.x.size[mode]);
        auto outcome =
            for_each_piece(job.matrix[mode], [&](std::uint64_t address, std::uint64_t first, std::uint64_t bytes) {
                const auto result = shell::outcome_of(dma().read(address, m_buffer.data(), bytes, stop()));
                if (result.ok()) { memory->write(first, m_buffer.data(), bytes); }
                return result;
            });
        if (outcome.ok() && job.row_order_address[mode] != 0) { outcome = load_row_order(job, mode); }
        if (!outcome.ok()) {
            reset_device(); // nothing half-loaded stays resident
            return outcome;
        }
        m_phase_counts[triada_event::coefficient_write] += job.matrix[mode].elements();
    }
    return {};
}

command_outcome device_body::load_row_order(const arch::gemt_command& job, unsigned mode)
{
    const std::uint32_t n = job.x.size[mode];
    std::vector<std::uint8_t> bytes(std::size_t{4} * n);
    const auto outcome = shell::outcome_of(dma().read(job.row_order_address[mode], bytes.data(), bytes.size(), stop()));
    if (!outcome.ok()) { return outcome; }
    std::vector<std::uint32_t> order(n);
    std::vector<bool> seen(n, false);
    for (std::uint32_t t = 0; t < n; ++t) {
        order[t] = arch::load_le<std::uint32_t>(bytes.data() + std::size_t{4} * t);
        if (order[t] >= n || seen[order[t]]) { return {error_code::bad_row_order}; }
        seen[order[t]] = true;
    }
    (*m_matrices[mode])->set_row_order(std::move(order));
    return {};
}

// ---- cells ----

command_outcome device_body::load_cells(const arch::tensor_descriptor& tensor, cell_register reg)
{
    m_buffer.resize(piece_bytes);
    const std::uint64_t size = arch::element_bytes(m_config.format);
    return for_each_piece(tensor, [&](std::uint64_t address, std::uint64_t first, std::uint64_t bytes) {
        const auto outcome = shell::outcome_of(dma().read(address, m_buffer.data(), bytes, stop()));
        if (outcome.ok()) {
            m_cells->write(reg, first / size, m_buffer.data(), bytes / size);
            m_phase_counts[triada_event::register_write] += bytes / size;
        }
        return outcome;
    });
}

command_outcome device_body::store_cells(const arch::tensor_descriptor& tensor)
{
    m_buffer.resize(piece_bytes);
    const std::uint64_t size = arch::element_bytes(m_config.format);
    return for_each_piece(tensor, [&](std::uint64_t address, std::uint64_t first, std::uint64_t bytes) {
        m_cells->read(cell_register::result, first / size, m_buffer.data(), bytes / size);
        m_phase_counts[triada_event::register_read] += bytes / size;
        return shell::outcome_of(dma().write(address, m_buffer.data(), bytes, stop()));
    });
}

// ---- compute ----

// Stages 1 and 2 are sliced along the mode that is summed last, stage 3 along the one summed first; X lines run along the remaining one.
void device_body::set_switches(const arch::gemt_command& job)
{
    const bool every_step = m_config.fidelity == fidelity::detailed || m_traced;
    const std::size_t burst = every_step                   ? 1
                              : m_config.stream_burst != 0 ? m_config.stream_burst
                                                           : std::numeric_limits<std::size_t>::max();
    for (unsigned stage = 0; stage < 3; ++stage) {
        const unsigned mode = job.order[stage] - 1u;
        const unsigned slice_mode = job.order[stage < 2 ? 2 : 0] - 1u;
        actuator_switches switches;
        switches.stage = stage;
        switches.x_mode = 3 - mode - slice_mode;
        switches.successor = stage < 2 ? job.order[stage + 1] - 1u : to_device;
        switches.esop = job.esop();
        switches.zero_threshold = job.zero_threshold;
        (*m_matrices[mode])->set_switches(switches);
        m_actuators[mode]->set_burst(burst);
    }
}

command_outcome device_body::compute(const arch::gemt_command& job)
{
    m_phase = 3;
    set_switches(job);
    m_steps.begin(job.x.elements());
    (*m_start_actuator[job.order[0] - 1u])->take_control();
    wait(m_control_returned);
    m_core->sync();
    const bool stopped = stop().acts_at(sc_core::sc_time_stamp());
    m_steps.end(!stopped, sc_core::sc_time_stamp());
    return stopped ? command_outcome{error_code::aborted} : command_outcome{};
}

void device_body::log_step(const step_row& row)
{
    log("compute", stage_names[row.stage], m_command, row.step, row.tag, cycle_at(row.start),
        row.skipped ? 0 : m_config.step_cycles, row.counts.data());
}

} // namespace tensorloom::triada
