#pragma once
#include <memory>
#include <vector>
#include <tensorloom/models/shell/command_issue.h>
#include <tensorloom/models/shell/execution_unit.h>
#include <tensorloom/models/shell/job_clock.h>
#include <tensorloom/models/shell/log_reorder_buffer.h>
#include <tensorloom/models/shell/scoreboard.h>
#include <tensorloom/tlm/stop_request.h>

namespace tensorloom::shell {

/// Issue in the order of the program, to units that work at the same time.
///
/// A command begins when its unit is free and no earlier command in flight works on bytes that it must not touch yet
/// (RAW, WAR, WAW). It holds up those behind it: no command overtakes another at issue. Values are those of one command
/// at a time.
/// Log        the rows of a command have the cycles that the program waited for it, its last ones; the others count as
///            overlapped. So the cycles of all rows sum up to those of the program. Where several hold a command up,
///            the earliest is waited for first
/// Failures   those in flight end; commands that begin in the cycle of the failure may still run. Bytes that a later
///            command has written by then stay
/// What happens depends on times alone, not on the order of processes within one time.
class overlapped_issue : public command_issue {
public:
    /// Elaboration, in the constructor of the device. `units` of the device and the shell. `overlapped_cycle`: the
    /// event, if any, that counts cycles which a unit worked while the program did not wait for it.
    overlapped_issue(command_executor& device, const job_clock& clock, const bus::stop_request& stop,
                     std::size_t events, unsigned units, std::optional<std::size_t> overlapped_cycle);

    void begin() override;
    bool start(const issued_command& command) override;
    void pass(const issued_command& command) override;
    void spend_cycle(const issued_command& command, const char* cause, const char* phase) override;
    void refuse(const issued_command& command, arch::error_code code) override;
    std::uint64_t issued() const override { return m_board.issued(); }
    bool wait_for(std::uint64_t commands) override;
    bool failed() const override { return m_failure && m_failed_at < m_clock.now(); }
    std::optional<program_failure> finish() override;
    void report(const issued_command& command, const char* cause, const char* phase, std::uint64_t cycles,
                const std::uint64_t* counts) override;

private:
    struct unit_slot {
        std::unique_ptr<execution_unit> unit;
        command_report report;
        std::optional<std::uint64_t> waited_from; // the program waits for this unit since
    };

    void run(unsigned unit, const issued_command& command); // in the unit's thread
    void keep_rows(unsigned unit, const issued_command& command);
    bool wait_for_unit(unsigned unit);
    void fail(std::uint64_t number, const program_failure& failure);
    void show_executed();
    void release_rows(std::uint64_t before);

    command_executor& m_device;
    const job_clock& m_clock;
    const bus::stop_request& m_stop;
    std::optional<std::size_t> m_overlapped_cycle;
    scoreboard m_board;
    log_reorder_buffer m_rows;
    std::vector<unit_slot> m_slots;           // by unit
    std::vector<std::uint64_t> m_none;        // counts
    sc_core::sc_event m_ended;                // a command, on any unit
    std::optional<program_failure> m_failure; // of the earliest command
    std::uint64_t m_failed_command = 0;       // its number
    std::uint64_t m_failed_at = 0;            // when the first failure, by time, happened
};

} // namespace tensorloom::shell
