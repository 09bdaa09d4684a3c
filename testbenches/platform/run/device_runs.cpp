#include "platform/run/device_runs.h"
#include <utility>
#include <systemc>
#include <tensorloom/tlm/simulated_time.h>

namespace tensorloom::testbench {

device_runs::device_runs(std::string device, activity::log_detail detail, std::size_t expected_records)
    : m_device(std::move(device)), m_detail(detail), m_expected(expected_records)
{}

void device_runs::attach(const std::string& object, const base::event_table& table, const std::uint64_t* counts)
{
    m_modules.push_back({object, table, counts});
    if (object == m_device) { m_totals.assign(table.size, 0); }
}

void device_runs::started(const std::string& device, std::uint64_t start_ps)
{
    if (device != m_device) { return; }
    run next;
    next.start_ps = start_ps;
    next.log = new_log(m_detail);
    next.log->reserve(m_expected);
    next.log->started(device, start_ps);
    if (m_excerpt_run == m_runs.size()) {
        m_excerpt = new_log(activity::log_detail::every_record);
        m_excerpt->keep_only(m_wanted);
        m_excerpt->started(device, start_ps);
    }
    m_runs.push_back(std::move(next));
}

void device_runs::clocked(const std::string& device, std::uint64_t period_ps)
{
    if (device != m_device) { return; }
    m_runs.back().log->clocked(device, period_ps);
    if (auto* log = excerpt_of_latest()) { log->clocked(device, period_ps); }
}

std::unique_ptr<activity::program_log> device_runs::new_log(activity::log_detail detail) const
{
    auto log = std::make_unique<activity::program_log>(m_device, detail);
    for (const auto& m : m_modules) { log->attach(m.object, m.events, m.counts); }
    return log;
}

void device_runs::take_excerpt(std::size_t number, std::function<bool(const bus::log_record&)> wanted)
{
    m_excerpt_run = number;
    m_wanted = std::move(wanted);
}

void device_runs::forget()
{
    m_runs.clear();
    m_totals.assign(m_totals.size(), 0);
    m_excerpt_run.reset();
    m_excerpt.reset();
}

activity::program_log* device_runs::excerpt_of_latest()
{
    return m_excerpt_run && *m_excerpt_run + 1 == m_runs.size() ? m_excerpt.get() : nullptr;
}

void device_runs::log(const std::string& device, const bus::log_record& record)
{
    if (device != m_device) { return; }
    for (std::size_t e = 0; e < m_totals.size(); ++e) { m_totals[e] += record.counts[e]; }
    m_runs.back().log->log(device, record);
    if (auto* log = excerpt_of_latest()) { log->log(device, record); }
}

void device_runs::freed(const std::string& device, const base::freed_cycles& cycles)
{
    if (device == m_device) { m_runs.back().log->freed(device, cycles); }
}

void device_runs::finished(const std::string& device, std::uint64_t cycles)
{
    if (device != m_device) { return; }
    m_runs.back().end_ps = bus::picoseconds(sc_core::sc_time_stamp());
    m_runs.back().log->finished(device, cycles);
    if (auto* log = excerpt_of_latest()) { log->finished(device, cycles); }
}

} // namespace tensorloom::testbench
