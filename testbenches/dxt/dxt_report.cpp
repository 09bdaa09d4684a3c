#include "dxt/dxt_report.h"
#include <algorithm>
#include <nlohmann/json.hpp>
#include <tensorloom/models/activity/activity_files.h>
#include <tensorloom/models/activity/trace_json.h>
#include <tensorloom/models/arch/triada_events.h>
#include "platform/report_table.h"
#include "platform/summary_file.h"
#include "platform/version.h"

namespace tensorloom::testbench {
namespace {

using arch::triada_event;
using json = nlohmann::ordered_json;

std::uint64_t count_of(const std::uint64_t* counts, triada_event event)
{
    return counts[static_cast<std::size_t>(event)];
}

std::string shape_text(std::size_t a, std::size_t b, std::size_t c)
{
    return std::to_string(a) + " x " + std::to_string(b) + " x " + std::to_string(c);
}

struct totals {
    stage_totals all;
    double active_cells = 0;
    double mesh_cells = 0;
    double utilisation = 0;
    double mesh_utilisation = 0;
};

totals total_of(const dxt_options& o, const std::array<stage_totals, 3>& stages)
{
    totals t;
    for (const auto& s : stages) {
        t.all.steps += s.steps;
        t.all.steps_skipped += s.steps_skipped;
        t.all.coefficient_sends += s.coefficient_sends;
        t.all.operand_sends += s.operand_sends;
        t.all.macs += s.macs;
        t.all.macs_skipped += s.macs_skipped;
    }
    t.active_cells = static_cast<double>(o.shape[0] * o.shape[1] * o.shape[2]);
    t.mesh_cells = static_cast<double>(o.mesh[0]) * o.mesh[1] * o.mesh[2];
    const double steps = static_cast<double>(t.all.steps);
    t.utilisation = steps == 0 ? 0 : static_cast<double>(t.all.macs) / (steps * t.active_cells);
    t.mesh_utilisation = steps == 0 ? 0 : static_cast<double>(t.all.macs) / (steps * t.mesh_cells);
    return t;
}

std::string transform_text(const dxt_options& o)
{
    std::string text = workloads::transform_name(o.transforms[0]);
    for (std::size_t m = 1; m < 3; ++m) { text += "," + workloads::transform_name(o.transforms[m]); }
    return text;
}

json energy_json(const activity::energy_report& energy)
{
    json j = {{"total", energy.total_pj()}};
    for (const auto& c : energy.totals()) { j[c.component] = c.pj; }
    return j;
}

json check_json(const dxt_findings& f)
{
    if (!f.check) {
        return {{"passed", nullptr}, {"max_abs_error", nullptr}, {"max_rel_error", nullptr}, {"reference", nullptr}};
    }
    return {{"passed", f.check->passed},
            {"finite", f.check->finite},
            {"max_abs_error", f.check->max_abs_error},
            {"max_rel_error", f.check->max_rel_error},
            {"bound", f.check->bound},
            {"reference", "three sums, stage by stage, in long double"}};
}

} // namespace

std::array<stage_totals, 3> stages_of(const activity::job_log& log, const std::array<unsigned, 3>& order)
{
    std::array<stage_totals, 3> stages;
    static constexpr std::string_view names[] = {"stage_1", "stage_2", "stage_3"};
    for (std::size_t s = 0; s < 3; ++s) {
        stages[s].mode = order[s];
        for (std::size_t i = 0; i < log.records().size(); ++i) {
            if (log.records()[i].phase != names[s]) { continue; }
            const std::uint64_t* counts = log.counts(i, 0);
            stages[s].steps += count_of(counts, triada_event::step);
            stages[s].steps_skipped += count_of(counts, triada_event::step_skipped);
            stages[s].coefficient_sends += count_of(counts, triada_event::coefficient_send);
            stages[s].operand_sends += count_of(counts, triada_event::operand_send);
            stages[s].macs += count_of(counts, triada_event::mac);
            stages[s].macs_skipped += count_of(counts, triada_event::mac_skipped);
        }
    }
    return stages;
}

void print_table(std::ostream& out, const dxt_options& o, const dxt_findings& f)
{
    const auto stages = stages_of(*f.log, o.order);
    const totals t = total_of(o, stages);
    const double ns = static_cast<double>(f.cycles) * static_cast<double>(f.clock_period_ps) / 1000;
    report_table lines(out);
    out << "dxt: " << (o.inverse ? "inverse " : "") << transform_text(o) << ", "
        << shape_text(o.shape[0], o.shape[1], o.shape[2])
        << (o.batch > 1 ? ", batch of " + std::to_string(o.batch) : "") << ", " << arch::element_type_name(o.format)
        << ", " << (o.esop ? "ESOP" : "dense") << ", " << (o.common.detailed ? "detailed" : "fast") << "\n";
    lines.line("mesh", shape_text(o.mesh[0], o.mesh[1], o.mesh[2]) + " cells");
    lines.line("time-steps", grouped_text(t.all.steps) + " (" + grouped_text(t.all.steps_skipped) + " rows skipped)");
    std::string causes;
    for (const auto& [cause, cycles] : f.log->cycles_by_cause()) {
        causes += (causes.empty() ? "" : ", ") + cause + " " + grouped_text(cycles);
    }
    lines.line("cycles", grouped_text(f.cycles) + " (" + causes + ")");
    lines.line("time", quantity_text(ns * 1000, "s") + " at " +
                           number_text(1000.0 / static_cast<double>(f.clock_period_ps)) + " GHz");
    lines.line("MACs done", grouped_text(t.all.macs));
    lines.line("MACs skipped", grouped_text(t.all.macs_skipped));
    lines.line("utilisation", number_text(100 * t.utilisation) + " % of active cells, " +
                                  number_text(100 * t.mesh_utilisation) + " % of the mesh");
    for (std::size_t s = 0; s < 3; ++s) {
        lines.line("stage " + std::to_string(s + 1) + ", mode " + std::to_string(stages[s].mode),
                   grouped_text(stages[s].steps) + " steps, " + grouped_text(stages[s].coefficient_sends) +
                       " coefficient sends, " + grouped_text(stages[s].operand_sends) + " operand sends, " +
                       grouped_text(stages[s].macs) + " MACs");
    }
    const auto estimated = f.energy->estimated();
    const auto mark = [&](const std::string& name) {
        return std::find(estimated.begin(), estimated.end(), name) == estimated.end() ? "" : " (estimate)";
    };
    lines.line("energy", quantity_text(f.energy->total_pj(), "J") + mark("total"));
    for (const auto& c : f.energy->totals()) {
        lines.line("  " + c.component, quantity_text(c.pj, "J") + mark(c.component));
    }
    if (f.kept) { lines.line("kept", grouped_text(*f.kept) + " elements of largest modulus"); }
    if (!f.check) {
        lines.line("check", "not done (--no-check)");
    } else {
        lines.line("error", "max " + number_text(f.check->max_abs_error) + " absolute, " +
                                number_text(f.check->max_rel_error) + " relative, against long double (bound " +
                                number_text(f.check->bound) + ")");
        if (!f.check->finite) {
            lines.line("non-finite data", "elements without a finite reference were not compared");
        }
        lines.line("check", f.check->passed ? "passed" : "FAILED");
    }
    const double macs_per_s = f.usage.cpu_s > 0 ? static_cast<double>(t.all.macs) / f.usage.cpu_s : 0;
    lines.line("simulation", number_text(f.usage.wall_s) + " s wall, " + number_text(f.usage.cpu_s) + " s CPU, " +
                                 number_text(macs_per_s / 1e6) + " million MACs per CPU second, " +
                                 number_text(static_cast<double>(f.usage.peak_rss_bytes) / 1048576) + " MiB");
}

void write_files(const output_directory& directory, const dxt_options& o, const dxt_findings& f)
{
    const auto stages = stages_of(*f.log, o.order);
    const totals t = total_of(o, stages);

    json configuration = {{"shape", o.shape},
                          {"transform", transform_text(o)},
                          {"inverse", o.inverse},
                          {"norm", o.scaling == workloads::normalization::orthonormal ? "orthonormal" : "backward"},
                          {"order", o.order},
                          {"format", arch::element_type_name(o.format)},
                          {"sparsity", o.esop ? "esop" : "dense"},
                          {"zero_threshold", o.zero_threshold},
                          {"batch", o.batch},
                          {"mesh", o.mesh},
                          {"fidelity", o.common.detailed ? "detailed" : "fast"},
                          {"technology", o.common.technology},
                          {"clock_period_ps", f.clock_period_ps},
                          {"step_cycles", o.step_cycles},
                          {"load_elements_per_cycle", o.load_elements},
                          {"line_extent", o.line_extent == triada::line_extent::mesh ? "mesh" : "active"},
                          {"vertical_mode", o.vertical_mode},
                          {"burst_bytes", o.common.burst_bytes},
                          {"seed", o.common.seed},
                          {"memory_bytes", f.memory_bytes}};
    for (const auto& [name, text] : o.given) { configuration["options"][name] = text; }

    json by_cause = json::object();
    for (const auto& [cause, cycles] : f.log->cycles_by_cause()) { by_cause[cause] = cycles; }
    json stage_list = json::array();
    for (const auto& s : stages) {
        stage_list.push_back({{"mode", s.mode},
                              {"steps", s.steps},
                              {"steps_skipped", s.steps_skipped},
                              {"coefficient_sends", s.coefficient_sends},
                              {"operand_sends", s.operand_sends},
                              {"macs", s.macs},
                              {"macs_skipped", s.macs_skipped}});
    }
    const json kept = f.kept ? json(*f.kept) : json(nullptr);
    json counts = json::object();
    const auto device_counts = f.log->total_counts(0);
    for (std::size_t e = 0; e < device_counts.size(); ++e) {
        counts[arch::triada_events.events[e].name] = device_counts[e];
    }

    const json summary = {
        {"schema", "tensorloom-dxt-summary-1"},
        {"testbench", "dxt"},
        {"version", version()},
        {"configuration", configuration},
        {"check", check_json(f)},
        {"cycles", f.cycles},
        {"cycles_by_cause", by_cause},
        {"simulated_time_ns", static_cast<double>(f.cycles) * static_cast<double>(f.clock_period_ps) / 1000},
        {"steps", t.all.steps},
        {"steps_skipped", t.all.steps_skipped},
        {"macs", t.all.macs},
        {"macs_skipped", t.all.macs_skipped},
        {"utilisation", t.utilisation},
        {"mesh_utilisation", t.mesh_utilisation},
        {"stages", stage_list},
        {"events", counts},
        {"energy_pJ", energy_json(*f.energy)},
        {"energy_estimated", f.energy->estimated()},
        {"kept", kept},
        {"simulation",
         {{"wall_s", f.usage.wall_s},
          {"cpu_s", f.usage.cpu_s},
          {"macs_per_cpu_s", f.usage.cpu_s > 0 ? static_cast<double>(t.all.macs) / f.usage.cpu_s : 0},
          {"peak_rss_bytes", f.usage.peak_rss_bytes}}}};

    activity::write_latency_csv(directory.latency().string(), *f.log);
    activity::write_energy_csv(directory.energy().string(), *f.log, *f.energy);
    const double cells = t.active_cells;
    activity::write_trace_json(directory.trace().string(), *f.log, *f.energy, [&](std::size_t record) {
        const std::uint64_t* c = f.log->counts(record, 0);
        const auto steps = static_cast<double>(count_of(c, triada_event::step));
        return steps == 0 ? 0.0 : static_cast<double>(count_of(c, triada_event::mac)) / (steps * cells);
    });
    write_summary(directory.summary(), summary);
}

} // namespace tensorloom::testbench
