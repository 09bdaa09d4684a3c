#include "dxt/dxt_report.h"
#include <algorithm>
#include <nlohmann/json.hpp>
#include <tensorloom/models/activity/activity_files.h>
#include <tensorloom/models/activity/trace_json.h>
#include <tensorloom/models/arch/triada/events.h>
#include <tensorloom/workloads/transform.h>
#include "platform/report_table.h"
#include "platform/run_costs.h"
#include "platform/summary_file.h"
#include "platform/triada_counts.h"
#include "platform/version.h"

namespace tensorloom::testbench {
namespace {
using json = nlohmann::ordered_json;

template <class Shape> std::string shape_text(const Shape& s)
{
    return std::to_string(s[0]) + " x " + std::to_string(s[1]) + " x " + std::to_string(s[2]);
}

struct totals {
    stage_totals all;
    double utilisation = 0;
    double mesh_utilisation = 0;
};

totals total_of(const dxt_options& o, const dxt_findings& f, const std::array<stage_totals, 3>& stages)
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
    const double mesh_cells = static_cast<double>(o.mesh[0]) * o.mesh[1] * o.mesh[2];
    const double macs = static_cast<double>(t.all.macs);
    if (t.all.steps != 0) {
        t.utilisation = macs / static_cast<double>(f.active_cell_steps);
        t.mesh_utilisation = macs / (static_cast<double>(t.all.steps) * mesh_cells);
    }
    return t;
}

/// Additions and multiplications: of fast Fourier transforms of this size, and of the device.
struct operation_counts {
    double fft = 0;
    double device = 0;
};

operation_counts operations_of(const dxt_options& o, const totals& t)
{
    const bool complex_data = arch::is_complex(o.format);
    return {o.batch * workloads::operations_of_fft(o.shape, o.result_shape(), complex_data).total,
            workloads::operations_per_mac(complex_data) * static_cast<double>(t.all.macs)};
}

std::string transform_text(const dxt_options& o)
{
    std::string text = workloads::transform_name(o.transforms[0]);
    for (std::size_t m = 1; m < 3; ++m) { text += "," + workloads::transform_name(o.transforms[m]); }
    return text;
}

/// Of the stages: "8 + 8 + 8".
std::string passes_text(const arch::triada::gemt_plan& plan)
{
    std::string text;
    for (const auto& stage : plan.stages) { text += (text.empty() ? "" : " + ") + grouped_text(stage.passes()); }
    return text;
}

std::uint64_t saturated(const activity::job_log& log)
{
    return count_of(log.total_counts(0).data(), arch::triada::event::operand_saturated);
}

json tiles_json(const dxt_findings& f)
{
    if (f.plan.fits) { return nullptr; }
    json passes = json::array();
    for (const auto& stage : f.plan.stages) { passes.push_back(stage.passes()); }
    return {{"block", f.plan.stages[0].tile}, {"passes", passes}, {"workspace_bytes", f.workspace_bytes}};
}

const char* reference_text(arch::element_type format)
{
    switch (format) {
    case arch::element_type::bf16:
        return "three sums, stage by stage, in long double, rounded to bfloat16 between stages";
    case arch::element_type::int8:
        return "three sums, stage by stage, in integers, shifted and saturated between stages";
    default: return "three sums, stage by stage, in long double";
    }
}

json check_json(const dxt_options& o, const dxt_findings& f)
{
    if (!f.check) {
        return {{"passed", nullptr}, {"max_abs_error", nullptr}, {"max_rel_error", nullptr}, {"reference", nullptr}};
    }
    return {{"passed", f.check->passed},
            {"finite", f.check->finite},
            {"max_abs_error", f.check->max_abs_error},
            {"max_rel_error", f.check->max_rel_error},
            {"bound", f.check->bound},
            {"reference", reference_text(o.format)},
            {"max_abs_error_against_float64", f.check->max_abs_error_against_float64},
            {"max_rel_error_against_float64", f.check->max_rel_error_against_float64}};
}

std::string error_text(double absolute, double relative, const std::string& reference)
{
    return "max " + number_text(absolute) + " absolute, " + number_text(relative) + " relative, against " + reference;
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
            stages[s].steps += count_of(counts, arch::triada::event::step);
            stages[s].steps_skipped += count_of(counts, arch::triada::event::step_skipped);
            stages[s].coefficient_sends += count_of(counts, arch::triada::event::coefficient_send);
            stages[s].operand_sends += count_of(counts, arch::triada::event::operand_send);
            stages[s].macs += count_of(counts, arch::triada::event::mac);
            stages[s].macs_skipped += count_of(counts, arch::triada::event::mac_skipped);
        }
    }
    return stages;
}

