#include "soc/soc_report.h"
#include <algorithm>
#include <deque>
#include <numeric>
#include <nlohmann/json.hpp>
#include <tensorloom/models/activity/activity_files.h>
#include <tensorloom/models/activity/trace_json.h>
#include <tensorloom/models/activity/transaction_files.h>
#include <tensorloom/models/arch/costs/sram_energy.h>
#include <tensorloom/models/arch/triada/energy.h>
#include <tensorloom/models/arch/triada/events.h>
#include "platform/report_table.h"
#include "platform/run_costs.h"
#include "platform/summary_file.h"
#include "platform/version.h"

namespace tensorloom::testbench {
namespace {
using json = nlohmann::ordered_json;

std::string shape_text(const workloads::shape3& s)
{
    return std::to_string(s[0]) + " x " + std::to_string(s[1]) + " x " + std::to_string(s[2]);
}

std::string transform_text(const transform_job& job)
{
    std::string text = workloads::transform_name(job.transforms[0]);
    for (std::size_t m = 1; m < 3; ++m) { text += "," + workloads::transform_name(job.transforms[m]); }
    return text;
}

const char* transport_name(bus::dma_transport transport)
{
    return transport == bus::dma_transport::blocking ? "lt" : "at";
}

std::uint64_t count_of(const soc_activity& activity, std::size_t device, arch::triada::event event)
{
    return activity.totals(device)[static_cast<std::size_t>(event)];
}

std::uint64_t total_macs(const soc_activity& activity)
{
    return count_of(activity, large_device, arch::triada::event::mac) +
           count_of(activity, small_device, arch::triada::event::mac);
}

std::uint64_t sum(const std::vector<std::uint64_t>& all)
{
    return std::accumulate(all.begin(), all.end(), std::uint64_t{0});
}

double elapsed_ns(const soc_options& o, const soc_measured& m)
{
    return static_cast<double>(m.cycles) * static_cast<double>(clock_period_ps(o.common)) / 1000;
}

/// MACs done of those that all cells could have done.
double utilisation(const soc_options& o, const soc_findings& f)
{
    double cells = 0;
    for (const auto& job : o.jobs) {
        cells += static_cast<double>(job.transform.shape[0] * job.transform.shape[1] * job.transform.shape[2]);
    }
    const double possible = cells * static_cast<double>(f.measured->cycles);
    return possible == 0 ? 0 : static_cast<double>(total_macs(*f.activity)) / possible;
}

std::string traffic_text(const bus::port_traffic& t)
{
    return grouped_text(t.transactions) + " transactions, " + grouped_text(t.bytes) + " bytes, " +
           grouped_text(t.contended) + " waited " + grouped_text(t.contention_cycles) + " cycles";
}

const bus::port_traffic& traffic_to(const soc_measured& m, const std::string& port)
{
    return std::find_if(m.targets.begin(), m.targets.end(), [&](const auto& p) { return p.port == port; })->traffic;
}

json traffic_json(const std::vector<soc_traffic>& ports)
{
    json all = json::object();
    for (const auto& p : ports) {
        all[p.port] = {{"transactions", p.traffic.transactions},
                       {"bytes", p.traffic.bytes},
                       {"contended", p.traffic.contended},
                       {"contention_cycles", p.traffic.contention_cycles}};
    }
    return all;
}

const soc_activity::module_counts& shared_module(const soc_activity& activity, const std::string& object)
{
    const auto& all = activity.shared();
    return *std::find_if(all.begin(), all.end(), [&](const auto& module) { return module.object == object; });
}

json events_json(const soc_activity& activity, const std::string& object)
{
    const auto& module = shared_module(activity, object);
    json events = json::object();
    for (std::size_t e = 0; e < module.events.size; ++e) { events[module.events.events[e].name] = module.counts[e]; }
    return events;
}

json device_json(const soc_options& o, const soc_findings& f, std::size_t d)
{
    const auto& job = o.jobs[d];
    json causes = json::object();
    for (const auto& run : f.activity->runs(d)) {
        for (const auto& [cause, cycles] : run.log->cycles_by_cause()) {
            causes[cause] = causes.value(cause, std::uint64_t{0}) + cycles;
        }
    }
    json events = json::object();
    for (std::size_t e = 0; e < arch::triada::events.size; ++e) {
        events[arch::triada::events.events[e].name] = f.activity->totals(d)[e];
    }
    json check = nullptr;
    if (f.check[d]) {
        check = {{"passed", f.check[d]->passed},
                 {"max_abs_error", f.check[d]->max_abs_error},
                 {"max_rel_error", f.check[d]->max_rel_error},
                 {"bound", f.check[d]->bound}};
    }
    return {{"shape", job.transform.shape},
            {"transform", transform_text(job.transform)},
            {"runs", job.runs},
            {"run_cycles", f.measured->run_cycles[d]},
            {"cycles", sum(f.measured->run_cycles[d])},
            {"cycles_by_cause", causes},
            {"macs", count_of(*f.activity, d, arch::triada::event::mac)},
            {"macs_skipped", count_of(*f.activity, d, arch::triada::event::mac_skipped)},
            {"events", events},
            {"check", check}};
}

json check_json(const soc_options& o, const soc_findings& f)
{
    json check = {{"passed", nullptr}, {"max_abs_error", nullptr}, {"max_rel_error", nullptr}, {"reference", nullptr}};
    if (!o.common.check) { return check; }
    double abs_error = 0;
    double rel_error = 0;
    for (const auto& c : f.check) {
        if (!c) { continue; }
        abs_error = std::max(abs_error, c->max_abs_error);
        rel_error = std::max(rel_error, c->max_rel_error);
    }
    return {{"passed", f.passed},
            {"max_abs_error", abs_error},
            {"max_rel_error", rel_error},
            {"reference", "three sums, stage by stage, in long double; every run of a job gives the same bits"}};
}

json summary_of(const soc_options& o, const soc_findings& f)
{
    const auto& m = *f.measured;
    json configuration = {{"memory", soc_memory_name(o.memory)},
                          {"dram", o.dram},
                          {"sram_bytes", m.sram_bytes},
                          {"sram_ports", o.sram_ports},
                          {"sram_banks", o.sram_banks},
                          {"quantum_ps", o.quantum_ps},
                          {"transport", transport_name(o.transport)},
                          {"outstanding", o.outstanding},
                          {"arbitration", bus::arbitration_name(o.arbitration)},
                          {"link_bytes_per_cycle", o.link_bytes},
                          {"checkers", o.checkers},
                          {"format", arch::element_type_name(o.jobs[0].transform.format)},
                          {"fidelity", o.common.detailed ? "detailed" : "fast"},
                          {"technology", o.common.technology},
                          {"clock_period_ps", clock_period_ps(o.common)},
                          {"burst_bytes", o.common.burst_bytes},
                          {"seed", o.common.seed}};
    for (const auto& [name, text] : o.given) { configuration["options"][name] = text; }
    json causes = json::object();
    for (const auto& [cause, cycles] : f.activity->cycles_by_cause(m.cycles, clock_period_ps(o.common))) {
        causes[cause] = cycles;
    }
    return {{"schema", "tensorloom-soc-summary-1"},
            {"testbench", "soc"},
            {"version", version()},
            {"configuration", configuration},
            {"check", check_json(o, f)},
            {"cycles", m.cycles},
            {"cycles_by_cause", causes},
            {"simulated_time_ns", elapsed_ns(o, m)},
            {"macs", total_macs(*f.activity)},
            {"utilisation", utilisation(o, f)},
            {"devices", {{"large", device_json(o, f, large_device)}, {"small", device_json(o, f, small_device)}}},
            {"router", {{"initiators", traffic_json(m.initiators)}, {"targets", traffic_json(m.targets)}}},
            {"sram", events_json(*f.activity, "platform.sram")},
            {"dram", events_json(*f.activity, "platform.dram")},
            {"energy_pJ", energy_json(f.energy)},
            {"energy_estimated", estimated(f.energy)},
            {"simulation", usage_json(m.usage, total_macs(*f.activity))}};
}

} // namespace

void print_table(std::ostream& out, const soc_options& o, const soc_findings& f)
{
    const auto& m = *f.measured;
    const double ns = elapsed_ns(o, m);
    report_table lines(out);
    out << "soc: two TriADA devices, data in " << soc_memory_name(o.memory) << ", " << transport_name(o.transport)
        << ", quantum " << quantity_text(static_cast<double>(o.quantum_ps), "s") << ", "
        << bus::arbitration_name(o.arbitration) << ", " << (o.common.detailed ? "detailed" : "fast") << "\n";
    for (std::size_t d = 0; d < soc_devices; ++d) {
        const auto& job = o.jobs[d];
        lines.line(job.name + " device", shape_text(job.transform.shape) + ", " + transform_text(job.transform) + ", " +
                                             std::string(arch::element_type_name(job.transform.format)) + ", " +
                                             std::to_string(job.runs) + (job.runs == 1 ? " run" : " runs"));
        if (job.runs == 0) { continue; }
        const auto& runs = m.run_cycles[d];
        const auto [fastest, slowest] = std::minmax_element(runs.begin(), runs.end());
        lines.line("  cycles of a run", *fastest == *slowest
                                            ? grouped_text(*fastest)
                                            : grouped_text(*fastest) + " to " + grouped_text(*slowest));
        lines.line("  MACs done", grouped_text(count_of(*f.activity, d, arch::triada::event::mac)) + " (" +
                                      grouped_text(count_of(*f.activity, d, arch::triada::event::mac_skipped)) +
                                      " skipped)");
        if (f.check[d]) {
            lines.line("  error", "max " + number_text(f.check[d]->max_abs_error) + " absolute, " +
                                      number_text(f.check[d]->max_rel_error) +
                                      " relative, against long double (bound " + number_text(f.check[d]->bound) + ")");
        }
    }
    std::string causes;
    for (const auto& [cause, cycles] : f.activity->cycles_by_cause(m.cycles, clock_period_ps(o.common))) {
        causes += (causes.empty() ? "" : ", ") + cause + " " + grouped_text(cycles);
    }
    lines.line("cycles", grouped_text(m.cycles) + " (" + causes + ")");
    lines.line("time", quantity_text(ns * 1000, "s") + " at " +
                           number_text(1000.0 / static_cast<double>(clock_period_ps(o.common))) + " GHz");
    lines.line("utilisation", number_text(100 * utilisation(o, f)) + " % of all cells, over the whole time");
    for (const auto& p : m.initiators) { lines.line("from " + p.port, traffic_text(p.traffic)); }
    for (const auto& p : m.targets) {
        if (p.traffic.transactions > 0) { lines.line("to " + p.port, traffic_text(p.traffic)); }
    }
    if (traffic_to(m, "sram").transactions > 0) {
        const auto* sram = shared_module(*f.activity, "platform.sram").counts;
        const auto count = [&](arch::sram_event event) { return grouped_text(sram[static_cast<std::size_t>(event)]); };
        lines.line("SRAM", count(arch::sram_event::port_conflict_cycle) + " cycles of waiting for ports, " +
                               count(arch::sram_event::bank_conflict_cycle) + " for banks");
    }
    const auto dram_bytes = static_cast<double>(traffic_to(m, "dram").bytes);
    if (dram_bytes > 0) {
        lines.line("DRAM", number_text(dram_bytes / ns) + " GB/s of " + number_text(m.dram_peak_bytes_per_ns) +
                               " GB/s on average over the whole time");
    }
    print_energy(lines, f.energy);
    lines.line("check", !o.common.check ? "not done (--no-check)" : f.passed ? "passed" : "FAILED");
    print_usage(lines, m.usage, total_macs(*f.activity));
}

void write_files(const output_directory& directory, const soc_options& o, const soc_findings& f,
                 const arch::technology& technology)
{
    const double period_ns = static_cast<double>(clock_period_ps(o.common)) / 1000;
    std::deque<activity::energy_report> energies;
    std::vector<activity::tabled_job> tables;
    std::vector<activity::traced_device> traces;
    for (std::size_t d = 0; d < soc_devices; ++d) {
        const auto model = device_energy(o, technology, d);
        unsigned number = 0;
        for (const auto& run : f.activity->runs(d)) {
            const auto& energy = energies.emplace_back(
                *run.log, period_ns, std::vector<activity::module_energy>{{soc_device_names[d], model}});
            tables.push_back({o.jobs[d].name, number++, run.log.get(), &energy});
            traces.push_back({run.log.get(), &energy, {}});
        }
    }
    activity::write_latency_csv(directory.latency().string(), tables);
    activity::write_energy_csv(directory.energy().string(), tables);
    activity::write_trace_json(directory.trace().string(), traces, f.transactions);
    activity::write_transactions_csv(directory.file("transactions.csv").string(), *f.transactions);
    activity::write_traffic_csv(directory.file("traffic.csv").string(), *f.transactions);
    write_summary(directory.summary(), summary_of(o, f));
}

} // namespace tensorloom::testbench
