#include <tensorloom/models/blocks/vector_unit.h>
#include <algorithm>
#include <initializer_list>
#include <tensorloom/models/blocks/vector_datapath.h>
#include <tensorloom/models/isa/vector/vector_schedule.h>

namespace tensorloom::blocks {

using isa::error_code;
using isa::vector::event;
using isa::vector::instruction;
using isa::vector::lane_work;
using isa::vector::opcode;
using isa::vector::vector_schedule;

namespace {

event event_of(lane_work work)
{
    switch (work) {
    case lane_work::add: return event::lane_add;
    case lane_work::multiply: return event::lane_multiply;
    case lane_work::multiply_add: return event::lane_multiply_add;
    case lane_work::function: return event::lane_function;
    case lane_work::logic: return event::lane_logic;
    case lane_work::revspec: return event::revspec_op;
    case lane_work::compact: return event::compact_op;
    case lane_work::revert: return event::revert_op;
    default: return event::lane_move;
    }
}

// Calls action with an instruction and its command, as the payload decodes it.
template <class Action>
auto decoded(const isa::command_header& header, const std::uint8_t* payload, const Action& action)
{
    const instruction& what = *isa::vector::find_instruction(header.opcode);
    if (what.payload == isa::vector::payload_kind::vector) {
        return action(what, isa::vector::vector_command::decode(header.flags, payload));
    }
    return action(what, isa::vector::strided_command::decode(payload));
}

using operand_steps = decltype(isa::vector::vector_operand::step);

bool advances(std::initializer_list<operand_steps> steps)
{
    return std::any_of(steps.begin(), steps.end(), [](const auto& s) { return s != operand_steps{}; });
}
bool advances(const isa::vector::vector_command& c) { return advances({c.result.step, c.a.step, c.b.step, c.c.step}); }
bool advances(const isa::vector::strided_command& c) { return advances({c.result.step, c.a.step, c.b.step}); }

std::optional<isa::check_error> check_error_of(opcode code, const isa::vector::vector_command& c, std::uint16_t,
                                               const isa::vector::limits& l)
{
    return isa::vector::check(code, c, l);
}
std::optional<isa::check_error> check_error_of(opcode code, const isa::vector::strided_command& c, std::uint16_t flags,
                                               const isa::vector::limits& l)
{
    return isa::vector::check(code, c, flags, l);
}

} // namespace

vector_unit::vector_unit(sc_core::sc_module_name name, const vector_unit_config& config, const bus::stop_request& stop)
    : sc_core::sc_module(name), pad("pad"), m_config(config), m_stop(stop), m_counts(config.events.device_events),
      m_checked(checked_commands)
{}

vector_unit::~vector_unit() = default;

void vector_unit::end_of_elaboration()
{
    m_datapath =
        make_vector_datapath(m_config.word, m_config.blocks, *pad.operator->(), m_config.lanes, m_config.equal_reads);
}

vector_outcome vector_unit::execute(opcode code, const isa::vector::vector_command& command)
{
    vector_outcome outcome;
    if (!m_datapath->begin(code, command, outcome.counts)) {
        outcome.error = error_code::bad_index;
        return outcome;
    }
    outcome.counts[event::vector_element] = isa::vector::vector_elements(code, command);
    outcome.counts[event::vector_circuit] = isa::vector::circuit_size(code, command, m_config.word_bits);
    run(code, outcome);
    return outcome;
}

vector_outcome vector_unit::execute(const isa::vector::strided_command& repl)
{
    vector_outcome outcome;
    m_datapath->begin(repl, outcome.counts);
    outcome.counts[event::vector_element] = isa::vector::vector_elements(repl);
    outcome.counts[event::vector_circuit] = isa::vector::circuit_size(repl, m_config.word_bits);
    outcome.counts[event::cpu_op] = repl.cpu_ops;
    run(opcode::repl, outcome);
    return outcome;
}

void vector_unit::run(opcode code, vector_outcome& outcome)
{
    const auto index = isa::vector::instruction_index(code);
    const vector_schedule schedule(m_datapath->words(), m_config.lanes,
                                   m_datapath->has_contiguous_operands() ? &pad->banks() : nullptr,
                                   m_config.costs[index], m_datapath->stalls());
    const passed_instruction passed = pass(code, schedule);
    const std::uint64_t undisturbed = std::min(passed.cycles, schedule.undisturbed());
    outcome.add("vector", undisturbed);
    const std::uint64_t conflicts = passed.cycles - undisturbed;
    outcome.add("conflict", conflicts);
    if (auto* const banks = pad->bank_counts()) { // stalls have been put down to banks: what is left is of groups that
        std::uint64_t stalled = 0;                // are wider than all of them
        for (const std::uint64_t s : m_datapath->stalls()) { stalled += s; }
        banks->wait_for_all(conflicts - std::min(conflicts, stalled));
    }
    if (passed.cycles < schedule.total()) {
        outcome.counts = {};
        outcome.error = error_code::aborted;
        return;
    }
    outcome.counts[event::vector_instruction] = 1;
    outcome.counts[event_of(isa::vector::instructions[index].work)] = m_datapath->words();
    outcome.counts[event::word_overflowed] = passed.overflowed;
    if (passed.overflowed != 0) { outcome.error = error_code::arithmetic_overflow; }
}

// Lets the instruction's time pass, at once or cycle by cycle, with the same state when a stop acts.
vector_unit::passed_instruction vector_unit::pass(opcode code, const vector_schedule& schedule)
{
    const std::uint64_t total = schedule.total();
    const bool stepwise = is_stepped(m_config.fidelity) || m_is_watched;
    vector_schedule::cursor entering(schedule), leaving(schedule);
    vector_schedule::cursor due(schedule); // what is shown runs ahead of what is written, where a stop acts
    const auto words_at = [&](vector_schedule::cursor& groups, std::uint64_t cycle) {
        return cycle < schedule.depth() ? 0 : schedule.words_of(groups.groups_at(cycle - schedule.depth()));
    };
    passed_instruction passed;
    std::uint64_t written = 0;
    bool stopped = false;
    while (passed.cycles < total && !stopped) {
        const std::uint64_t step = stepwise ? 1 : total;
        if (m_is_watched) {
            const std::uint64_t group = std::min(entering.groups_at(passed.cycles), schedule.groups() - 1);
            m_waveform = {true, static_cast<std::uint8_t>(code), group, words_at(due, passed.cycles + 1) - written};
        }
        const std::uint64_t waited = wait_cycles(step, m_config.clock_period.period(), m_stop);
        stopped = waited < step;
        passed.cycles += waited;
        const std::uint64_t complete =
            passed.cycles < total ? words_at(leaving, passed.cycles) : schedule.words_of(schedule.groups());
        if (complete > written) { passed.overflowed += m_datapath->execute(written, complete); }
        written = complete;
    }
    m_waveform = {};
    return passed;
}

// ---- commands of a device ----

isa::vector::limits vector_unit::limits() const { return {m_config.word, pad->size(), m_config.blocks}; }

vector_outcome vector_unit::execute(opcode, const isa::vector::strided_command& command) { return execute(command); }

bool vector_unit::executes(std::uint8_t code) const { return isa::vector::find_instruction(code) != nullptr; }

std::optional<isa::check_error> vector_unit::check(const isa::command_header& header, const std::uint8_t* payload) const
{
    return decoded(header, payload, [&](const instruction& what, const auto& c) {
        return check_error_of(what.code, c, header.flags, limits());
    });
}

void vector_unit::begin_program() { m_checked.assign(checked_commands, {}); }

// A payload keeps its address while its program runs.
const vector_unit::checked_command& vector_unit::checked(const shell::issued_command& command) const
{
    checked_command& d = m_checked[command.index % m_checked.size()];
    if (d.payload == command.payload && (!d.advances || d.iteration == command.iteration)) { return d; }
    d.payload = command.payload;
    d.iteration = command.iteration;
    d.accesses = {};
    d.refused = {};
    decoded(command.header, command.payload, [&](const instruction& what, const auto& of_program) {
        const auto c = of_program.at(command.iteration);
        d.advances = advances(of_program);
        d.refused = check_error_of(what.code, c, command.header.flags, limits());
        if (d.refused) { return; }
        d.accesses.reads = spans_of(isa::vector::reads(what.code, c, limits()));
        d.accesses.writes = spans_of(isa::vector::writes(what.code, c, limits()));
    });
    return d;
}

shell::access_set vector_unit::accesses(const shell::issued_command& command) const
{
    return checked(command).accesses;
}

// The addresses are those of the iteration.
shell::command_outcome vector_unit::execute(shell::running_command& running)
{
    const shell::issued_command& command = running.command;
    if (const auto& refused = checked(command).refused) { return {refused->code}; }
    return decoded(command.header, command.payload, [&](const instruction& what, const auto& of_program) {
        const auto c = of_program.at(command.iteration);
        m_activity.begin(command);
        const vector_outcome done = execute(what.code, c);
        m_activity.end();
        std::fill(m_counts.begin(), m_counts.end(), 0);
        m_config.events.add(done.counts, m_counts.data());
        report_segments(running, done.segments, "vector", what.name, done.ok(), m_counts.data());
        return shell::command_outcome{done.error};
    });
}

// ---- waveforms ----

void vector_unit::trace(sc_core::sc_trace_file& file)
{
    const auto& shown = watch();
    const std::string unit = name();
    sc_core::sc_trace(&file, shown.busy, unit + ".busy");
    sc_core::sc_trace(&file, shown.group, unit + ".group");
    sc_core::sc_trace(&file, shown.results, unit + ".results");
}

const vector_waveform& vector_unit::watch()
{
    m_is_watched = true;
    return m_waveform;
}

} // namespace tensorloom::blocks