void print_table(std::ostream& out, const dxt_options& o, const dxt_findings& f)
{
    const auto stages = stages_of(*f.log, o.order);
    const totals t = total_of(o, f, stages);
    const double ns = static_cast<double>(f.cycles) * static_cast<double>(f.clock_period_ps) / 1000;
    report_table lines(out);
    out << "dxt: " << (o.inverse ? "inverse " : "") << transform_text(o) << ", " << shape_text(o.shape)
        << (o.result_shape() != o.shape ? " to " + shape_text(o.result_shape()) : "")
        << (o.batch > 1 ? ", batch of " + std::to_string(o.batch) : "") << ", " << arch::element_type_name(o.format)
        << ", " << (o.esop ? "ESOP" : "dense") << ", " << (o.common.detailed ? "detailed" : "fast") << "\n";
    lines.line("mesh", shape_text(o.mesh) + " cells");
    if (!f.plan.fits) {
        lines.line("tiles", passes_text(f.plan) + " passes over blocks of at most " +
                                shape_text(f.plan.stages[0].tile) + (o.double_buffer ? ", double-buffered" : "") +
                                "; workspace of " + grouped_text(f.workspace_bytes) + " bytes");
    }
    lines.line("time-steps", grouped_text(t.all.steps) + " (" + grouped_text(t.all.steps_skipped) + " rows skipped)");
    std::string causes;
    for (const auto& [cause, cycles] : f.log->cycles_by_cause()) {
        causes += (causes.empty() ? "" : ", ") + cause + " " + grouped_text(cycles);
    }
    lines.line("cycles", grouped_text(f.cycles) + " (" + causes + ")");
    lines.line("time", quantity_text(ns * 1000, "s") + " at " +
                           number_text(1000.0 / static_cast<double>(f.clock_period_ps)) + " GHz");
    print_transfers(lines, transfers_of(f.log->total_counts(0)), o.double_buffer);
    if (o.format == arch::element_type::int8) {
        lines.line("saturated", grouped_text(saturated(*f.log)) + " sums that became an operand or a result");
    }
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
    print_energy(lines, f.energy->totals());
    const auto operations = operations_of(o, t);
    lines.line("FFT of this size", number_text(operations.fft / 1e6) +
                                       " million operations; the device: " + number_text(operations.device / 1e6) +
                                       " million in " + quantity_text(ns * 1000, "s") + " with " +
                                       quantity_text(f.energy->total_pj(), "J"));
    if (f.kept) { lines.line("kept", grouped_text(*f.kept) + " elements of largest modulus"); }
    if (!f.check) {
        lines.line("check", "not done (--no-check)");
    } else {
        const bool low_precision = arch::accumulator_type(o.format) != o.format;
        lines.line("error", error_text(f.check->max_abs_error, f.check->max_rel_error,
                                       low_precision ? "the same rounding" : "long double") +
                                " (bound " + number_text(f.check->bound) + ")");
        if (low_precision) {
            lines.line("error of the format", error_text(f.check->max_abs_error_against_float64,
                                                         f.check->max_rel_error_against_float64, "float64"));
        }
        if (!f.check->finite) {
            lines.line("non-finite data", "elements without a finite reference were not compared");
        }
        lines.line("check", f.check->passed ? "passed" : "FAILED");
    }
    print_usage(lines, f.usage, t.all.macs);
}

void write_files(const output_directory& directory, const dxt_options& o, const dxt_findings& f)
{
    const auto stages = stages_of(*f.log, o.order);
    const totals t = total_of(o, f, stages);

    json configuration = {{"shape", o.shape},
                          {"out_shape", o.result_shape()},
                          {"transform", transform_text(o)},
                          {"inverse", o.inverse},
                          {"norm", o.scaling == workloads::normalization::orthonormal ? "orthonormal" : "backward"},
                          {"order", o.order},
                          {"shifts", o.shifts},
                          {"result_format", arch::element_type_name(o.result_type())},
                          {"batch", o.batch},
                          {"memory_bytes", f.memory_bytes}};
    configuration.update(device_json(o.device, o, o.common, o.mesh, o.format));
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
    const auto operations = operations_of(o, t);
    const json kept = f.kept ? json(*f.kept) : json(nullptr);
    const auto counts = f.log->total_counts(0);

    const json summary = {
        {"schema", "tensorloom-dxt-summary-1"},
        {"testbench", "dxt"},
        {"version", version()},
        {"configuration", configuration},
        {"check", check_json(o, f)},
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
        {"tiles", tiles_json(f)},
        {"transfers", transfers_json(transfers_of(counts))},
        {"operations", {{"device", operations.device}, {"fft", operations.fft}}},
        {"saturated", saturated(*f.log)},
        {"events", events_json(counts)},
        {"energy_pJ", energy_json(f.energy->totals())},
        {"energy_estimated", f.energy->estimated()},
        {"kept", kept},
        {"simulation", usage_json(f.usage, t.all.macs)}};

    activity::write_latency_csv(directory.latency().string(), *f.log);
    activity::write_energy_csv(directory.energy().string(), *f.log, *f.energy);
    activity::write_trace_json(
        directory.trace().string(), *f.log, *f.energy,
        {arch::triada::utilisation_unit, [&](std::size_t record) { return utilisation_of(f.log->counts(record, 0)); }});
    write_summary(directory.summary(), summary);
}

} // namespace tensorloom::testbench
