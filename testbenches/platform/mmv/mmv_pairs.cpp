#include "platform/mmv/mmv_pairs.h"
#include <algorithm>
#include <limits>
#include <numeric>
#include <optional>
#include <utility>
#include <tensorloom/models/base/values/input_error.h>
#include "platform/mmv/mmv_report.h"
#include "platform/process/text.h"
#include "platform/system/waveform_file.h"

namespace tensorloom::testbench {
namespace {

constexpr const char* platform_name = "platform";

// Division of the memory: each pair has `own` bytes, pair i from i x `stride` on. Both are multiples of 4096.
struct memory_division {
    std::uint64_t own, stride;
};

// In a DRAM the pairs begin in different banks, as evenly spread as pages allow: at equal places in equal banks each
// would close the rows of the others.
memory_division division_of(std::uint64_t memory_bytes, std::size_t pairs, const platform_options& around)
{
    constexpr std::uint64_t page = 4096;
    std::uint64_t unit = page, step = 0;
    if (around.in_dram()) {
        const auto& dram = around.dram_config.organisation;
        const std::uint64_t all_banks = std::uint64_t{dram.channels} * dram.banks * dram.row_bytes();
        unit = std::max(page, all_banks / page * page);
        step = std::max(page, all_banks / pairs / page * page);
    }
    const std::uint64_t share = memory_bytes / pairs, own = share > step ? (share - step) / unit * unit : 0;
    return {own, own + step};
}

std::vector<std::string> device_names(std::size_t pairs)
{
    std::vector<std::string> names;
    for (std::size_t i = 0; i < pairs; ++i) {
        names.push_back(std::string(platform_name) + ".device_" + std::to_string(i));
    }
    return names;
}

} // namespace

void require_room_for_pairs(std::size_t pairs, const platform_options& around)
{
    const std::uint64_t bytes = around.dram_config.organisation.bytes();
    if (!around.in_dram() || division_of(bytes, pairs, around).own > session_memory::program_bytes) { return; }
    throw base::input_error("--dram: " + around.dram + " has " + grouped_text(bytes) + " bytes, expected more than " +
                            grouped_text(session_memory::program_bytes) + " for each of " + std::to_string(pairs) +
                            " pairs, the place of programs");
}

/// Also counts what the memory does from the first START to the last DONE.
class mmv_pairs::counting_activity : public shared_activity {
public:
    using shared_activity::shared_activity;

    void started(const std::string& device, std::uint64_t start_ps) override
    {
        if (m_at_start.empty()) { m_at_start = memory_counts(); }
        shared_activity::started(device, start_ps);
    }
    void finished(const std::string& device, std::uint64_t cycles) override
    {
        m_at_end = memory_counts();
        shared_activity::finished(device, cycles);
    }

    std::vector<std::uint64_t> in_between() const
    {
        std::vector<std::uint64_t> counts;
        for (std::size_t e = 0; e < m_at_end.size(); ++e) { counts.push_back(m_at_end[e] - m_at_start[e]); }
        return counts;
    }

    bus_memory* memory = nullptr; ///< before the simulation starts

private:
    std::vector<std::uint64_t> memory_counts()
    {
        memory->settle();
        const auto& found = *std::find_if(shared().begin(), shared().end(), [](const module_counts& module) {
            return module.object == std::string(platform_name) + ".memory";
        });
        return {found.counts, found.counts + found.events.size};
    }

    std::vector<std::uint64_t> m_at_start, m_at_end;
};

/// Where hosts wait for one another.
class mmv_pairs::barrier {
public:
    explicit barrier(std::size_t hosts) : m_hosts(hosts) {}

