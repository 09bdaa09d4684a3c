#include "soc/soc_activity.h"
#include <algorithm>
#include <set>
#include <systemc>
#include <tensorloom/tlm/simulated_time.h>

namespace tensorloom::testbench {
namespace {

std::uint64_t now_ps() { return bus::picoseconds(sc_core::sc_time_stamp()); }

} // namespace

soc_activity::soc_activity(const std::array<std::string, soc_devices>& devices, activity::log_detail detail)
    : m_detail(detail)
{
    for (std::size_t d = 0; d < soc_devices; ++d) { m_devices[d].name = devices[d]; }
}

soc_activity::device_activity* soc_activity::find(const std::string& device)
{
    for (auto& d : m_devices) {
        if (d.name == device) { return &d; }
    }
    return nullptr;
}

void soc_activity::attach(const std::string& object, const arch::event_table& table, const std::uint64_t* counts)
{
    for (auto& d : m_devices) {
        if (object == d.name) {
            d.modules.insert(d.modules.begin(), {object, table, counts});
            d.totals.assign(table.size, 0);
            return;
        }
        if (object.compare(0, d.name.size() + 1, d.name + ".") == 0) {
            d.modules.push_back({object, table, counts});
            return;
        }
    }
    m_shared.push_back({object, table, counts});
}

void soc_activity::started(const std::string& device, std::uint64_t start_ps)
{
    auto& d = *find(device);
    run r;
    r.start_ps = start_ps;
    r.log = std::make_unique<activity::job_log>(device, m_detail);
    for (const auto& m : d.modules) { r.log->attach(m.object, m.events, m.counts); }
    r.log->started(device, start_ps);
    d.runs.push_back(std::move(r));
}

void soc_activity::log(const std::string& device, const bus::log_record& record)
{
    auto& d = *find(device);
    for (std::size_t e = 0; e < d.totals.size(); ++e) { d.totals[e] += record.counts[e]; }
    d.runs.back().log->log(device, record);
}

void soc_activity::finished(const std::string& device, std::uint64_t cycles)
{
    auto& r = find(device)->runs.back();
    r.end_ps = now_ps();
    r.log->finished(device, cycles);
}

bool soc_activity::busy_at(std::size_t device, std::uint64_t ps) const
{
    const auto& all = m_devices[device].runs;
    return std::any_of(all.begin(), all.end(), [ps](const run& r) { return r.start_ps <= ps && ps < r.end_ps; });
}

std::vector<std::pair<std::string, std::uint64_t>> soc_activity::cycles_by_cause(std::uint64_t cycles,
                                                                                 std::uint64_t period_ps) const
{
    std::set<std::uint64_t> boundaries{0, cycles};
    for (const auto& d : m_devices) {
        for (const auto& r : d.runs) {
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
