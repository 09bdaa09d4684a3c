#include "platform/mmv_costs.h"
#include <algorithm>
#include <iterator>
#include <tensorloom/models/arch/mmv/opcode.h>
#include <tensorloom/tlm/dma_events.h>

namespace tensorloom::testbench {
namespace {

constexpr unsigned bus_bytes_per_cycle = 64; // the DMA port of a device_platform

void add_causes(mmv_costs& costs, const activity::job_log& log)
{
    for (const auto& [cause, cycles] : log.cycles_by_cause()) {
        const std::string& name = cause;
        auto found = std::find_if(costs.cycles_by_cause.begin(), costs.cycles_by_cause.end(),
                                  [&](const auto& c) { return c.first == name; });
        if (found == costs.cycles_by_cause.end()) { found = costs.cycles_by_cause.insert(found, {name, 0}); }
        found->second += cycles;
    }
}

// Steps of the models: an instruction counts one of them, in one of its records.
std::uint64_t steps_of(const std::uint64_t* counts)
{
    const auto count = [&](arch::mmv::event e) { return counts[static_cast<std::size_t>(e)]; };
    return count(arch::mmv::event::matmul_call) + count(arch::mmv::event::vector_instruction) +
           count(arch::mmv::event::scalar_instruction);
}

void add_instructions(mmv_costs& costs, const activity::job_log& log)
{
    for (std::size_t r = 0; r < log.records().size(); ++r) {
        const auto& record = log.records()[r];
        const auto* known = std::find_if(std::begin(arch::mmv::instructions), std::end(arch::mmv::instructions),
                                         [&](const arch::mmv::instruction& i) { return record.phase == i.name; });
        if (known == std::end(arch::mmv::instructions)) { continue; }
        auto& entry = costs.instructions[known->name];
        entry.instructions += steps_of(log.counts(r, 0));
        entry.cycles += record.cycles;
    }
}

void add_counts(mmv_costs& costs, const activity::job_log& log)
{
    const auto own = log.total_counts(0);
    for (std::size_t e = 0; e < arch::mmv::event_count; ++e) { costs.counts.data()[e] += own[e]; }
    for (std::size_t m = 1; m < log.modules().size(); ++m) {
        if (log.modules()[m].events.events != bus::dma_events.events) { continue; }
        const auto counts = log.total_counts(m);
        costs.bus_bytes += counts[static_cast<std::size_t>(bus::dma_event::read_byte)] +
                           counts[static_cast<std::size_t>(bus::dma_event::write_byte)];
    }
}

void add_energy(mmv_costs& costs, const activity::energy_report& energy)
{
    if (costs.energy.empty()) {
        costs.energy = energy.totals();
        return;
    }
    for (std::size_t c = 0; c < costs.energy.size(); ++c) {
        costs.energy[c].pj += energy.totals()[c].pj;
        costs.energy[c].estimate = costs.energy[c].estimate || energy.totals()[c].estimate;
    }
}

double ratio(std::uint64_t a, std::uint64_t b) { return b == 0 ? 0 : static_cast<double>(a) / static_cast<double>(b); }

} // namespace

double mmv_costs::pj_of(const std::string& component) const
{
    const auto found =
        std::find_if(energy.begin(), energy.end(), [&](const auto& e) { return e.component == component; });
    return found == energy.end() ? 0 : found->pj;
}

mmv_costs costs_of(const device_jobs& jobs, std::size_t first, std::size_t end, double clock_period_ns,
                   const std::vector<activity::module_energy>& models)
{
    mmv_costs costs;
    for (std::size_t j = first; j < end; ++j) {
        const auto& log = *jobs.jobs()[j].log;
        ++costs.programs;
        costs.cycles += log.cycles();
        add_causes(costs, log);
        add_instructions(costs, log);
        add_counts(costs, log);
        add_energy(costs, activity::energy_report(log, clock_period_ns, models));
    }
    return costs;
}

mmv_roofline roofline_of(const mmv_costs& costs, unsigned side, unsigned banks)
{
    const std::uint64_t macs = costs.counts[arch::mmv::event::mac];
    const std::uint64_t words =
        costs.counts[arch::mmv::event::scratchpad_read] + costs.counts[arch::mmv::event::scratchpad_write];
    mmv_roofline r;
    r.macs_per_cycle = ratio(macs, costs.cycles);
    r.peak_macs_per_cycle = static_cast<double>(side) * side;
    r.scratchpad_words_per_cycle = ratio(words, costs.cycles);
    r.peak_scratchpad_words_per_cycle = 2.0 * banks;
    r.bus_bytes_per_cycle = ratio(costs.bus_bytes, costs.cycles);
    r.peak_bus_bytes_per_cycle = bus_bytes_per_cycle;
    r.macs_per_scratchpad_word = ratio(macs, words);
    r.macs_per_bus_byte = ratio(macs, costs.bus_bytes);
    return r;
}

} // namespace tensorloom::testbench