    void wait_for_all(bus::host_thread& cpu)
    {
        cpu.fence();
        if (++m_arrived < m_hosts) { return sc_core::wait(m_complete); }
        m_arrived = 0;
        m_complete.notify(sc_core::SC_ZERO_TIME);
    }

private:
    std::size_t m_hosts, m_arrived = 0;
    sc_core::sc_event m_complete;
};

mmv_pairs::mmv_pairs(std::size_t pairs, const mmv::config& device, const common_options& common,
                     std::uint64_t memory_bytes, activity::log_detail detail, program_type program)
    : m_device(device), m_common(common),
      m_address_trace(make_address_trace(common, platform_name, common.platform.in_dram())),
      m_activity(std::make_unique<counting_activity>(device_names(pairs), detail)),
      m_barrier(std::make_unique<barrier>(pairs)), m_memory_used(pairs)
{
    const std::uint64_t whole = common.platform.memory_bytes(pairs * memory_bytes);
    const auto [own, stride] = division_of(whole, pairs, common.platform);
    require_addresses("scratchpads", pairs * device.scratchpad_bytes, whole);
    std::vector<bus::host_thread::program_type> programs;
    for (std::size_t i = 0; i < pairs; ++i) {
        programs.emplace_back([this, i, bytes = own, at = memory_base + i * stride, program](bus::host_thread& cpu) {
            simulated_session<mmv::traits> session(cpu, device_base + i * device_stride, m_device, at, bytes);
            try {
                program(i, session, [&] { m_barrier->wait_for_all(cpu); });
            } catch (const workloads::program_error& e) {
                end_with(e, range_remedy(m_device));
            }
            m_memory_used[i] = session.used_bytes();
        });
    }
    m_platform = new testbed_platform<mmv::traits>( // NOLINT: a large array takes long to destroy
        platform_name, device, platform_config_of(common, whole, m_address_trace.get()), std::move(programs),
        m_activity.get());
    m_activity->memory = &m_platform->memory;
}

mmv_pairs::~mmv_pairs() = default;

std::size_t mmv_pairs::size() const { return m_activity->devices(); }

const device_runs& mmv_pairs::runs(std::size_t pair) const { return m_activity->runs(pair); }

process_usage mmv_pairs::run(const std::vector<watched_element>& watched)
{
    std::optional<waveform_file> waveform;
    if (m_common.vcd) {
        waveform.emplace(*m_common.vcd);
        for (std::size_t i = 0; i < size(); ++i) { m_platform->device_at(i).trace(waveform->trace(), watched); }
    }
    std::vector<const bus::host_thread*> hosts;
    for (const auto& host : m_platform->hosts()) { hosts.push_back(host.get()); }
    const auto usage = simulate(hosts);
    if (waveform) { waveform->close(); }
    if (m_address_trace) { m_address_trace->commit(); }
    return usage;
}

std::uint64_t mmv_pairs::memory_bytes() const
{
    return charged_memory_bytes(m_common.platform,
                                std::accumulate(m_memory_used.begin(), m_memory_used.end(), std::uint64_t{0}));
}

mmv_pairs_costs mmv_pairs::costs(const costs::technology& technology, const costs::energy_model& device) const
{
    const std::uint64_t period_ps = clock_period_ps(m_common);
    const double period_ns = static_cast<double>(period_ps) / 1000;
    std::uint64_t first = std::numeric_limits<std::uint64_t>::max(), end = 0;
    for (std::size_t i = 0; i < size(); ++i) {
        for (const auto& run : runs(i).all()) {
            first = std::min(first, run.start_ps / period_ps);
            end = std::max(end, run.end_ps / period_ps);
        }
    }
    mmv_pairs_costs found;
    auto& whole = found.whole;
    for (std::size_t i = 0; i < size(); ++i) {
        const auto& all = runs(i).all();
        costs_of_pair own{mmv_costs_of(runs(i), 0, all.size(), period_ns, {})};
        if (!all.empty()) {
            own.start_cycle = all.front().start_ps / period_ps - first;
            own.end_cycle = all.back().end_ps / period_ps - first;
        }
        add_costs(whole, own);
        whole.counts += own.counts;
        for (const auto& [name, cost] : own.instructions) {
            whole.instructions[name].instructions += cost.instructions;
            whole.instructions[name].cycles += cost.cycles;
        }
        found.each.push_back(std::move(own));
    }
    whole.cycles = end - first;
    whole.freed = whole.freed.in_run(whole.cycles, size());
    whole.cycles_by_cause = {{"all_pairs", 0}, {"some_pairs", 0}, {"hosts", 0}};
    for (const auto& i : m_activity->intervals(first, end, period_ps)) {
        const auto busy = static_cast<std::size_t>(std::count(i.busy.begin(), i.busy.end(), true));
        add_cause(whole.cycles_by_cause, busy == size() ? "all_pairs" : busy > 0 ? "some_pairs" : "hosts", i.cycles);
    }
    const double ns = static_cast<double>(whole.cycles) * period_ns;
    for (std::size_t i = 0; i < size(); ++i) {
        costs::add_energy(whole.energy, device, m_activity->totals(i).data(), ns);
    }
    costs::add_energy(whole.energy, memory_energy(m_common.platform, technology, memory_bytes()),
                      m_activity->in_between().data(), ns);
    return found;
}

die mmv_pairs::die_with(const costs::technology& technology, const costs::floor_plan& device) const
{
    std::vector<costs::floor_plan> plans(size(), device);
    plans.push_back(memory_plan(m_common.platform, technology, memory_bytes()));
    return die_of(technology, plans);
}

std::vector<base::counted_memory> mmv_pairs::counted_memories() const
{
    std::vector<base::counted_memory> all;
    for (std::size_t i = 0; i < size(); ++i) {
        for (auto memory : m_platform->device_at(i).counted_memories()) {
            memory.name = "pair_" + std::to_string(i) + "." + memory.name;
            all.push_back(std::move(memory));
        }
    }
    return all;
}

std::vector<device_programs> mmv_pairs::programs(const costs::energy_model& device, const std::string& job) const
{
    std::vector<device_programs> all;
    for (std::size_t i = 0; i < size(); ++i) {
        all.push_back(programs_of("pair_" + std::to_string(i), m_device, runs(i), {{runs(i).device(), device}}, {job}));
    }
    return all;
}

} // namespace tensorloom::testbench
