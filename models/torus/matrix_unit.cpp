#include <tensorloom/models/torus/matrix_unit.h>
#include <utility>

namespace tensorloom::torus {

using isa::error_code;
using shell::command_outcome;

namespace {

multiply_limits limits_of(const config& c)
{
    return {c.side, {c.block[0], c.block[2], c.block[2]}, c.format}; // i, j, k along modes 1, 3, 3 of the slots
}

} // namespace

matrix_unit::matrix_unit(const config& config, node_array& nodes, array_contents& contents, bus::dma_ports& dma,
                         const bus::stop_request& stop, const shell::program_clock& clock, shell::device_log& log,
                         std::string device)
    : m_config(config), m_plane(*nodes.plane.operator->()), m_contents(contents), m_stop(stop), m_clock(clock),
      m_log(log), m_device(std::move(device)), m_transfers(config, *nodes.memory.operator->(), dma, stop, clock),
      m_systolic("systolic_array", config, clock, stop)
{}

void matrix_unit::trace(sc_core::sc_trace_file& file)
{
    sc_core::sc_trace(&file, m_shown_step, m_device + ".multiply.step");
}

bool matrix_unit::executes(std::uint8_t opcode) const { return opcode == static_cast<std::uint8_t>(opcode::multiply); }

std::optional<isa::check_error> matrix_unit::check(const isa::command_header& header, const std::uint8_t* payload) const
{
    return torus::check(multiply_command::decode(header.flags, payload), limits_of(m_config));
}

command_outcome matrix_unit::execute(shell::running_command& running)
{
    const auto command = multiply_command::decode(running.command.header.flags, running.command.payload);
    m_activity.begin(running.command);
    m_command = running.command.index;
    auto outcome = run(command);
    m_plane.release();
    m_contents.clear();
    if (outcome.ok() && command.completion()) {
        outcome =
            m_transfers.write_completion(command.completion_address, running.command.header.token, m_log, m_command);
    }
    m_activity.end();
    return outcome;
}

command_outcome matrix_unit::run(const multiply_command& command)
{
    const auto schedule = command.schedule(m_config.side);
    const auto blocks = command.block_sizes();
    const auto program = program_of(schedule);
    m_accumulator = program.accumulator;
    m_name = matrix_class_values[static_cast<unsigned>(command.cls)].name;
    // What debuggers see of slots has their sizes.
    m_contents.lay_out({{{blocks.i, 1, blocks.k}, {1, 1, blocks.j}}, {3, 1, 2}, {}});
    if (command.cls == matrix_class::asc) {
        m_memory = &m_systolic;
    } else {
        m_memory = &m_plane;
        m_plane.lay_out({schedule, blocks});
        const std::uint64_t sum_words =
            base::element_bytes(base::accumulator_type(m_config.format)) / base::element_bytes(m_config.format);
        const auto profile = profile_of(program, blocks, sum_words);
        const auto timing = timing_of(m_config);
        m_steps.ends = step_ends(profile, program.steps, timing);
        m_steps.compute_cycles = step_compute_cycles(profile, timing);
        m_steps.link_cycles = step_link_cycles(profile, timing);
        m_steps.move = !program.rolls.empty() || !program.drives.empty();
    }
    const auto stage = stage_of(command, m_config.side);
    for (std::uint64_t p = 0; p < stage.passes(); ++p) {
        m_pass = static_cast<std::uint32_t>(p);
        const auto outcome = run_pass(command, stage.pass(p));
        if (!outcome.ok()) { return outcome; }
    }
    return {};
}

command_outcome matrix_unit::run_pass(const multiply_command& command, const isa::tile_pass& pass)
{
    for (const auto which : {matrix::a, matrix::b, matrix::c}) {
        const bool is_factor = which != m_accumulator;
        if (is_factor || pass.opens) { m_memory->clear(which); }
        if (!is_factor && !(pass.opens && command.accumulate())) { continue; }
        const auto outcome = load(command, which, pass);
        if (!outcome.ok()) { return outcome; }
    }
    const bool adds = !pass.opens || command.accumulate();
    const auto outcome = command.cls == matrix_class::asc ? run_in_array(pass.result.size[0], adds) : run_on_plane();
    return outcome.ok() && pass.closes ? unload(command, pass) : outcome;
}

// ---- memory port ----

command_outcome matrix_unit::load(const multiply_command& command, matrix which, const isa::tile_pass& pass)
{
    const auto from = part_of(command, which, pass);
    const shape2 sizes{from.size[0], from.size[1]};
    const bool elements = from.type == static_cast<std::uint8_t>(m_config.format);
    const auto done = m_transfers.load(from, [&](std::uint64_t first, const unsigned char* bytes, std::uint64_t count) {
        if (elements) {
            m_memory->write(which, sizes, first, bytes, count);
        } else {
            m_memory->write_sums(which, sizes, first, bytes, count);
        }
    });
    m_log.add(bus::log_record("load")
                  .of_command(m_command)
                  .with_id(m_pass)
                  .with_detail(static_cast<std::uint32_t>(which))
                  .during(done.start_cycle, done.cycles)
                  .with_counts(done.counts.data())
                  .with_freed(&done.freed));
    return done.outcome;
}

command_outcome matrix_unit::unload(const multiply_command& command, const isa::tile_pass& pass)
{
    const auto to = part_of(command, m_accumulator, pass);
    const shape2 sizes{to.size[0], to.size[1]};
    const bool elements = to.type == static_cast<std::uint8_t>(m_config.format);
    const auto done = m_transfers.unload(to, [&](std::uint64_t first, unsigned char* bytes, std::uint64_t count) {
        if (elements) {
            m_memory->read(m_accumulator, sizes, first, bytes, count);
        } else {
            m_memory->read_sums(m_accumulator, sizes, first, bytes, count);
        }
        return 0;
    });
    m_log.add(bus::log_record("unload")
                  .of_command(m_command)
                  .with_id(m_pass)
                  .with_detail(static_cast<std::uint32_t>(m_accumulator))
                  .during(done.start_cycle, done.cycles)
                  .with_counts(done.counts.data())
                  .with_freed(&done.freed));
    return done.outcome;
}

// ---- passes ----

command_outcome matrix_unit::run_on_plane()
{
    m_steps.first = m_pass * m_config.side;
    m_plane.begin();
    const auto show = [this](std::uint32_t step) { m_shown_step = step; };
    const auto log = [this](const logged_step& step) { add_to(m_log, m_name, m_command, step); };
    if (!run_steps(m_plane, m_steps, m_clock, m_stop, show, log)) { return {error_code::aborted}; }
    m_plane.end();
    return {};
}

command_outcome matrix_unit::run_in_array(std::uint32_t rows, bool accumulate)
{
    const std::uint64_t start = m_clock.now();
    const auto done = m_systolic.run(rows, accumulate);
    const auto freed = base::freed_cycles::of(base::resource::compute, done.load_cycles); // inside the device
    m_log.add(bus::log_record("load", m_name)
                  .of_command(m_command)
                  .with_id(m_pass)
                  .during(start, done.load_cycles)
                  .with_counts(done.loaded.data())
                  .with_freed(&freed));
    m_log.add(bus::log_record("compute", m_name)
                  .of_command(m_command)
                  .with_id(m_pass)
                  .during(start + done.load_cycles, done.stream_cycles)
                  .with_counts(done.streamed.data()));
    return {done.stopped ? error_code::aborted : error_code::none};
}

} // namespace tensorloom::torus
