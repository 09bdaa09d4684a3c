#include <tensorloom/models/torus/orbital_unit.h>
#include <utility>

namespace tensorloom::torus {

using blocks::device_phase;
using isa::error_code;
using shell::command_outcome;

namespace {

constexpr const char* phase_names[] = {"stage_I", "stage_II", "stage_III"};

} // namespace

orbital_unit::orbital_unit(const config& config, node_array& nodes, array_contents& contents, bus::dma_ports& dma,
                           const bus::stop_request& stop, const shell::program_clock& clock, shell::device_log& log,
                           std::string device)
    : m_config(config), m_contents(contents), m_stop(stop), m_clock(clock), m_log(log), m_device(std::move(device)),
      m_transfers(config, *nodes.memory.operator->(), dma, stop, clock),
      m_stages(config, *nodes.control.operator->(), clock, stop, [this](const logged_step& step) { log_step(step); }),
      m_stream(m_transfers, m_stages,
               [this](unsigned stage, const blocks::logged_transfer& transfer) { log_transfer(stage, transfer); }),
      m_tiles(m_transfers, m_stages,
              [this](unsigned stage, const blocks::logged_transfer& transfer) { log_transfer(stage, transfer); }),
      m_overlapped(m_transfers, m_stages,
                   [this](unsigned stage, const blocks::logged_transfer& transfer) { log_transfer(stage, transfer); }),
      m_passes("passes", clock, m_phase, m_log)
{
    reset();
}

void orbital_unit::trace_command(sc_core::sc_trace_file& file)
{
    const std::string prefix = m_device + ".";
    sc_core::sc_trace(&file, m_phase.value(), prefix + "phase");
    sc_core::sc_trace(&file, m_command, prefix + "command");
}

// ---- commands ----

bool orbital_unit::executes(std::uint8_t opcode) const { return opcode == static_cast<std::uint8_t>(opcode::orbit); }

std::optional<isa::check_error> orbital_unit::check(const isa::command_header& header,
                                                    const std::uint8_t* payload) const
{
    return torus::check(orbit_command::decode(header.flags, payload),
                        {m_config.side, m_config.block, m_config.format, m_config.coefficient_elements});
}

command_outcome orbital_unit::execute(shell::running_command& running)
{
    const shell::issued_command& command = running.command;
    m_command = command.index;
    const auto orbit = orbit_command::decode(command.header.flags, command.payload);
    const auto sizes = resolved_sizes(orbit);
    if (!sizes) { return {error_code::not_resident}; }
    const auto plan = plan_orbit(orbit, *sizes, m_config.side);
    if (!plan.fits && orbit.hold_result()) { return {error_code::too_large}; } // the matrices that it keeps make it so
    auto outcome = run(orbit, *sizes, plan);
    if (outcome.ok() && orbit.completion()) {
        m_phase.enter(device_phase::unload);
        outcome = m_transfers.write_completion(orbit.completion_address, command.header.token, m_log, m_command);
    }
    if (!outcome.ok()) { m_contents.clear(); }
    m_phase.enter(device_phase::none);
    return outcome;
}

array_contents::layout orbital_unit::layout_of(const orbit_command& command)
{
    return {command.blocks, command.order, command.vector, command.left_out};
}

// Those that the command says, and of what it keeps those that lie there; nothing when it does not lie there.
std::optional<torus::orbit_sizes> orbital_unit::resolved_sizes(const orbit_command& command) const
{
    auto known = sizes_of(command);
    const bool keeps =
        command.keep_matrices() || command.keep_tensor() || command.take_next() || command.store_previous();
    if (keeps && !(layout_of(command) == m_contents.laid_out())) { return std::nullopt; }
    const auto lies_there = [](std::optional<shape3>& said, const std::optional<shape3>& kept) {
        if (!kept || (said && *said != *kept)) { return false; }
        said = kept;
        return true;
    };
    if (command.keep_matrices()) {
        const auto& kept = m_contents.matrices;
        if (!kept || !lies_there(known.in_size, kept->in_size) || !lies_there(known.out_size, kept->out_size)) {
            return std::nullopt;
        }
    }
    if (command.keep_tensor() || command.take_next()) {
        const bool back = command.way == direction::inverse;
        const auto& kept = command.take_next() ? m_contents.next : back ? m_contents.transformed : m_contents.given;
        if (!kept || !lies_there(back ? known.out_size : known.in_size, kept->size)) { return std::nullopt; }
    }
    if (command.store_previous()) {
        const auto* held = m_contents.held_one();
        if (held == nullptr || held->size != transform_sizes(command.previous_y())) { return std::nullopt; }
    }
    return orbit_sizes{*known.in_size, *known.out_size};
}

command_outcome orbital_unit::run(const orbit_command& command, const orbit_sizes& sizes, const isa::tile_plan& plan)
{
    const auto layout = layout_of(command);
    if (!(layout == m_contents.laid_out())) { m_contents.lay_out(layout); }
    m_stages.lay_out(by_index(layout.blocks, layout.order), layout.vector);
    if (!command.keep_matrices()) {
        const auto outcome = load_matrices(command);
        if (!outcome.ok()) { return outcome; }
        m_contents.matrices = sizes;
    }
    if (!plan.fits) {
        for (auto* lost : {&m_contents.given, &m_contents.transformed, &m_contents.next, &m_contents.operand}) {
            lost->reset();
        }
        m_contents.held = held_tensor::none;
        return run_tiles(command, plan);
    }
    return run_fitting(command, sizes);
}

// Operand and result lie there afterwards, whether they came from memory or went there. Streams and tiles need all
// memories.
command_outcome orbital_unit::run_fitting(const orbit_command& command, const orbit_sizes& sizes)
{
    const bool back = command.way == direction::inverse;
    const bool is_one = command.x.order != 4 && command.y.order != 4;
    auto& from = back ? m_contents.transformed : m_contents.given;
    auto& to = back ? m_contents.given : m_contents.transformed;
    std::optional<lying_tensor> previous;
    if (command.store_previous()) { previous = *m_contents.held_one(); }
    if (!is_one) { m_contents.operand.reset(); }
    if (command.take_next()) { from = std::exchange(m_contents.next, std::nullopt); }
    const bool loads = !command.keep_tensor() && !command.take_next();
    if (loads || command.load_next()) { m_contents.next.reset(); }
    auto taken = m_contents.taken();
    if (previous) { taken.add(previous->place.in); }
    if (loads) {
        const auto memory = free_memory(operand_slot(command), taken);
        from = {{operand_slot(command), *memory}, back ? sizes.out_size : sizes.in_size, 0}; // two are taken at most
    }
    const auto operand = *std::exchange(from, std::nullopt);
    to.reset();
    m_contents.held = held_tensor::none;
    std::optional<tensor_place> next;
    if (command.load_next()) {
        auto used = taken;
        used.add(operand.place.in);
        const auto memory = previous ? previous->place.in : free_memory(slot::x, used);
        next = tensor_place(slot::x, *memory); // of four memories two are used
        taken.add(*memory);
    }
    const auto memories = memories_of(command, operand.place.in, taken);
    if (!memories) { return {error_code::too_large}; }
    const fitting_transform work{&command, *memories, operand.shift};
    const auto outcome =
        previous || next ? m_overlapped.run(m_passes, work, previous, next) : m_stream.run(m_passes, work);
    if (!outcome.ok() || !is_one) { return outcome; }
    from = operand;
    from->shift = 0; // it is elements now
    for (unsigned s = stages_of(command).first; s < stages_of(command).end; ++s) {
        m_contents.overwrite(memories->sums[s]);
    }
    to = {work.result(), back ? sizes.in_size : sizes.out_size, static_cast<std::uint8_t>(result_shift(command))};
    if (command.hold_result()) { m_contents.held = back ? held_tensor::given : held_tensor::transformed; }
    if (next) { m_contents.next = {*next, transform_sizes(command.next_x()), 0}; }
    return outcome;
}

command_outcome orbital_unit::run_tiles(const orbit_command& command, const isa::tile_plan& plan)
{
    for (std::uint64_t t = 0; t < transforms_of(command.x); ++t) {
        const auto outcome = m_tiles.run(m_passes, command, plan, t);
        if (!outcome.ok()) { return outcome; }
    }
    return {};
}

command_outcome orbital_unit::load_matrices(const orbit_command& command)
{
    m_phase.enter(device_phase::matrices);
    m_contents.matrices.reset();
    torus::counts counted;
    auto watch = m_transfers.watch();
    command_outcome outcome;
    for (unsigned mode = 0; mode < 3 && outcome.ok(); ++mode) {
        if (!command.sums(mode)) { continue; }
        outcome = m_transfers.load_matrix(command.matrix[mode], m_contents.matrix_slot(mode), counted);
    }
    m_clock.align();
    const auto freed = watch.freed();
    m_log.add(bus::log_record("matrices")
                  .of_command(m_command)
                  .during(watch.start(), freed.all())
                  .with_counts(counted.data())
                  .with_freed(&freed));
    return outcome;
}

// ---- log ----

void orbital_unit::log_transfer(unsigned stage, const blocks::logged_transfer& transfer)
{
    const char* name = transfer.unload ? "unload" : "load";
    auto counted = transfer.counts;
    counted[static_cast<std::size_t>(event::overlapped_cycle)] = transfer.overlapped;
    m_log.add(bus::log_record(name)
                  .of_command(m_command)
                  .with_id(transfer.number)
                  .with_detail(stage)
                  .during(transfer.start_cycle, transfer.cycles)
                  .with_counts(counted.data()));
}

void orbital_unit::log_step(const logged_step& step) { add_to(m_log, phase_names[step.stage], m_command, step); }

} // namespace tensorloom::torus
