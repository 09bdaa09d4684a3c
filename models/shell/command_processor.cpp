#include <tensorloom/models/shell/command_processor.h>

namespace tensorloom::shell {

using isa::opcode;

std::optional<program_failure> command_processor::run(const std::vector<std::uint8_t>& program, command_gate* gate)
{
    m_signals = {};
    m_issue.begin();
    program_walk walk(program);
    while (!m_issue.failed()) {
        if (gate != nullptr && !passes(*gate, walk)) { break; }
        const auto command = walk.next();
        if (!command || is_stopped(*command)) { break; }
        if (m_listener) { m_listener(*command); }
        if (!execute(*command)) { break; }
    }
    return m_issue.finish();
}

bool command_processor::passes(command_gate& gate, const program_walk& walk)
{
    const std::uint64_t start = m_clock.now();
    const auto failed = walk.ended() ? gate.end(walk.place()) : gate.admit(walk.place());
    if (m_clock.now() > start) { m_issue.spend(walk.place().index, 0, "fetch", "fetch", start); }
    if (failed) { m_issue.fail(*failed); }
    return !failed && !m_issue.failed();
}

bool command_processor::execute(const issued_command& command)
{
    switch (static_cast<opcode>(command.header.opcode)) {
    case opcode::nop:
    case opcode::loop: break;
    case opcode::end: {
        const std::uint64_t start = m_clock.now();
        m_clock.wait_cycle();
        m_issue.spend(command.index, static_cast<std::uint32_t>(command.execution), "control", "end", start);
        break;
    }
    case opcode::signal: {
        auto& signal = m_signals[isa::signal_command::decode(command.payload).signal];
        if (!signal) { signal = m_issue.issued(); }
        break;
    }
    case opcode::wait:
        if (!wait_for_signal(command)) { return false; }
        break;
    case opcode::irq:
        if (!wait_for(m_issue.issued(), command)) { return false; }
        m_raise_irq();
        break;
    case opcode::halt:
        if (!wait_for(m_issue.issued(), command)) { return false; }
        m_issue.pass(command);
        return false;
    default: return m_issue.start(command);
    }
    m_issue.pass(command);
    return true;
}

bool command_processor::wait_for_signal(const issued_command& command)
{
    const auto signal = std::exchange(m_signals[isa::signal_command::decode(command.payload).signal], std::nullopt);
    if (!signal) {
        m_issue.fail({isa::error_code::never_signalled, command.index});
        return false;
    }
    return wait_for(*signal, command);
}

// Simulated time may have passed: the command begins only now.
bool command_processor::wait_for(std::uint64_t commands, const issued_command& command)
{
    return m_issue.wait_for(commands) && !is_stopped(command);
}

bool command_processor::is_stopped(const issued_command& command)
{
    if (!m_stop.acts_at(sc_core::sc_time_stamp())) { return false; }
    m_issue.fail({isa::error_code::aborted, command.index});
    return true;
}

} // namespace tensorloom::shell
