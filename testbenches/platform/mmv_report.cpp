#include "platform/mmv_report.h"
#include <nlohmann/json.hpp>
#include <tensorloom/models/activity/activity_files.h>
#include <tensorloom/models/activity/trace_json.h>
#include "platform/run_costs.h"

namespace tensorloom::testbench {
namespace {

using json = nlohmann::ordered_json;

std::string counted(std::uint64_t n, const char* one, const char* many)
{
    return grouped_text(n) + " " + (n == 1 ? one : many);
}

std::string of_peak(double value, double peak, const char* unit)
{
    return number_text(value) + " of " + number_text(peak) + " " + unit;
}

double ns_of(std::uint64_t cycles, const common_options& common)
{
    return static_cast<double>(cycles) * static_cast<double>(clock_period_ps(common)) / 1000;
}

mmv_roofline roofline_on(const mmv_costs& costs, const mmv_station& station)
{
    return roofline_of(costs, station.device().side, station.device().banks);
}

} // namespace

void print_mmv_ram(report_table& lines, const arch::mmv::mmv_ram_meter& m, unsigned word_bits)
{
    lines.line("model steps", grouped_text(m.steps()) + " (matrix unit " + grouped_text(m.mmu_steps) +
                                  ", vector unit " + grouped_text(m.vcu_steps) + ", scalar unit " +
                                  grouped_text(m.scalar_steps) + ")");
    lines.line("model work", counted(m.mmu_rows, "row", "rows") + ", " + grouped_text(m.mmu_macs) + " MACs, " +
                                 counted(m.weight_loads, "weight load", "weight loads") + ", " +
                                 grouped_text(m.vcu_elems) + " vector elements, " + grouped_text(m.vcu_circuit) +
                                 " gates (B = " + std::to_string(word_bits) + ")");
}

void print_tcu(report_table& lines, const arch::mmv::tcu_meter& m, std::uint64_t latency)
{
    lines.line("model time", grouped_text(m.time) + " (tensor unit " + grouped_text(m.tensor_time) + ", processor " +
                                 grouped_text(m.cpu_ops) + ") at l = " + grouped_text(latency));
    lines.line("model work", counted(m.calls, "call", "calls") + ", " + counted(m.rows, "row", "rows") + ", " +
                                 grouped_text(m.cpu_ops) + " operations");
}

void print_cycles(report_table& lines, const mmv_costs& costs, const mmv_station& station, const common_options& common)
{
    std::string causes;
    for (const auto& [cause, cycles] : costs.cycles_by_cause) {
        causes += (causes.empty() ? "" : ", ") + cause + " " + grouped_text(cycles);
    }
    lines.line("cycles",
               grouped_text(costs.cycles) + " (" + causes + ") in " + counted(costs.programs, "program", "programs"));
    if (station.device().overlap) {
        lines.line("overlap", grouped_text(costs.counts[arch::mmv::event::overlapped_cycle]) +
                                  " cycles of units beside others: an extension, not the papers' machine");
    }
    lines.line("time", quantity_text(ns_of(costs.cycles, common) * 1000, "s") + " at " +
                           number_text(1000.0 / static_cast<double>(clock_period_ps(common))) + " GHz");
}

void print_roofline(report_table& lines, const mmv_roofline& r)
{
    lines.line("MACs", of_peak(r.macs_per_cycle, r.peak_macs_per_cycle, "per cycle") + ", utilisation " +
                           number_text(100 * r.utilisation()) + " %");
    lines.line("scratchpad",
               of_peak(r.scratchpad_words_per_cycle, r.peak_scratchpad_words_per_cycle, "words per cycle") + ", " +
                   number_text(r.macs_per_scratchpad_word) + " MACs per word");
    lines.line("bus", of_peak(r.bus_bytes_per_cycle, r.peak_bus_bytes_per_cycle, "bytes per cycle") + ", " +
                          number_text(r.macs_per_bus_byte) + " MACs per byte");
}

json mmv_ram_json(const arch::mmv::mmv_ram_meter& m)
{
    return {{"steps", m.steps()},
            {"mmu_steps", m.mmu_steps},
            {"vcu_steps", m.vcu_steps},
            {"scalar_steps", m.scalar_steps},
            {"mmu_rows", m.mmu_rows},
            {"mmu_macs", m.mmu_macs},
            {"weight_loads", m.weight_loads},
            {"mmu_cycles", m.mmu_cycles},
            {"vcu_elems", m.vcu_elems},
            {"vcu_circuit", m.vcu_circuit}};
}

json tcu_json(const arch::mmv::tcu_meter& m)
{
    return {
        {"calls", m.calls}, {"rows", m.rows}, {"tensor_time", m.tensor_time}, {"cpu_ops", m.cpu_ops}, {"time", m.time}};
}

json roofline_json(const mmv_roofline& r)
{
    return {{"macs_per_cycle", r.macs_per_cycle},
            {"peak_macs_per_cycle", r.peak_macs_per_cycle},
            {"scratchpad_words_per_cycle", r.scratchpad_words_per_cycle},
            {"peak_scratchpad_words_per_cycle", r.peak_scratchpad_words_per_cycle},
            {"bus_bytes_per_cycle", r.bus_bytes_per_cycle},
            {"peak_bus_bytes_per_cycle", r.peak_bus_bytes_per_cycle},
            {"macs_per_scratchpad_word", r.macs_per_scratchpad_word},
            {"macs_per_bus_byte", r.macs_per_bus_byte}};
}

json instructions_json(const mmv_costs& costs)
{
    json list = json::object();
    for (const auto& [name, cost] : costs.instructions) {
        list[name] = {{"instructions", cost.instructions}, {"cycles", cost.cycles}};
    }
    return list;
}

json events_json(const arch::mmv::counts& counts)
{
    json events = json::object();
    for (std::size_t e = 0; e < arch::mmv::event_count; ++e) {
        events[arch::mmv::events.events[e].name] = counts.data()[e];
    }
    return events;
}

json costs_json(const mmv_costs& costs, const mmv_station& station, const common_options& common)
{
    json by_cause = json::object();
    for (const auto& [cause, cycles] : costs.cycles_by_cause) { by_cause[cause] = cycles; }
    const auto roofline = roofline_on(costs, station);
    return {{"programs", costs.programs},
            {"cycles", costs.cycles},
            {"cycles_by_cause", by_cause},
            {"simulated_time_ns", ns_of(costs.cycles, common)},
            {"macs", costs.counts[arch::mmv::event::mac]},
            {"utilisation", roofline.utilisation()},
            {"roofline", roofline_json(roofline)},
            {"instructions", instructions_json(costs)},
            {"events", events_json(costs.counts)},
            {"energy_pJ", energy_json(costs.energy)},
            {"energy_estimated", estimated(costs.energy)}};
}

void write_program_files(const output_directory& directory, const mmv_station& station, const common_options& common,
                         const std::vector<activity::module_energy>& models)
{
    const double period_ns = static_cast<double>(clock_period_ps(common)) / 1000;
    const double macs_per_row = static_cast<double>(station.device().side) * station.device().side;
    std::vector<activity::energy_report> energies;
    energies.reserve(station.programs());
    std::vector<activity::tabled_job> tabled;
    std::vector<activity::traced_device> traced;
    for (const auto& job : station.jobs().jobs()) {
        const activity::job_log* log = job.log.get();
        const auto& energy = energies.emplace_back(*log, period_ns, models);
        tabled.push_back({"device", static_cast<unsigned>(tabled.size()), log, &energy});
        traced.push_back({log, &energy, [log, macs_per_row](std::size_t record) {
                              const auto macs = log->counts(record, 0)[static_cast<std::size_t>(arch::mmv::event::mac)];
                              const auto cycles = log->records()[record].cycles;
                              return cycles == 0
                                         ? 0
                                         : static_cast<double>(macs) / (static_cast<double>(cycles) * macs_per_row);
                          }});
    }
    activity::write_latency_csv(directory.latency().string(), tabled);
    activity::write_energy_csv(directory.energy().string(), tabled);
    activity::write_trace_json(directory.trace().string(), traced);
}

} // namespace tensorloom::testbench
