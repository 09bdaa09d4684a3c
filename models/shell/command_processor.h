#pragma once
#include <array>
#include <cstdint>
#include <functional>
#include <optional>
#include <utility>
#include <vector>
#include <tensorloom/models/shell/command_issue.h>
#include <tensorloom/models/shell/device_program.h>
#include <tensorloom/tlm/stop_request.h>

namespace tensorloom::shell {

/// Admits the commands of a program one by one while the program is still being fetched (program_fetch.h).
class command_gate {
public:
    virtual ~command_gate() = default;

    /// Returns when the next command may run, in simulated time; or the reason why it may not.
    virtual std::optional<program_failure> admit(const isa::program_command& next) = 0;
    /// The program has reached its end: what is wrong there, if anything.
    virtual std::optional<program_failure> end(const isa::program_command& place) = 0;
};

/// Runs a valid program (device_program.h): executes control commands itself and issues the others.
///
/// NOP, LOOP     take no cycle
/// END           takes one cycle each time (cause "control"), so that time passes in every loop
/// SIGNAL        sets its signal when the commands before it have ended; takes no cycle. A signal that no WAIT has
///               taken is not set again
/// WAIT          returns when its signal is set, and clears it; fails with never_signalled when no earlier SIGNAL in
///               program order sets a signal that is not taken
/// IRQ, HALT     wait for all commands before them
/// A stop acts before a command begins. Waiting for a command that has not arrived has the cause "fetch".
///
/// Example
///
///     shell::sequential_issue one_at_a_time(issue);
///     shell::command_processor processor(one_at_a_time, clock, stop, [] {});
///     const auto failure = processor.run(program);
class command_processor {
public:
    /// `raise_irq` executes an IRQ command.
    command_processor(command_issue& issue, const program_clock& clock, const bus::stop_request& stop,
                      std::function<void()> raise_irq)
        : m_issue(issue), m_clock(clock), m_stop(stop), m_raise_irq(std::move(raise_irq))
    {}

    /// Calls `listener` for every command in the order of the program, with loops unrolled, before it is issued; an
    /// empty function ends that.
    void listen(std::function<void(const issued_command&)> listener) { m_listener = std::move(listener); }

    /// Returns when all commands have ended. With a gate, the program is valid up to the last admitted command, and the
    /// header of its first command is present.
    std::optional<program_failure> run(const std::vector<std::uint8_t>& program, command_gate* gate = nullptr);

private:
    bool passes(command_gate& gate, const program_walk& walk);
    bool execute(const issued_command& command); // false: the program ends
    bool wait_for_signal(const issued_command& command);
    bool wait_for(std::uint64_t commands, const issued_command& command);
    bool is_stopped(const issued_command& command);

    command_issue& m_issue;
    const program_clock& m_clock;
    const bus::stop_request& m_stop;
    std::function<void()> m_raise_irq;
    std::function<void(const issued_command&)> m_listener;
    std::array<std::optional<std::uint64_t>, isa::signal_count>
        m_signals; // number of commands that must end before the signal is set
};

} // namespace tensorloom::shell
