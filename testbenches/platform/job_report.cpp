#include "platform/job_report.h"
#include <nlohmann/json.hpp>
#include <tensorloom/models/activity/activity_files.h>
#include <tensorloom/models/activity/trace_json.h>

namespace tensorloom::testbench {

using json = nlohmann::ordered_json;

std::string counted(std::uint64_t n, const char* one, const char* many)
{
    return grouped_text(n) + " " + (n == 1 ? one : many);
}

double ns_of(std::uint64_t cycles, const common_options& common)
{
    return static_cast<double>(cycles) * static_cast<double>(clock_period_ps(common)) / 1000;
}

void print_cycles(report_table& lines, const job_costs& costs)
{
    std::string causes;
    for (const auto& [cause, cycles] : costs.cycles_by_cause) {
        causes += (causes.empty() ? "" : ", ") + cause + " " + grouped_text(cycles);
    }
    lines.line("cycles",
               grouped_text(costs.cycles) + " (" + causes + ") in " + counted(costs.programs, "program", "programs"));
}

void print_time(report_table& lines, const job_costs& costs, const common_options& common)
{
    lines.line("time", quantity_text(ns_of(costs.cycles, common) * 1000, "s") + " at " +
                           number_text(1000.0 / static_cast<double>(clock_period_ps(common))) + " GHz");
}

json events_json(const arch::event_table& events, const std::uint64_t* counts)
{
    json found = json::object();
    for (std::size_t e = 0; e < events.size; ++e) { found[events.events[e].name] = counts[e]; }
    return found;
}

json cycles_json(const job_costs& costs, const common_options& common)
{
    json by_cause = json::object();
    for (const auto& [cause, cycles] : costs.cycles_by_cause) { by_cause[cause] = cycles; }
    return {{"programs", costs.programs},
            {"cycles", costs.cycles},
            {"cycles_by_cause", by_cause},
            {"simulated_time_ns", ns_of(costs.cycles, common)}};
}

void write_program_files(const output_directory& directory, const device_station& station,
                         const std::vector<activity::module_energy>& models, std::size_t mac_event,
                         double macs_per_cycle, const char* unit)
{
    std::vector<activity::energy_report> energies;
    energies.reserve(station.programs());
    std::vector<activity::tabled_job> tabled;
    std::vector<activity::traced_device> traced;
    for (const auto& job : station.jobs().jobs()) {
        const activity::job_log* log = job.log.get();
        const auto& energy = energies.emplace_back(*log, station.clock_period_ns(), models);
        tabled.push_back({"device", static_cast<unsigned>(tabled.size()), log, &energy});
        traced.push_back({log, &energy, {unit, [log, mac_event, macs_per_cycle](std::size_t record) {
                                             const auto macs = log->counts(record, 0)[mac_event];
                                             const auto cycles = log->records()[record].busy_cycles;
                                             return cycles == 0 ? 0
                                                                : static_cast<double>(macs) /
                                                                      (static_cast<double>(cycles) * macs_per_cycle);
                                         }}});
    }
    activity::write_latency_csv(directory.latency().string(), tabled);
    activity::write_energy_csv(directory.energy().string(), tabled);
    activity::write_trace_json(directory.trace().string(), traced);
}

} // namespace tensorloom::testbench
