#include "platform/run/shared_activity.h"
#include <algorithm>
#include <set>

namespace tensorloom::testbench {

shared_activity::shared_activity(const std::vector<std::string>& devices, activity::log_detail detail)
{
    for (const auto& device : devices) { m_devices.emplace_back(device, detail); }
}

void shared_activity::attach(const std::string& object, const base::event_table& table, const std::uint64_t* counts)
{
    for (auto& d : m_devices) {
        if (object == d.device() || object.compare(0, d.device().size() + 1, d.device() + ".") == 0) {
            return d.attach(object, table, counts);
        }
    }
    m_shared.push_back({object, table, counts});
}

void shared_activity::started(const std::string& device, std::uint64_t start_ps)
{
    for (auto& d : m_devices) { d.started(device, start_ps); }
}

void shared_activity::clocked(const std::string& device, std::uint64_t period_ps)
{
    for (auto& d : m_devices) { d.clocked(device, period_ps); }
}

void shared_activity::log(const std::string& device, const bus::log_record& record)
{
    for (auto& d : m_devices) { d.log(device, record); }
}

void shared_activity::freed(const std::string& device, const base::freed_cycles& cycles)
{
    for (auto& d : m_devices) { d.freed(device, cycles); }
}

void shared_activity::finished(const std::string& device, std::uint64_t cycles)
{
    for (auto& d : m_devices) { d.finished(device, cycles); }
}

std::vector<shared_activity::interval> shared_activity::intervals(std::uint64_t first, std::uint64_t end,
                                                                  std::uint64_t period_ps) const
{
    std::set<std::uint64_t> boundaries{first, end};
    for (const auto& d : m_devices) {
        for (const auto& r : d.all()) {
            boundaries.insert(std::clamp(r.start_ps / period_ps, first, end));
            boundaries.insert(std::clamp(r.end_ps / period_ps, first, end));
        }
    }
    const auto busy_at = [](const device_runs& runs, std::uint64_t ps) {
        return std::any_of(runs.all().begin(), runs.all().end(),
                           [ps](const device_runs::run& r) { return r.start_ps <= ps && ps < r.end_ps; });
    };
    std::vector<interval> all;
    for (auto from = boundaries.begin(); std::next(from) != boundaries.end(); ++from) {
        const std::uint64_t middle_ps = (*from + *std::next(from)) * period_ps / 2;
        all.push_back({*std::next(from) - *from, {}});
        for (const auto& d : m_devices) { all.back().busy.push_back(busy_at(d, middle_ps)); }
    }
    return all;
}

} // namespace tensorloom::testbench
