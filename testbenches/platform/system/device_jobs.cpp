#include "platform/system/device_jobs.h"
#include <utility>
#include <systemc>
#include <tensorloom/tlm/simulated_time.h>

namespace tensorloom::testbench {

device_jobs::device_jobs(std::string device, activity::log_detail detail, std::size_t expected_records)
    : m_device(std::move(device)), m_detail(detail), m_expected(expected_records)
{}

void device_jobs::attach(const std::string& object, const arch::event_table& table, const std::uint64_t* counts)
{
    m_modules.push_back({object, table, counts});
    if (object == m_device) { m_totals.assign(table.size, 0); }
}

void device_jobs::started(const std::string& device, std::uint64_t start_ps)
{
    if (device != m_device) { return; }
    job j;
    j.start_ps = start_ps;
    j.log = std::make_unique<activity::job_log>(device, m_detail);
    j.log->reserve(m_expected);
    for (const auto& m : m_modules) { j.log->attach(m.object, m.events, m.counts); }
    j.log->started(device, start_ps);
    m_jobs.push_back(std::move(j));
}

void device_jobs::log(const std::string& device, const bus::log_record& record)
{
    if (device != m_device) { return; }
    for (std::size_t e = 0; e < m_totals.size(); ++e) { m_totals[e] += record.counts[e]; }
    m_jobs.back().log->log(device, record);
}

void device_jobs::finished(const std::string& device, std::uint64_t cycles)
{
    if (device != m_device) { return; }
    m_jobs.back().end_ps = bus::picoseconds(sc_core::sc_time_stamp());
    m_jobs.back().log->finished(device, cycles);
}

} // namespace tensorloom::testbench
