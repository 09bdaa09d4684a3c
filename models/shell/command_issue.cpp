#include <tensorloom/models/shell/command_issue.h>
#include <utility>

namespace tensorloom::shell {

// ---- one command at a time ----

sequential_issue::sequential_issue(const issue_context& context)
    : m_context(context), m_report(context.log.events()), m_none(context.log.events(), 0)
{}

void sequential_issue::begin()
{
    m_executed = 0;
    m_failure.reset();
}

bool sequential_issue::start(const issued_command& command)
{
    const std::uint64_t start = m_context.clock.now();
    m_report.begin(start);
    running_command running{command, m_context.clock, m_context.stop, m_report};
    const auto outcome = m_context.units[command.header.opcode].unit->execute(running);
    if (!m_report.empty()) { // a unit may have logged its phases itself
        m_report.end(m_context.clock.now());
        m_report.for_each_record(command, start, [&](const auto& record) { m_context.log.add(record); });
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
    m_context.show_executed(static_cast<std::uint32_t>(m_executed), command.header.token);
}

void sequential_issue::spend(std::uint32_t command, std::uint32_t execution, const char* cause, const char* phase,
                             std::uint64_t start)
{
    m_context.log.add(bus::log_record(cause, phase)
                          .of_command(command)
                          .with_id(execution)
                          .during(start, m_context.clock.now() - start)
                          .with_counts(m_none.data()));
}

void sequential_issue::fail(const program_failure& failure) { m_failure = failure; }

// ---- units that work in parallel ----

// Runs the commands of a unit, one after the other.
class overlapped_issue::unit_thread : public sc_core::sc_module {
public:
    unit_thread(sc_core::sc_module_name name, std::function<void(const issued_command&)> run)
        : sc_core::sc_module(name), m_run(std::move(run))
    {
        SC_HAS_PROCESS(unit_thread);
        SC_THREAD(run_commands);
    }

    // Not while a command is running.
    void start(const issued_command& command)
    {
        m_command = command;
        m_started.notify(sc_core::SC_ZERO_TIME);
    }

private:
    void run_commands()
    {
        while (true) {
            wait(m_started);
            m_run(m_command);
        }
    }

    std::function<void(const issued_command&)> m_run;
    issued_command m_command;
    sc_core::sc_event m_started;
};

overlapped_issue::overlapped_issue(const issue_context& context, std::optional<std::size_t> overlapped_cycle)
    : m_context(context), m_overlapped_cycle(overlapped_cycle),
      m_board(static_cast<unsigned>(context.units.units().size())), m_reordered(context.log.events()),
      m_none(context.log.events(), 0)
{
    for (unsigned u = 0; u < context.units.units().size(); ++u) {
        auto thread = std::make_unique<unit_thread>(("unit_" + std::to_string(u)).c_str(),
                                                    [this, u](const issued_command& c) { run(u, c); });
        m_slots.push_back({std::move(thread), command_report(context.log.events()), std::nullopt, 0});
    }
}

overlapped_issue::~overlapped_issue() = default;

void overlapped_issue::begin()
{
    m_board.clear();
    m_replay.begin(m_context.log.freed());
    m_failure.reset();
}

bool overlapped_issue::start(const issued_command& command)
{
    const auto& executing = m_context.units[command.header.opcode];
    auto accesses = executing.unit->accesses(command);
    accesses.unit = executing.number;
    while (const auto unit = m_board.blocker(accesses)) {
        if (!wait_for_unit(*unit) || failed()) { return false; }
        if (m_context.stop.acts_at(sc_core::sc_time_stamp())) {
            fail({isa::error_code::aborted, command.index});
            return false;
        }
    }
    unit_slot& slot = m_slots[executing.number];
    slot.report.begin(m_context.clock.now());
    slot.replayed = m_replay.issue(m_board.issued(), accesses);
    m_board.enter(std::move(accesses), command.header.token);
    slot.thread->start(command);
    return true;
}

void overlapped_issue::run(unsigned unit, const issued_command& command)
{
    running_command running{command, m_context.clock, m_context.stop, m_slots[unit].report};
    const auto outcome = m_context.units.units()[unit]->execute(running);
    m_slots[unit].report.end(m_context.clock.now());
    m_replay.ended(m_slots[unit].replayed, m_slots[unit].report.freed());
    keep_records(unit, command);
    if (!outcome.ok()) { fail(m_board.number(unit), failure_of(outcome, command.index)); }
    m_board.leave(unit, outcome.ok());
    show_executed();
    m_ended.notify(sc_core::SC_ZERO_TIME);
}

void overlapped_issue::keep_records(unsigned unit, const issued_command& command)
{
    unit_slot& slot = m_slots[unit];
    const std::uint64_t end = slot.report.end_cycle();
    const std::uint64_t waited_from = slot.waited_from.value_or(end);
    if (m_overlapped_cycle && !slot.report.empty()) {
        slot.report.counts_of_first()[*m_overlapped_cycle] += slot.report.cycles() - (end - waited_from);
    }
    const std::uint64_t number = m_board.number(unit);
    slot.report.for_each_record(command, waited_from, [&](const auto& record) { m_reordered.add(number, record); });
}

void overlapped_issue::pass(const issued_command& command)
{
    m_board.pass(command.header.token);
    show_executed();
}

void overlapped_issue::spend(std::uint32_t command, std::uint32_t execution, const char* cause, const char* phase,
                             std::uint64_t start)
{
    const std::uint64_t now = m_context.clock.now();
    m_replay.spend(base::freed_cycles::of(cause, now - start));
    m_reordered.add(m_board.issued(), bus::log_record(cause, phase)
                                          .of_command(command)
                                          .with_id(execution)
                                          .during(start, now - start)
                                          .with_counts(m_none.data()));
    release_records(now);
}

void overlapped_issue::fail(const program_failure& failure) { fail(m_board.issued(), failure); }

bool overlapped_issue::wait_for(std::uint64_t commands)
{
    m_replay.wait_for(commands);
    while (const auto unit = m_board.earliest(commands)) {
        if (!wait_for_unit(*unit)) { return false; }
    }
    return true;
}

std::optional<program_failure> overlapped_issue::finish()
{
    while (const auto unit = m_board.earliest_working()) { wait_for_unit(*unit); }
    release_records(UINT64_MAX);
    m_context.log.set_freed(m_replay.finish());
    return m_failure;
}

bool overlapped_issue::wait_for_unit(unsigned unit)
{
    m_slots[unit].waited_from = m_context.clock.now();
    while (m_board.working(unit)) { sc_core::wait(m_ended); }
    m_slots[unit].waited_from.reset();
    release_records(m_context.clock.now());
    return !m_board.failed(unit);
}

void overlapped_issue::fail(std::uint64_t number, const program_failure& failure)
{
    if (!m_failure) { m_failed_at = m_context.clock.now(); }
    if (m_failure && m_failed_command <= number) { return; }
    m_failure = failure;
    m_failed_command = number;
}

void overlapped_issue::show_executed()
{
    m_context.show_executed(static_cast<std::uint32_t>(m_board.executed()), m_board.token());
}

void overlapped_issue::release_records(std::uint64_t before)
{
    m_reordered.release(before, [this](const bus::log_record& record) { m_context.log.add(record); });
}

} // namespace tensorloom::shell
