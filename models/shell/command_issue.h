#pragma once
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <vector>
#include <systemc>
#include <tensorloom/models/shell/command_log.h>
#include <tensorloom/models/shell/command_replay.h>
#include <tensorloom/models/shell/command_unit.h>
#include <tensorloom/models/shell/device_program.h>
#include <tensorloom/models/shell/program_clock.h>
#include <tensorloom/models/shell/scoreboard.h>
#include <tensorloom/tlm/stop_request.h>

namespace tensorloom::shell {

/// What command issue needs from the device.
struct issue_context {
    const unit_table& units;
    const program_clock& clock;
    const bus::stop_request& stop;
    device_log& log;
    /// Shows the number of commands that have ended without gap from the program's first, modulo 2^32, and the token of
    /// the last of them.
    std::function<void(std::uint32_t commands, std::uint32_t token)> show_executed;
};

/// Issues the commands of a program to the units of a device: each begins as soon as it may and runs on its unit, and
/// its phases go to the log. Called in the thread that runs the program.
class command_issue {
public:
    virtual ~command_issue() = default;

    /// A program starts; no command is in flight.
    virtual void begin() = 0;

    /// Starts a command on its unit as soon as it may begin. False: the program must end.
    virtual bool start(const issued_command& command) = 0;
    /// A command that the command processor executed itself, in no time.
    virtual void pass(const issued_command& command) = 0;
    /// Logs cycles that the command processor itself took, from `start` to now, at execution number `execution` of a
    /// command.
    virtual void spend(std::uint32_t command, std::uint32_t execution, const char* cause, const char* phase,
                       std::uint64_t start) = 0;
    /// The next command cannot run.
    virtual void fail(const program_failure& failure) = 0;

    /// Commands started or passed.
    virtual std::uint64_t issued() const = 0;
    /// Returns when the first `commands` of them have ended; false when one of them failed.
    virtual bool wait_for(std::uint64_t commands) = 0;
    /// No further command may begin.
    virtual bool failed() const = 0;
    /// Returns when all commands have ended: the failure of the first failed command in program order, if any.
    virtual std::optional<program_failure> finish() = 0;
};

/// Runs one command at a time, in the thread that runs the program.
///
/// Example
///
///     shell::sequential_issue one_at_a_time(issue);
///     one_at_a_time.begin();
///     one_at_a_time.start(shell::issued_command{});
///     const auto failure = one_at_a_time.finish();
class sequential_issue : public command_issue {
public:
    explicit sequential_issue(const issue_context& context);

    void begin() override;
    bool start(const issued_command& command) override;
    void pass(const issued_command& command) override;
    void spend(std::uint32_t command, std::uint32_t execution, const char* cause, const char* phase,
               std::uint64_t start) override;
    void fail(const program_failure& failure) override;
    std::uint64_t issued() const override { return m_executed; }
    bool wait_for(std::uint64_t) override { return !failed(); }
    bool failed() const override { return m_failure.has_value(); }
    std::optional<program_failure> finish() override { return m_failure; }

private:
    issue_context m_context;
    command_report m_report;
    std::vector<std::uint64_t> m_none; // all counts 0
    std::uint64_t m_executed = 0;
    std::optional<program_failure> m_failure;
};

/// Issues commands in program order to units that work in parallel.
///
/// A command begins when its unit is free and no earlier command in flight conflicts with its bytes (RAW, WAR, WAW). It
/// blocks the commands after it: no command overtakes another at issue. Results are those of one command at a time.
/// Log        the records of a command get the cycles that the program waited for it, which are its last ones; its
///            other cycles count as overlapped. So the cycles of all records sum to those of the program. When several
///            commands block one, the earliest is waited for first
/// Failures   commands in flight end; commands that begin in the cycle of the failure may still run. Bytes that a later
///            command has written by then stay
/// The result depends on simulated times alone, not on the order of processes at one time.
class overlapped_issue : public command_issue {
public:
    /// Elaboration, in the constructor of the device, when its units are known: creates a thread per unit.
    /// `overlapped_cycle`: the event, if any, that counts the cycles of a unit during which the program did not wait
    /// for it.
    overlapped_issue(const issue_context& context, std::optional<std::size_t> overlapped_cycle);
    ~overlapped_issue() override;

    void begin() override;
    bool start(const issued_command& command) override;
    void pass(const issued_command& command) override;
    void spend(std::uint32_t command, std::uint32_t execution, const char* cause, const char* phase,
               std::uint64_t start) override;
    void fail(const program_failure& failure) override;
    std::uint64_t issued() const override { return m_board.issued(); }
    bool wait_for(std::uint64_t commands) override;
    bool failed() const override { return m_failure && m_failed_at < m_context.clock.now(); }
    std::optional<program_failure> finish() override;

private:
    class unit_thread;

    struct unit_slot {
        std::unique_ptr<unit_thread> thread;
        command_report report;
        std::optional<std::uint64_t> waited_from; // since when the program has waited for this unit
        std::uint64_t replayed = 0;               // place of the command in the replay
    };

    void run(unsigned unit, const issued_command& command); // in the unit's thread
    void keep_records(unsigned unit, const issued_command& command);
    bool wait_for_unit(unsigned unit);
    void fail(std::uint64_t number, const program_failure& failure);
    void show_executed();
    void release_records(std::uint64_t before);

    issue_context m_context;
    std::optional<std::size_t> m_overlapped_cycle;
    scoreboard m_board;
    command_replay m_replay;
    log_reorder_buffer m_reordered;
    std::vector<unit_slot> m_slots;           // by unit
    std::vector<std::uint64_t> m_none;        // all counts 0
    sc_core::sc_event m_ended;                // a command has ended, on any unit
    std::optional<program_failure> m_failure; // of the earliest command
    std::uint64_t m_failed_command = 0;       // its number
    std::uint64_t m_failed_at = 0;            // time of the first failure
};

} // namespace tensorloom::shell
