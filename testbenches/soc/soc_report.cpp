#include "soc/soc_report.h"
#include <algorithm>
#include <numeric>
#include <tensorloom/models/costs/sram_costs.h>
#include <tensorloom/models/triada/isa/events.h>

namespace tensorloom::testbench {
namespace {

const char* transport_name(bus::dma_transport transport)
{
    return transport == bus::dma_transport::blocking ? "lt" : "at";
}

std::uint64_t count_of(const shared_activity& activity, std::size_t device, triada::event event)
{
    return activity.totals(device)[static_cast<std::size_t>(event)];
}

std::uint64_t total_macs(const shared_activity& activity)
{
    return count_of(activity, large_device, triada::event::mac) + count_of(activity, small_device, triada::event::mac);
}

std::uint64_t sum(const std::vector<std::uint64_t>& all)
{
    return std::accumulate(all.begin(), all.end(), std::uint64_t{0});
}

double cells_of(const soc_job& job)
{
    return static_cast<double>(job.transform.shape[0] * job.transform.shape[1] * job.transform.shape[2]);
}

// Of both meshes, in the whole time; bound by what saves most of both devices' cycles.
void write_utilisation(run_report& report, const soc_options& o, const shared_activity& activity, std::uint64_t cycles)
{
    program_costs costs;
    array_use use{total_macs(activity), 0, 0, "cells"};
    double working = 0;
    for (std::size_t d = 0; d < soc_devices; ++d) {
        program_costs own;
        for (const auto& run : activity.runs(d).all()) {
            add_causes(own.cycles_by_cause, *run.log);
            add_traffic(costs, *run.log);
            costs.freed += run.log->freed();
        }
        use.macs_per_cycle += cells_of(o.jobs[d]);
        working += cells_of(o.jobs[d]) * static_cast<double>(own.cycles_of("compute"));
    }
    use.working_cycles = working / use.macs_per_cycle;
    costs.cycles = cycles;
    costs.freed = costs.freed.in_run(cycles, soc_devices);
    report.utilisation(costs, use, soc_devices);
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

// What an initiator was given, and what came of that where it had rivals.
std::string share_text(const soc_options& o, const bus::contested_traffic& contests, unsigned initiator)
{
    const bool weighted = o.arbitration == bus::arbitration_kind::weighted;
    std::string text;
    if (o.arbitration == bus::arbitration_kind::priority) {
        text = "priority " + std::to_string(o.ranks.priority(initiator)) + ", ";
    }
    if (weighted) { text = number_text(o.share_percent[initiator]) + " % asked for, "; }
    if (contests.bytes == 0) { return text + "no contested bytes"; }
    const auto percent = [&](double bytes) {
        return number_text(100 * bytes / static_cast<double>(contests.bytes)) + " %";
    };
    text +=
        percent(static_cast<double>(contests.won_bytes)) + " of " + grouped_text(contests.bytes) + " contested bytes";
    return text + (weighted ? ", " + percent(contests.due_bytes) + " due" : "");
}

// By initiator; null where calls are served as they come.
json shares_json(const soc_options& o, const soc_measured& m)
{
    if (!o.arbitrates()) { return nullptr; }
    const bool weighted = o.arbitration == bus::arbitration_kind::weighted;
    json all = json::object();
    for (std::size_t i = 0; i < soc_initiators.size(); ++i) {
        const auto& contests = m.contests[i];
        all[soc_initiators[i]] = {{"contested_bytes", contests.bytes},
                                  {"won_bytes", contests.won_bytes},
                                  {"due_bytes", weighted ? json(contests.due_bytes) : json(nullptr)}};
    }
    return all;
}

// What --priority or --share say, with every initiator; null with another arbitration.
template <class Values> json by_initiator_json(bool said, const Values& values)
{
    if (!said) { return nullptr; }
    json all = json::object();
    for (std::size_t i = 0; i < soc_initiators.size(); ++i) { all[soc_initiators[i]] = values[i]; }
    return all;
}

const shared_activity::module_counts& shared_module(const shared_activity& activity, const std::string& object)
{
    const auto& all = activity.shared();
    return *std::find_if(all.begin(), all.end(), [&](const auto& module) { return module.object == object; });
}

json shared_events_json(const shared_activity& activity, const std::string& object)
{
    const auto& module = shared_module(activity, object);
    return events_json(module.events, module.counts);
}

/// How much longer a job took than alone; none without a baseline.
std::optional<double> slowdown(const soc_measured& m, std::size_t d)
{
    if (!m.alone_cycles[d]) { return std::nullopt; }
    return static_cast<double>(m.end_cycles[d]) / static_cast<double>(*m.alone_cycles[d]);
}

json device_json(const soc_options& o, const soc_findings& f, const shared_activity& activity, std::size_t d)
{
    const auto& job = o.jobs[d];
    cause_list causes;
    for (const auto& run : activity.runs(d).all()) { add_causes(causes, *run.log); }
    json check = nullptr;
    if (f.check[d]) {
        check = {{"passed", f.check[d]->passed},
                 {"max_abs_error", f.check[d]->max_abs_error},
                 {"max_rel_error", f.check[d]->max_rel_error},
                 {"bound", f.check[d]->bound}};
    }
    return {{"shape", job.transform.shape},
            {"transform", transforms_text(job.transform)},
            {"runs", job.runs},
            {"run_cycles", f.measured.run_cycles[d]},
            {"cycles", sum(f.measured.run_cycles[d])},
            {"cycles_by_cause", causes_json(causes)},
            {"end_cycles", f.measured.end_cycles[d]},
            {"alone_cycles", or_null(f.measured.alone_cycles[d])},
            {"slowdown", or_null(slowdown(f.measured, d))},
            {"leaking_ns", o.power_gating ? json(f.measured.leaking_ns[d]) : json(nullptr)},
            {"macs", count_of(activity, d, triada::event::mac)},
            {"macs_skipped", count_of(activity, d, triada::event::mac_skipped)},
            {"events", events_json(triada::events, activity.totals(d).data())},
            {"check", check}};
}

json check_json(const soc_findings& f)
{
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

json configuration_json(const soc_options& o, const soc_findings& f)
{
    const auto& around = o.common.platform;
    json told = with_common_fields(
        {{"dram", around.dram},
         {"sram_bytes", f.measured.sram_bytes},
         {"sram_banks", o.sram_banks},
         {"quantum_ps", o.quantum_ps},
         {"transport", transport_name(o.transport)},
         {"arbitration", bus::arbitration_name(o.arbitration)},
         {"arbitration_has_effect", o.arbitrates()},
         {"priorities", by_initiator_json(o.arbitration == bus::arbitration_kind::priority, o.ranks.priorities)},
         {"share_percent", by_initiator_json(o.arbitration == bus::arbitration_kind::weighted, o.share_percent)},
         {"link_bytes_per_cycle", o.link_bytes},
         {"power_gating", o.power_gating},
         {"checkers", o.checkers},
         {"format", base::element_type_name(o.jobs[0].transform.format)}},
        o.common);
    told["memory_latency_cycles"] = around.memory_latency; // the SRAM is there wherever the data lies
    told["memory_ports"] = around.memory_ports;
    return told;
}

void print_device(run_report& report, const soc_options& o, const soc_findings& f, const shared_activity& activity,
                  std::size_t d)
{
    const auto& job = o.jobs[d];
    report.line(job.name + " device", shape_text(job.transform.shape) + ", " + transforms_text(job.transform) + ", " +
                                          std::string(base::element_type_name(job.transform.format)) + ", " +
                                          std::to_string(job.runs) + (job.runs == 1 ? " run" : " runs"));
    if (o.power_gating) {
        const double ns = ns_of(f.measured.cycles, o.common);
        report.line("  with supply",
                    quantity_text(f.measured.leaking_ns[d] * 1000, "s") + " of " + quantity_text(ns * 1000, "s"));
    }
    if (job.runs == 0) { return; }
    const auto& runs = f.measured.run_cycles[d];
    const auto [fastest, slowest] = std::minmax_element(runs.begin(), runs.end());
    report.line("  cycles of a run",
                grouped_text(*fastest) + (*fastest == *slowest ? "" : " to " + grouped_text(*slowest)));
    if (const auto slower = slowdown(f.measured, d)) {
        report.line("  slowdown", number_text(*slower) + ", done after " + grouped_text(f.measured.end_cycles[d]) +
                                      " cycles, alone after " + grouped_text(*f.measured.alone_cycles[d]));
    }
    report.line("  MACs done", grouped_text(count_of(activity, d, triada::event::mac)) + " (" +
                                   grouped_text(count_of(activity, d, triada::event::mac_skipped)) + " skipped)");
    if (f.check[d]) {
        report.line("  error", "max " + number_text(f.check[d]->max_abs_error) + " absolute, " +
                                   number_text(f.check[d]->max_rel_error) + " relative, against long double (bound " +
                                   number_text(f.check[d]->bound) + ")");
    }
}

// Router and memories.
void write_platform(run_report& report, const soc_options& o, const soc_findings& f, const shared_activity& activity,
                    double ns)
{
    const auto& m = f.measured;
    for (unsigned i = 0; i < m.initiators.size(); ++i) {
        const auto& p = m.initiators[i];
        report.line("from " + p.port, traffic_text(p.traffic));
        if (o.arbitrates() && p.traffic.transactions > 0) { report.line("  share", share_text(o, m.contests[i], i)); }
    }
    for (const auto& p : m.targets) {
        if (p.traffic.transactions > 0) { report.line("to " + p.port, traffic_text(p.traffic)); }
    }
    if (traffic_to(m, "sram").transactions > 0) {
        const auto* sram = shared_module(activity, "platform.sram").counts;
        const auto count = [&](costs::sram_event event) { return grouped_text(sram[static_cast<std::size_t>(event)]); };
        report.line("SRAM", count(costs::sram_event::port_conflict_cycle) + " cycles of waiting for ports, " +
                                count(costs::sram_event::bank_conflict_cycle) + " for banks");
    }
    const auto dram_bytes = static_cast<double>(traffic_to(m, "dram").bytes);
    if (dram_bytes > 0) {
        report.line("DRAM", number_text(dram_bytes / ns) + " GB/s of " + number_text(m.dram_peak_bytes_per_ns) +
                                " GB/s on average over the whole time");
    }
    report.fields({{"router",
                    {{"initiators", traffic_json(m.initiators)},
                     {"targets", traffic_json(m.targets)},
                     {"shares", shares_json(o, m)}}},
                   {"sram", shared_events_json(activity, "platform.sram")},
                   {"dram", shared_events_json(activity, "platform.dram")}});
}

// How far an initiator runs ahead, against what the router would otherwise interleave; without effect on devices that
// share no memory.
std::optional<std::string> quantum_warning(const soc_options& o)
{
    const auto& around = o.common.platform;
    const bool both_run = o.jobs[large_device].runs > 0 && o.jobs[small_device].runs > 0;
    const std::uint64_t cycles = (around.burst_bytes + around.bus_bytes_per_cycle() - 1) / around.bus_bytes_per_cycle();
    const std::uint64_t burst_ps = cycles * clock_period_ps(o.common);
    if (!both_run || around.memory == "split" || o.quantum_ps <= burst_ps) { return std::nullopt; }
    return "--quantum " + quantity_text(static_cast<double>(o.quantum_ps), "s") +
           " is longer than a burst of the DMA, " + quantity_text(static_cast<double>(burst_ps), "s") +
           ": the cycles of each device depend on it";
}

std::vector<std::string> warnings_of(const soc_options& o)
{
    std::vector<std::string> all;
    if (!o.arbitrates()) {
        all.push_back(std::string("--arbitration ") + bus::arbitration_name(o.arbitration) +
                      " has no effect with --transport lt and a quantum above 0, expected --quantum 0 or "
                      "--transport at");
    }
    if (o.arbitration == bus::arbitration_kind::weighted && o.link_bytes == 0) {
        all.push_back("--link 0 sets no bandwidth limit: --arbitration weighted only orders simultaneous requests");
    }
    if (auto longer = quantum_warning(o)) { all.push_back(std::move(*longer)); }
    return all;
}

// Cycles from time 0 on by the devices that run a program.
cause_list cycles_by_busy(const shared_activity& activity, std::uint64_t cycles, std::uint64_t period_ps)
{
    cause_list causes{{"both", 0}, {"large alone", 0}, {"small alone", 0}, {"idle", 0}};
    for (const auto& i : activity.intervals(0, cycles, period_ps)) {
        const bool large = i.busy[large_device], small = i.busy[small_device];
        add_cause(causes, large && small ? "both" : large ? "large alone" : small ? "small alone" : "idle", i.cycles);
    }
    return causes;
}

} // namespace

void write_report(run_report& report, const soc_options& o, const soc_findings& f, const shared_activity& activity)
{
    program_costs costs;
    costs.cycles = f.measured.cycles;
    costs.cycles_by_cause = cycles_by_busy(activity, costs.cycles, clock_period_ps(o.common));
    const double ns = ns_of(costs.cycles, o.common);
    const auto macs = total_macs(activity);
    report.begin("two TriADA devices, data in " + o.common.platform.memory + ", " + transport_name(o.transport) +
                     ", quantum " + quantity_text(static_cast<double>(o.quantum_ps), "s") + ", " +
                     (o.arbitrates() ? bus::arbitration_name(o.arbitration) : "calls in order of arrival") + ", " +
                     fidelity_name(o.common),
                 "tensorloom-soc-summary-2", configuration_json(o, f));
    const auto of_options = warnings_of(o);
    for (const auto& warning : of_options) { report.line("warning", warning); }
    if (o.common.check) { report["check"] = check_json(f); }
    for (std::size_t d = 0; d < soc_devices; ++d) { print_device(report, o, f, activity, d); }
    report.cycles(costs);
    report.time(ns);
    report["macs"] = macs;
    write_utilisation(report, o, activity, costs.cycles);
    report.fields({{"devices",
                    {{"large", device_json(o, f, activity, large_device)},
                     {"small", device_json(o, f, activity, small_device)}}}});
    write_platform(report, o, f, activity, ns);
    report.energy(f.energy, ns, f.on);
    for (const auto& warning : of_options) { report["warnings"].push_back(warning); }
    report.check(o.common.check ? std::optional(f.passed) : std::nullopt);
    report.simulation(f.measured.usage, macs);
}

} // namespace tensorloom::testbench
