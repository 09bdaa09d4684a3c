#include <tensorloom/models/blocks/vector_unit.h>
#include <algorithm>
#include <tensorloom/models/arch/vector/costs.h>
#include <tensorloom/tlm/stop_request.h>
#include <tensorloom/models/blocks/vector_datapath.h>
#include <tensorloom/models/blocks/vector_schedule.h>

namespace tensorloom::blocks {

using arch::error_code;
using arch::mmv::event;
using arch::vector::lane_work;
using arch::vector::opcode;

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

} // namespace

vector_unit::vector_unit(sc_core::sc_module_name name, const vector_unit_config& config, const bus::stop_request& stop)
    : sc_core::sc_module(name), pad("pad"), m_config(config), m_stop(stop)
{}

vector_unit::~vector_unit() = default;

void vector_unit::end_of_elaboration()
{
    m_datapath = make_vector_datapath(m_config.word, m_config.blocks, *pad.operator->(), m_config.lanes);
}

unit_outcome vector_unit::execute(opcode code, const arch::vector::vector_command& command)
{
    unit_outcome outcome;
    if (!m_datapath->begin(code, command, outcome.counts)) {
        outcome.error = error_code::bad_index;
        return outcome;
    }
    outcome.counts[event::vector_element] = arch::vector::vector_elements(code, command);
    outcome.counts[event::vector_circuit] = arch::vector::circuit_size(code, command, m_config.word_bits);
    run(code, outcome);
    return outcome;
}

unit_outcome vector_unit::execute(const arch::vector::strided_command& repl)
{
    unit_outcome outcome;
    m_datapath->begin(repl, outcome.counts);
    outcome.counts[event::vector_element] = arch::vector::vector_elements(repl);
    outcome.counts[event::vector_circuit] = arch::vector::circuit_size(repl, m_config.word_bits);
    outcome.counts[event::cpu_op] = repl.cpu_ops;
    run(opcode::repl, outcome);
    return outcome;
}

void vector_unit::run(opcode code, unit_outcome& outcome)
{
    const auto index = arch::vector::instruction_index(code);
    const vector_schedule schedule(m_datapath->words(), m_config.lanes,
                                   m_datapath->has_contiguous_operands() ? &pad->banks() : nullptr,
                                   m_config.costs[index], m_datapath->stalls());
    const passed_instruction passed = pass(code, schedule);
    const std::uint64_t undisturbed = std::min(passed.cycles, schedule.undisturbed());
    outcome.add("vector", undisturbed);
    outcome.add("conflict", passed.cycles - undisturbed);
    if (passed.cycles < schedule.total()) {
        outcome.counts = {};
        outcome.error = error_code::aborted;
        return;
    }
    outcome.counts[event::vector_instruction] = 1;
    outcome.counts[event_of(arch::vector::instructions[index].work)] = m_datapath->words();
    outcome.counts[event::word_overflowed] = passed.overflowed;
    if (passed.overflowed != 0) { outcome.error = error_code::arithmetic_overflow; }
}

// The instruction's time, at once or cycle by cycle. What is there when a stop acts is the same.
vector_unit::passed_instruction vector_unit::pass(opcode code, const vector_schedule& schedule)
{
    const std::uint64_t total = schedule.total();
    const bool stepwise = m_config.fidelity == fidelity::detailed || m_is_watched;
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
        const std::uint64_t waited = wait_cycles(step, m_config.clock_period, m_stop);
        stopped = waited < step;
        passed.cycles += waited;
        const std::uint64_t complete = words_at(leaving, passed.cycles);
        if (complete > written) { passed.overflowed += m_datapath->execute(written, complete); }
        written = complete;
    }
    m_waveform = {};
    return passed;
}

const vector_waveform& vector_unit::watch()
{
    m_is_watched = true;
    return m_waveform;
}

} // namespace tensorloom::blocks
