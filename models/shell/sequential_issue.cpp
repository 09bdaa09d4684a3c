#include <tensorloom/models/shell/sequential_issue.h>

namespace tensorloom::shell {

void sequential_issue::begin()
{
    m_executed = 0;
    m_failure.reset();
}

bool sequential_issue::start(const issued_command& command)
{
    const std::uint64_t start = m_clock.now();
    m_report.begin(start);
    const auto outcome = m_device.run(command);
    if (!m_report.empty()) { // a device may have logged its phases itself
        m_report.end(m_clock.now());
        for (const auto& row : m_report.rows(start)) { m_device.log_row(command, row); }
    }
    if (outcome.ok()) {
        pass(command);
    } else {
        m_failure = failure_of(outcome, command.index);
    }
    return outcome.ok();
}

void sequential_issue::pass(const issued_command& command)
{
    ++m_executed;
    m_device.show_executed(static_cast<std::uint32_t>(m_executed), command.header.token);
}

void sequential_issue::spend_cycle(const issued_command& command, const char* cause, const char* phase)
{
    const std::uint64_t start = m_clock.now();
    m_clock.wait_cycle();
    m_device.log_row(command, {cause, phase, start, 1, m_none.data()});
}

void sequential_issue::refuse(const issued_command& command, arch::error_code code)
{
    m_failure = program_failure{code, command.index};
}

void sequential_issue::report(const issued_command&, const char* cause, const char* phase, std::uint64_t cycles,
                              const std::uint64_t* counts)
{
    m_report.add(cause, phase, cycles, counts);
}

} // namespace tensorloom::shell
