#include <tensorloom/models/mmv/scalar_unit.h>
#include <tensorloom/models/mmv/isa/limits.h>

namespace tensorloom::mmv {

using isa::error_code;
using isa::vector::strided_command;

scalar_unit::scalar_unit(sc_core::sc_module_name name, base::element_type word, unsigned scalar_ops,
                         const bus::clock_source& clock, const bus::stop_request& stop)
    : sc_core::sc_module(name), pad("pad"), m_word(word), m_scalar_ops(scalar_ops), m_clock(clock), m_stop(stop)
{}

scalar_unit::~scalar_unit() = default;

void scalar_unit::end_of_elaboration() { m_processor = make_scalar_processor(m_word, *pad.operator->()); }

blocks::unit_outcome<mmv::counts> scalar_unit::execute(opcode code, const isa::vector::strided_command& command)
{
    blocks::unit_outcome<mmv::counts> outcome;
    const std::uint64_t operations = scalar_operations(code, command);
    const std::uint64_t cycles = operations / m_scalar_ops + (operations % m_scalar_ops != 0 ? 1 : 0);
    const std::uint64_t passed = bus::wait_cycles(cycles, m_clock.period(), m_stop);
    outcome.add("scalar", passed);
    if (passed < cycles) {
        outcome.error = error_code::aborted;
        return outcome;
    }
    const auto done = m_processor->execute(code, command);
    outcome.counts[event::scalar_instruction] = code == opcode::charge ? 0 : 1;
    outcome.counts[event::scalar_op] = operations;
    outcome.counts[event::cpu_op] = command.cpu_ops;
    outcome.counts[event::scratchpad_read] = done.reads;
    outcome.counts[event::scratchpad_write] = done.writes;
    outcome.counts[event::word_overflowed] = done.overflowed;
    if (done.overflowed != 0) { outcome.error = error_code::arithmetic_overflow; }
    return outcome;
}

// ---- commands of a device ----

namespace {

const instruction& instruction_of(const isa::command_header& header) { return *find_instruction(header.opcode); }

} // namespace

bool scalar_unit::executes(std::uint8_t code) const
{
    const auto* found = find_instruction(code);
    return found != nullptr && is_scalar(found->code);
}

std::optional<isa::check_error> scalar_unit::check(const isa::command_header& header, const std::uint8_t* payload) const
{
    return mmv::check(instruction_of(header).code, strided_command::decode(payload), header.flags, limits());
}

shell::access_set scalar_unit::accesses(const shell::issued_command& command) const
{
    const opcode code = instruction_of(command.header).code;
    const auto c = strided_command::decode(command.payload).at(command.iteration);
    shell::access_set set;
    if (mmv::check(code, c, command.header.flags, limits())) { return set; }
    set.reads = blocks::spans_of(reads(code, c, limits()));
    set.writes = blocks::spans_of(writes(code, c, limits()));
    return set;
}

// The addresses are those of the iteration.
shell::command_outcome scalar_unit::execute(shell::running_command& running)
{
    const shell::issued_command& command = running.command;
    const auto& what = instruction_of(command.header);
    const auto c = strided_command::decode(command.payload).at(command.iteration);
    if (const auto refused = mmv::check(what.code, c, command.header.flags, limits())) { return {refused->code}; }
    m_activity.begin(command);
    const auto done = execute(what.code, c);
    m_activity.end();
    blocks::report_segments(running, done.segments, "scalar", what.name, done.ok(), done.counts.data());
    return {done.error};
}

} // namespace tensorloom::mmv
