#include "tucker/tucker_costs.h"
#include <algorithm>
#include <tensorloom/models/arch/costs/sram_energy.h>
#include <tensorloom/models/arch/triada/energy.h>
#include <tensorloom/models/arch/triada/events.h>

namespace tensorloom::testbench {

chain_costs& chain_costs::operator+=(const chain_costs& other)
{
    chains += other.chains;
    steps += other.steps;
    steps_skipped += other.steps_skipped;
    macs += other.macs;
    macs_skipped += other.macs_skipped;
    cycles += other.cycles;
    ns += other.ns;
    pj += other.pj;
    return *this;
}

tucker_costs::tucker_costs(const tucker_options& o, const arch::technology& technology, const device_jobs& jobs,
                           const tucker_result& result)
    : m_jobs(jobs), m_result(result)
{
    const double period_ns = static_cast<double>(clock_period_ps(o.common)) / 1000;
    const std::vector<activity::module_energy> models{
        {tucker_device_name,
         arch::triada::device_energy(technology, {o.chains.mesh, o.format, o.device.vertical_mode})},
        {tucker_memory_name, arch::sram_energy(technology, result.memory_bytes)}};
    for (std::size_t i = 0; i < result.chains.size(); ++i) {
        const auto& log = *jobs.jobs()[i].log;
        m_energies.emplace_back(log, period_ns, models);
        const auto counts = log.total_counts(0);
        const auto count = [&](arch::triada::event e) { return counts[static_cast<std::size_t>(e)]; };
        chain_costs c;
        c.chains = 1;
        c.steps = count(arch::triada::event::step);
        c.steps_skipped = count(arch::triada::event::step_skipped);
        c.macs = count(arch::triada::event::mac);
        c.macs_skipped = count(arch::triada::event::mac_skipped);
        c.cycles = result.chains[i].cycles;
        c.ns = static_cast<double>(c.cycles) * period_ns;
        c.pj = m_energies.back().total_pj();
        m_chains.push_back(c);
    }
}

chain_costs tucker_costs::sum(std::size_t first, std::size_t end) const
{
    chain_costs total;
    for (std::size_t i = first; i < end; ++i) { total += m_chains[i]; }
    return total;
}

chain_costs tucker_costs::iteration(std::size_t index) const
{
    return sum(index == 0 ? 0 : m_result.ends[index - 1], m_result.ends[index]);
}

chain_costs tucker_costs::decomposing() const { return sum(0, m_chains.size() - 2); }
chain_costs tucker_costs::compressing() const { return m_chains[m_chains.size() - 2]; }
chain_costs tucker_costs::expanding() const { return m_chains.back(); }
chain_costs tucker_costs::all() const { return sum(0, m_chains.size()); }

std::vector<std::pair<std::string, std::uint64_t>> tucker_costs::cycles_by_cause() const
{
    std::vector<std::pair<std::string, std::uint64_t>> causes;
    for (const auto& job : m_jobs.jobs()) {
        for (const auto& [cause, cycles] : job.log->cycles_by_cause()) {
            const std::string& name = cause;
            auto found = std::find_if(causes.begin(), causes.end(), [&](const auto& c) { return c.first == name; });
            if (found == causes.end()) { found = causes.insert(causes.end(), {name, 0}); }
            found->second += cycles;
        }
    }
    return causes;
}

std::vector<arch::component_energy> tucker_costs::components() const
{
    auto sum = m_energies.front().totals();
    for (std::size_t i = 1; i < m_energies.size(); ++i) {
        for (std::size_t c = 0; c < sum.size(); ++c) { sum[c].pj += m_energies[i].totals()[c].pj; }
    }
    return sum;
}

} // namespace tensorloom::testbench
