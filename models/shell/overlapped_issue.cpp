#include <tensorloom/models/shell/overlapped_issue.h>
#include <algorithm>
#include <string>

namespace tensorloom::shell {

overlapped_issue::overlapped_issue(command_executor& device, const job_clock& clock, const bus::stop_request& stop,
                                   std::size_t events, unsigned units, std::optional<std::size_t> overlapped_cycle)
    : m_device(device), m_clock(clock), m_stop(stop), m_overlapped_cycle(overlapped_cycle), m_board(units),
      m_rows(events), m_none(events, 0)
{
    for (unsigned u = 0; u < units; ++u) {
        auto unit = std::make_unique<execution_unit>(("unit_" + std::to_string(u)).c_str(),
                                                     [this, u](const issued_command& c) { run(u, c); });
        m_slots.push_back({std::move(unit), command_report(events), std::nullopt});
    }
}

void overlapped_issue::begin()
{
    m_board.clear();
    m_failure.reset();
}

bool overlapped_issue::start(const issued_command& command)
{
    auto footprint = m_device.footprint_of(command);
    while (const auto unit = m_board.blocker(footprint)) {
        if (!wait_for_unit(*unit) || failed()) { return false; }
        if (m_stop.acts_at(sc_core::sc_time_stamp())) {
            refuse(command, arch::error_code::aborted);
            return false;
        }
    }
    unit_slot& slot = m_slots[footprint.unit];
    slot.report.begin(m_clock.now());
    m_board.enter(std::move(footprint), command.header.token);
    slot.unit->start(command);
    return true;
}

void overlapped_issue::run(unsigned unit, const issued_command& command)
{
    const auto outcome = m_device.run(command);
    m_slots[unit].report.end(m_clock.now());
    keep_rows(unit, command);
    if (!outcome.ok()) { fail(m_board.number(unit), failure_of(outcome, command.index)); }
    m_board.leave(unit, outcome.ok());
    show_executed();
    m_ended.notify(sc_core::SC_ZERO_TIME);
}

void overlapped_issue::keep_rows(unsigned unit, const issued_command& command)
{
    unit_slot& slot = m_slots[unit];
    const std::uint64_t end = slot.report.end_cycle();
    const std::uint64_t waited_from = slot.waited_from.value_or(end);
    if (m_overlapped_cycle && !slot.report.empty()) {
        slot.report.counts_of_first()[*m_overlapped_cycle] += slot.report.cycles() - (end - waited_from);
    }
    for (const auto& row : slot.report.rows(waited_from)) { m_rows.add(m_board.number(unit), command, row); }
}

void overlapped_issue::pass(const issued_command& command)
{
    m_board.pass(command.header.token);
    show_executed();
}

void overlapped_issue::spend_cycle(const issued_command& command, const char* cause, const char* phase)
{
    const std::uint64_t start = m_clock.now();
    m_clock.wait_cycle();
    m_rows.add(m_board.issued(), command, {cause, phase, start, 1, m_none.data()});
    release_rows(start + 1);
}

void overlapped_issue::refuse(const issued_command& command, arch::error_code code)
{
    fail(m_board.issued(), {code, command.index});
}

bool overlapped_issue::wait_for(std::uint64_t commands)
{
    while (const auto unit = m_board.earliest(commands)) {
        if (!wait_for_unit(*unit)) { return false; }
    }
    return true;
}

std::optional<program_failure> overlapped_issue::finish()
{
    while (const auto unit = m_board.earliest_working()) { wait_for_unit(*unit); }
    release_rows(UINT64_MAX);
    return m_failure;
}

bool overlapped_issue::wait_for_unit(unsigned unit)
{
    m_slots[unit].waited_from = m_clock.now();
    while (m_board.working(unit)) { sc_core::wait(m_ended); }
    m_slots[unit].waited_from.reset();
    release_rows(m_clock.now());
    return !m_board.failed(unit);
}

void overlapped_issue::fail(std::uint64_t number, const program_failure& failure)
{
    if (!m_failure) { m_failed_at = m_clock.now(); }
    if (m_failure && m_failed_command <= number) { return; }
    m_failure = failure;
    m_failed_command = number;
}

void overlapped_issue::show_executed()
{
    m_device.show_executed(static_cast<std::uint32_t>(m_board.executed()), m_board.token());
}

void overlapped_issue::release_rows(std::uint64_t before)
{
    m_rows.release(before, [this](const issued_command& c, const report_row& row) { m_device.log_row(c, row); });
}

void overlapped_issue::report(const issued_command& command, const char* cause, const char* phase, std::uint64_t cycles,
                              const std::uint64_t* counts)
{
    const auto runs_it = [&](const unit_slot& s) { return &s.unit->command() == &command; };
    std::find_if(m_slots.begin(), m_slots.end(), runs_it)->report.add(cause, phase, cycles, counts);
}

} // namespace tensorloom::shell
