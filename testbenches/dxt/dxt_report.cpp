#include "dxt/dxt.h"
#include <array>
#include <string_view>
#include "platform/options/field_options.h"
#include "platform/process/text.h"
#include "platform/report/transform_report.h"
#include "platform/triada/line_time.h"
#include "platform/triada/triada_counts.h"

namespace tensorloom::testbench {
namespace {

/// The events of one of the three stages, over the whole batch.
struct stage_totals {
    unsigned mode = 0; ///< 1, 2, 3: the mode that it sums
    triada::counts counts;

    std::string grouped(triada::event e) const { return grouped_text(counts[e]); }
};

using event = triada::event;

std::array<stage_totals, 3> stages_of(const activity::program_log& log, const std::array<unsigned, 3>& order)
{
    std::array<stage_totals, 3> stages;
    static constexpr std::string_view names[] = {"stage_1", "stage_2", "stage_3"};
    for (std::size_t s = 0; s < 3; ++s) {
        stages[s].mode = order[s];
        for (std::size_t i = 0; i < log.records().size(); ++i) {
            if (log.records()[i].phase != names[s]) { continue; }
            for (std::size_t e = 0; e < triada::event_count; ++e) { stages[s].counts.data()[e] += log.counts(i, 0)[e]; }
        }
    }
    return stages;
}

json stages_json(const std::array<stage_totals, 3>& stages)
{
    json list = json::array();
    for (const auto& [mode, counts] : stages) {
        list.push_back({{"mode", mode},
                        {"steps", counts[event::step]},
                        {"steps_skipped", counts[event::step_skipped]},
                        {"coefficient_sends", counts[event::coefficient_send]},
                        {"operand_sends", counts[event::operand_send]},
                        {"macs", counts[event::mac]},
                        {"macs_skipped", counts[event::mac_skipped]}});
    }
    return list;
}

json chain_json(const dxt_options& o, const dxt_findings& f)
{
    json list = json::array();
    for (std::size_t s = 0; s < f.steps.size(); ++s) {
        const auto& [cycles, counts] = f.steps[s];
        list.push_back({{"step", workloads::step_text(o.chain[s])},
                        {"cycles", cycles},
                        {"steps", counts[event::step]},
                        {"steps_skipped", counts[event::step_skipped]},
                        {"macs", counts[event::mac]},
                        {"macs_skipped", counts[event::mac_skipped]},
                        {"compares", counts[event::compare]},
                        {"load_cycles", counts[event::load_cycle]},
                        {"unload_cycles", counts[event::unload_cycle]}});
    }
    return list;
}

void print_chain(run_report& report, const dxt_options& o, const dxt_findings& f)
{
    for (std::size_t s = 0; s < f.steps.size(); ++s) {
        const auto& [cycles, counts] = f.steps[s];
        const auto grouped = [&](triada::event e) { return grouped_text(counts[e]); };
        const auto moves = counts[event::load_cycle] + counts[event::unload_cycle];
        report.line("step " + std::to_string(s + 1),
                    workloads::step_text(o.chain[s]) + ": " + counted(cycles, "cycle", "cycles") +
                        (moves == 0 ? "" : ", " + grouped_text(moves) + " of the memory port") + ", " +
                        counted(counts[event::step], "time-step", "time-steps") + " (" + grouped(event::step_skipped) +
                        " skipped), " + grouped(event::mac) + " MACs (" + grouped(event::mac_skipped) + " skipped)" +
                        (counts[event::compare] == 0 ? "" : ", " + grouped(event::compare) + " compared"));
    }
}

json tiles_json(const dxt_options& o, const dxt_findings& f)
{
    if (f.plan.fits) { return nullptr; }
    json passes = json::array();
    for (const auto& stage : f.plan.stages) { passes.push_back(stage.passes()); }
    return {{"block", f.plan.stages[0].operand_tile},
            {"passes", passes},
            {"workspace_bytes", f.workspace_bytes},
            {"layouts", layouts_json(command_of(o))},
            {"partials", f.plan.stages[0].partials}};
}

json configuration_json(const dxt_options& o, const dxt_findings& f)
{
    json configuration = {{"shape", o.shape},
                          {"out_shape", o.result_shape()},
                          {"transform", o.chain_file ? "chain" : transforms_text(o)},
                          {"chain", chain_texts(o)},
                          {"matrix_zeros", o.matrix_zeros},
                          {"inverse", o.inverse},
                          {"norm", o.scaling == workloads::normalization::orthonormal ? "orthonormal" : "backward"},
                          {"order", o.order},
                          {"shifts", o.shifts},
                          {"result_format", base::element_type_name(o.result_type())},
                          {"batch", o.batch},
                          {"mm_per_cycle", or_null(o.lines.has_value(), o.lines ? o.lines->mm_per_cycle : 0)},
                          {"memory_bytes", f.memory_bytes}};
    configuration.update(device_json(o.device, o, o.common, o.mesh, o.format));
    auto tiling = o.tiling;
    configuration.update(json_of(fields_of(tiling)));
    return configuration;
}

// How long a time-step's lines are, and how long they take.
void write_lines(run_report& report, const dxt_options& o)
{
    report["lines"] = nullptr;
    if (!o.lines) { return; }
    report["lines"] = {{"longest_um", o.lines->longest_um}, {"cycles", o.lines->cycles}};
    report.line("longest line", number_text(o.lines->longest_um / um_per_mm) + " mm, " +
                                    counted(o.lines->cycles, "cycle", "cycles") + "; a time-step of " +
                                    counted(o.device.config.step_cycles, "cycle", "cycles"));
}

json ranks_json(const dxt_options& o, const rank_findings& f)
{
    json exchanges = json::array();
    for (const auto& e : f.exchanges) {
        exchanges.push_back({{"after_stage", e.after_stage}, {"bytes", e.bytes}, {"wall_s", e.wall_s}});
    }
    return {{"count", o.ranks.count},
            {"splits", f.splits},
            {"exchanges", exchanges},
            {"load_cpu_s", f.load_cpu_s},
            {"cpu_s", f.cpu_s},
            {"exchange_cpu_s", f.exchange_cpu_s},
            {"waiting_s", f.waiting_s},
            {"peak_rss_bytes", f.most_rss_bytes},
            {"checkpoint_bytes", f.checkpoint_bytes},
            {"checkpoint_s", f.checkpoint_s},
            {"resumed_after_stages", or_null(f.resumed)}};
}

void print_ranks(run_report& report, const dxt_options& o, const rank_findings& f)
{
    const auto mode = [](unsigned split) { return std::to_string(split); };
    report.line("ranks", counted(o.ranks.count, "rank", "ranks") + ", slabs along mode " +
                             listed(f.splits, mode, ", ") +
                             (f.resumed ? "; resumed after " + counted(*f.resumed, "stage", "stages") : ""));
    for (const auto& e : f.exchanges) {
        const double rate = e.wall_s > 0 ? static_cast<double>(e.bytes) / o.ranks.count / e.wall_s : 0;
        report.line("exchange", "after stage " + std::to_string(e.after_stage) + ": " + grouped_text(e.bytes) +
                                    " bytes between ranks in " + number_text(e.wall_s) + " s, " +
                                    number_text(rate / 1e9) + " GB/s of each rank");
    }
    if (f.checkpoint_bytes > 0) {
        report.line("checkpoint", grouped_text(f.checkpoint_bytes) + " bytes in " + number_text(f.checkpoint_s) + " s");
    }
    const double communication = f.cpu_s > 0 ? f.exchange_cpu_s / f.cpu_s : 0;
    report.line("largest rank", number_text(f.cpu_s) + " s CPU, " + number_text(100 * communication) +
                                    " % of it for exchanges; " + number_text(f.load_cpu_s) +
                                    " s CPU for its slab of X; " + number_text(f.waiting_s) + " s waiting; " +
                                    number_text(static_cast<double>(f.most_rss_bytes) / 1048576) + " MiB");
}

} // namespace

void write_report(run_report& report, const dxt_options& o, const dxt_findings& f, const activity::program_log& log)
{
    const auto counts = log.total_counts(0);
    const auto work = work_of(counts, f.active_cell_steps, o.mesh);
    const auto stages = stages_of(log, o.order);
    const double ns = ns_of(f.costs.cycles, o.common);
    report.begin(problem_text(o) + ", " + std::string(base::element_type_name(o.format)) + ", " +
                     (o.esop ? "ESOP" : "dense") + ", " + fidelity_name(o.common),
                 "tensorloom-dxt-summary-2", configuration_json(o, f));
    print_format_of_data(report, o, o.format);
    if (o.matrix_zeros != std::array<double, 3>{}) {
        report.line("matrix zeros", listed(o.matrix_zeros, [](double share) { return number_text(share); }) +
                                        " of the coefficients of modes 1, 2, 3");
    }
    report.line("mesh", shape_text(o.mesh) + " cells");
    write_lines(report, o);
    if (!f.ranks) {
        print_memory_port(report, {memory_port_elements(o.device.config, o.mesh), largest_face(o.mesh),
                                   o.device.config.dma_ports, o.format});
    }
    if (!f.plan.fits) {
        const auto passes = [](const auto& stage) { return grouped_text(stage.passes()); };
        report.line("tiles", listed(f.plan.stages, passes, " + ") + " passes over blocks of at most " +
                                 shape_text(f.plan.stages[0].operand_tile) +
                                 (o.double_buffer ? ", double-buffered" : "") + "; workspace of " +
                                 grouped_text(f.workspace_bytes) + " bytes");
        report.line("layouts", layouts_text(command_of(o)) + "; a loaded block serves " +
                                   counted(f.plan.stages[0].partials, "block", "blocks") + " of the result");
    }
    report.line("time-steps", grouped_text(work.steps) + " (" + grouped_text(work.steps_skipped) + " rows skipped)");
    report.cycles(f.costs);
    report.time(ns);
    report.fields(work_json(work));
    report.fields({{"stages", or_null(o.chain.empty(), stages_json(stages))},
                   {"chain", or_null(!o.chain.empty(), chain_json(o, f))},
                   {"tiles", tiles_json(o, f)}});
    write_transfers(report, counts, o.double_buffer);
    const auto saturated = count_of(counts.data(), event::operand_saturated);
    if (o.format == base::element_type::int8) {
        report.line("saturated", grouped_text(saturated) + " sums that became an operand or a result");
    }
    print_work(report, work);
    if (f.plan.fits) {
        report["bound"] = nullptr;
    } else {
        write_bound(report, bound_of(command_of(o), o.batch, work.steps, rates_of(o.device, o.common, o.mesh)),
                    f.costs.cycles);
    }
    report.utilisation(f.costs, use_of(work, f.costs, o.mesh), o.device.config.dma_ports);
    print_chain(report, o, f);
    for (std::size_t s = 0; o.chain.empty() && s < 3; ++s) {
        if (!o.sums(stages[s].mode - 1)) { continue; }
        report.line("stage " + std::to_string(s + 1) + ", mode " + std::to_string(stages[s].mode),
                    stages[s].grouped(event::step) + " steps, " + stages[s].grouped(event::coefficient_send) +
                        " coefficient sends, " + stages[s].grouped(event::operand_send) + " operand sends, " +
                        stages[s].grouped(event::mac) + " MACs");
    }
    const auto operations = operations_of(o, work.macs);
    write_operations(report, operations);
    report.fields({{"saturated", saturated}, {"events", events_json(triada::events, counts.data())}});
    report.energy(f.costs.energy, ns, f.on);
    print_operations(report, operations, ns, f.costs.pj());
    write_kept(report, f.kept);
    write_check(report, o.format, f.check);
    report["ranks"] = f.ranks ? ranks_json(o, *f.ranks) : json(nullptr);
    if (f.ranks) { print_ranks(report, o, *f.ranks); }
    report.simulation(f.usage, work.macs);
}

} // namespace tensorloom::testbench
