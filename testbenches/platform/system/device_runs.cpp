#include "platform/system/device_runs.h"
#include <utility>
#include <systemc>
#include <tensorloom/tlm/simulated_time.h>

namespace tensorloom::testbench {

device_runs::device_runs(std::string device, activity::log_detail detail, std::size_t expected_records)
    : m_device(std::move(device)), m_detail(detail), m_expected(expected_records)
{}

void device_runs::attach(const std::string& object, const arch::event_table& table, const std::uint64_t* counts)
{
    m_modules.push_back({object, table, counts});
    if (object == m_device) { m_totals.assign(table.size, 0); }
}

void device_runs::started(const std::string& device, std::uint64_t start_ps)
{
    if (device != m_device) { return; }
    run next;
    next.start_ps = start_ps;
    next.log = std::make_unique<activity::program_log>(device, m_detail);
    next.log->reserve(m_expected);
    for (const auto& m : m_modules) { next.log->attach(m.object, m.events, m.counts); }
    next.log->started(device, start_ps);
    m_runs.push_back(std::move(next));
}

void device_runs::log(const std::string& device, const bus::log_record& record)
{
    if (device != m_device) { return; }
    for (std::size_t e = 0; e < m_totals.size(); ++e) { m_totals[e] += record.counts[e]; }
    m_runs.back().log->log(device, record);
}

void device_runs::finished(const std::string& device, std::uint64_t cycles)
{
    if (device != m_device) { return; }
    m_runs.back().end_ps = bus::picoseconds(sc_core::sc_time_stamp());
    m_runs.back().log->finished(device, cycles);
}

} // namespace tensorloom::testbench
