#include "platform/run/program_costs.h"
#include <algorithm>
#include <tensorloom/tlm/dma_engine.h>

namespace tensorloom::testbench {
namespace {

// `counts_of`: of a module of the log.
template <class CountsOf>
void add_traffic(program_costs& costs, const activity::program_log& log, const CountsOf& counts_of)
{
    for (std::size_t m = 1; m < log.modules().size(); ++m) {
        if (log.modules()[m].events.events != bus::dma_events.events) { continue; }
        const auto& counts = counts_of(m);
        costs.bus_read_bytes += counts[static_cast<std::size_t>(bus::dma_event::read_byte)];
        costs.bus_written_bytes += counts[static_cast<std::size_t>(bus::dma_event::write_byte)];
        costs.bus_stalled_cycles += counts[static_cast<std::size_t>(bus::dma_event::stalled_cycle)];
    }
}

void add_energy(program_costs& costs, const std::vector<costs::component_energy>& energy)
{
    if (costs.energy.empty()) {
        costs.energy = energy;
        return;
    }
    for (std::size_t c = 0; c < costs.energy.size(); ++c) {
        costs.energy[c].pj += energy[c].pj;
        costs.energy[c].more_pj += energy[c].more_pj;
        costs.energy[c].estimate = costs.energy[c].estimate || energy[c].estimate;
    }
}

} // namespace

void add_cause(cause_list& causes, std::string_view cause, std::uint64_t cycles)
{
    auto found = std::find_if(causes.begin(), causes.end(), [&](const auto& c) { return c.first == cause; });
    if (found == causes.end()) { found = causes.insert(found, {std::string(cause), 0}); }
    found->second += cycles;
}

void add_causes(cause_list& causes, const activity::program_log& log)
{
    for (const auto& [cause, cycles] : log.cycles_by_cause()) { add_cause(causes, cause, cycles); }
}

void add_traffic(program_costs& costs, const activity::program_log& log)
{
    add_traffic(costs, log, [&](std::size_t module) { return log.total_counts(module); });
}

void add_program(program_costs& costs, const activity::program_log& log, const activity::energy_report& energy)
{
    ++costs.programs;
    costs.cycles += log.cycles();
    add_causes(costs.cycles_by_cause, log);
    costs.freed += log.freed();
    add_traffic(costs, log);
    add_energy(costs, energy.totals());
}

void add_costs(program_costs& costs, const program_costs& others)
{
    costs.programs += others.programs;
    costs.cycles += others.cycles;
    for (const auto& [cause, cycles] : others.cycles_by_cause) { add_cause(costs.cycles_by_cause, cause, cycles); }
    costs.freed += others.freed;
    costs.bus_read_bytes += others.bus_read_bytes;
    costs.bus_written_bytes += others.bus_written_bytes;
    costs.bus_stalled_cycles += others.bus_stalled_cycles;
    add_energy(costs, others.energy);
}

std::size_t command_number(const activity::phase_record& record, std::size_t commands)
{
    const std::size_t last = commands - 1;
    return record.cause == "other" ? last : std::min<std::size_t>(record.command, last);
}

void add_record(program_costs& costs, const activity::program_log& log, std::size_t record,
                const activity::energy_report& energy)
{
    const auto& of = log.records()[record];
    costs.cycles += of.cycles;
    add_cause(costs.cycles_by_cause, of.cause, of.cycles);
    add_traffic(costs, log, [&](std::size_t module) { return log.counts(record, module); });
    if (costs.energy.empty()) {
        for (const auto& c : energy.totals()) { costs.energy.push_back({c.component, 0, c.estimate}); }
    }
    for (std::size_t c = 0; c < costs.energy.size(); ++c) { costs.energy[c].pj += energy.record_pj(record)[c]; }
}

std::uint64_t program_costs::cycles_of(const std::string& cause) const
{
    const auto found =
        std::find_if(cycles_by_cause.begin(), cycles_by_cause.end(), [&](const auto& c) { return c.first == cause; });
    return found == cycles_by_cause.end() ? 0 : found->second;
}

double program_costs::pj_of(const std::string& component) const
{
    const auto found =
        std::find_if(energy.begin(), energy.end(), [&](const auto& e) { return e.component == component; });
    return found == energy.end() ? 0 : found->pj;
}

program_costs program_costs_of(const device_runs& runs, std::size_t first, std::size_t end, double clock_period_ns,
                               const std::vector<activity::module_energy>& models)
{
    program_costs costs;
    for (std::size_t j = first; j < end; ++j) {
        const auto& log = *runs.all()[j].log;
        add_program(costs, log, activity::energy_report(log, clock_period_ns, models));
    }
    return costs;
}

void add_device_counts(const device_runs& runs, std::size_t first, std::size_t end, std::uint64_t* counts)
{
    for (std::size_t j = first; j < end; ++j) {
        const auto own = runs.all()[j].log->total_counts(0);
        for (std::size_t e = 0; e < own.size(); ++e) { counts[e] += own[e]; }
    }
}

} // namespace tensorloom::testbench
