#pragma once
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <vector>
#include <systemc>
#include <tensorloom/models/shell/command_log.h>
#include <tensorloom/models/shell/command_unit.h>
#include <tensorloom/models/shell/device_program.h>
#include <tensorloom/models/shell/program_clock.h>
#include <tensorloom/models/shell/scoreboard.h>
#include <tensorloom/tlm/stop_request.h>

namespace tensorloom::shell {

/// What the issue of commands works with.
struct issue_context {
    const unit_table& units;
    const program_clock& clock;
    const bus::stop_request& stop;
    device_log& log;
    /// So many commands have ended, counted from the program's first without gap, modulo 2^32; the last of them had
    /// this token.
    std::function<void(std::uint32_t commands, std::uint32_t token)> show_executed;
};

/// How the commands of a program follow each other on the units of a device: each begins when it may, runs on its unit,
/// and its phases go to the log. Called in the thread that walks the program.
class command_issue {
public:
    virtual ~command_issue() = default;

    /// A program starts; nothing is under way.
    virtual void begin() = 0;

    /// A command of a unit: begins it as soon as it may. False: the program must end.
    virtual bool start(const issued_command& command) = 0;
    /// A command that the walk itself has executed in no time.
    virtual void pass(const issued_command& command) = 0;
    /// Cycles that the walk itself has taken, from this one to now, at a command that has run so often before.
    virtual void spend(std::uint32_t command, std::uint32_t execution, const char* cause, const char* phase,
                       std::uint64_t start) = 0;
    /// The next command cannot run.
    virtual void fail(const program_failure& failure) = 0;

    /// Commands started or passed.
    virtual std::uint64_t issued() const = 0;
    /// Returns when the first `commands` of them have ended; false when one of them failed.
    virtual bool wait_for(std::uint64_t commands) = 0;
    /// No further command must begin.
    virtual bool failed() const = 0;
    /// Returns when all has ended: the failure of the first command, in the order of the program, that failed.
    virtual std::optional<program_failure> finish() = 0;
};

/// One command at a time, in the thread that walks the program.
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
    std::vector<std::uint64_t> m_none; // counts
    std::uint64_t m_executed = 0;
    std::optional<program_failure> m_failure;
};

/// Issue in the order of the program, to units that work at the same time.
///
/// A command begins when its unit is free and no earlier command in flight works on bytes that it must not touch yet
/// (RAW, WAR, WAW). It holds up those behind it: no command overtakes another at issue. Values are those of one command
/// at a time.
/// Log        the records of a command have the cycles that the program waited for it, its last ones; the others count
/// as
///            overlapped. So the cycles of all records sum up to those of the program. Where several hold a command up,
///            the earliest is waited for first
/// Failures   those in flight end; commands that begin in the cycle of the failure may still run. Bytes that a later
///            command has written by then stay
/// What happens depends on times alone, not on the order of processes within one time.
class overlapped_issue : public command_issue {
public:
    /// Elaboration, in the constructor of the device, when its units are known: a thread for each. `overlapped_cycle`:
    /// the event, if any, that counts cycles which a unit worked while the program did not wait for it.
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
        std::optional<std::uint64_t> waited_from; // the program waits for this unit since
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
    log_reorder_buffer m_reordered;
    std::vector<unit_slot> m_slots;           // by unit
    std::vector<std::uint64_t> m_none;        // counts
    sc_core::sc_event m_ended;                // a command, on any unit
    std::optional<program_failure> m_failure; // of the earliest command
    std::uint64_t m_failed_command = 0;       // its number
    std::uint64_t m_failed_at = 0;            // when the first failure, by time, happened
};

} // namespace tensorloom::shell
