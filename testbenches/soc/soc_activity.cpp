#include "soc/soc_activity.h"
#include <algorithm>
#include <set>

namespace tensorloom::testbench {

soc_activity::soc_activity(const std::array<std::string, soc_devices>& devices, activity::log_detail detail)
    : m_devices{device_runs(devices[0], detail), device_runs(devices[1], detail)}
{}

void soc_activity::attach(const std::string& object, const base::event_table& table, const std::uint64_t* counts)
{
    for (auto& d : m_devices) {
        if (object == d.device() || object.compare(0, d.device().size() + 1, d.device() + ".") == 0) {
            return d.attach(object, table, counts);
        }
    }
    m_shared.push_back({object, table, counts});
}

void soc_activity::started(const std::string& device, std::uint64_t start_ps)
{
    for (auto& d : m_devices) { d.started(device, start_ps); }
}

void soc_activity::log(const std::string& device, const bus::log_record& record)
{
    for (auto& d : m_devices) { d.log(device, record); }
}

void soc_activity::freed(const std::string& device, const base::freed_cycles& cycles)
{
    for (auto& d : m_devices) { d.freed(device, cycles); }
}

void soc_activity::finished(const std::string& device, std::uint64_t cycles)
{
    for (auto& d : m_devices) { d.finished(device, cycles); }
}

bool soc_activity::busy_at(std::size_t device, std::uint64_t ps) const
{
    const auto& all = runs(device).all();
    return std::any_of(all.begin(), all.end(),
                       [ps](const device_runs::run& r) { return r.start_ps <= ps && ps < r.end_ps; });
}

std::vector<std::pair<std::string, std::uint64_t>> soc_activity::cycles_by_cause(std::uint64_t cycles,
                                                                                 std::uint64_t period_ps) const
{
    std::set<std::uint64_t> boundaries{0, cycles};
    for (const auto& d : m_devices) {
        for (const auto& r : d.all()) {
            boundaries.insert(std::min(cycles, r.start_ps / period_ps));
            boundaries.insert(std::min(cycles, r.end_ps / period_ps));
        }
    }
    std::array<std::uint64_t, 4> spent{}; // by busy devices: bit 0 large, bit 1 small
    for (auto from = boundaries.begin(); std::next(from) != boundaries.end(); ++from) {
        const std::uint64_t middle = (*from + *std::next(from)) * period_ps / 2;
        const unsigned busy = (busy_at(large_device, middle) ? 1u : 0u) | (busy_at(small_device, middle) ? 2u : 0u);
        spent[busy] += *std::next(from) - *from;
    }
    return {{"both", spent[3]}, {"large alone", spent[1]}, {"small alone", spent[2]}, {"idle", spent[0]}};
}

} // namespace tensorloom::testbench
