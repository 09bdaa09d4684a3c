#pragma once
#include <tensorloom/models/shell/command_issue.h>
#include <tensorloom/models/shell/job_clock.h>

namespace tensorloom::shell {

/// One command at a time, in the thread that walks the program.
class sequential_issue : public command_issue {
public:
    /// `events`: of the device.
    sequential_issue(command_executor& device, const job_clock& clock, std::size_t events)
        : m_device(device), m_clock(clock), m_report(events), m_none(events, 0)
    {}

    void begin() override;
    bool start(const issued_command& command) override;
    void pass(const issued_command& command) override;
    void spend_cycle(const issued_command& command, const char* cause, const char* phase) override;
    void refuse(const issued_command& command, arch::error_code code) override;
    std::uint64_t issued() const override { return m_executed; }
    bool wait_for(std::uint64_t) override { return !failed(); }
    bool failed() const override { return m_failure.has_value(); }
    std::optional<program_failure> finish() override { return m_failure; }
    void report(const issued_command& command, const char* cause, const char* phase, std::uint64_t cycles,
                const std::uint64_t* counts) override;

private:
    command_executor& m_device;
    const job_clock& m_clock;
    command_report m_report;
    std::vector<std::uint64_t> m_none; // counts
    std::uint64_t m_executed = 0;
    std::optional<program_failure> m_failure;
};

} // namespace tensorloom::shell
