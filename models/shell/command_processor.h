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

/// What a program passes command by command while it is still coming in (program_fetch.h).
class command_gate {
public:
    virtual ~command_gate() = default;

    /// Returns when the next command of the walk may be taken, in time too; or why it may not.
    virtual std::optional<program_failure> admit(const isa::program_command& next) = 0;
    /// The walk has come to the end of the program: what is wrong with that.
    virtual std::optional<program_failure> end(const isa::program_command& place) = 0;
};

/// Runs a program without complaint (device_program.h): walks it, executes what steers it, and has the other commands
/// issued.
///
/// NOP, LOOP     take no cycle
/// END           takes one cycle each time (cause "control"): time passes in every loop
/// SIGNAL        is given when the commands before it have ended; takes no cycle. A signal that no WAIT has taken is
///               not given again
/// WAIT          returns when its signal is given, and takes it; never_signalled when no SIGNAL before it, in the order
///               of the program, gives one that is not taken
/// IRQ, HALT     wait for all commands before them
/// A stop acts before a command begins. What the walk waits for a command that has not come in yet has the cause
/// "fetch".
///
/// Example
///
///     shell::sequential_issue one_at_a_time(issue);
///     shell::command_processor processor(one_at_a_time, clock, stop, [] {});
///     const auto failure = processor.run(program);
class command_processor {
public:
    /// `raise_irq` is what an IRQ command does.
    command_processor(command_issue& issue, const program_clock& clock, const bus::stop_request& stop,
                      std::function<void()> raise_irq)
        : m_issue(issue), m_clock(clock), m_stop(stop), m_raise_irq(std::move(raise_irq))
    {}

    /// Returns when all commands have ended. With a gate the program is as good as the gate has let through; of the
    /// first command its header is there.
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
    std::array<std::optional<std::uint64_t>, isa::signal_count> m_signals; // commands that end before it is given
};

} // namespace tensorloom::shell
