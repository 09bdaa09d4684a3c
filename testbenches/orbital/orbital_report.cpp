#include "orbital/orbital.h"
#include <tensorloom/models/torus/isa/events.h>
#include "platform/report/transform_report.h"

namespace tensorloom::testbench {
namespace {

using torus::event;

/// What the torus did, of a sweep over all sizes together.
struct torus_totals {
    program_costs costs;
    torus::counts counts;
    std::uint64_t steps = 0, macs = 0, macs_done = 0, working_cycles = 0;
    double possible = 0, possible_working = 0; ///< multiply-adds
    std::uint64_t memory_bytes = 0;
    std::optional<workloads::check_result> check; ///< of the TriADA, too

    array_use use() const
    {
        const double per_cycle = costs.cycles == 0 ? 0 : possible / static_cast<double>(costs.cycles);
        return {macs, per_cycle, per_cycle == 0 ? 0 : possible_working / per_cycle, "multipliers"};
    }
};

torus_totals totals_of(const orbital_findings& f)
{
    torus_totals all;
    for (const auto& run : f.runs) {
        if (run.check && all.check) {
            take_worse(*all.check, *run.check);
        } else if (run.check) {
            all.check = run.check;
        }
        if (!run.fit) { continue; }
        add_costs(all.costs, run.costs);
        for (std::size_t e = 0; e < torus::event_count; ++e) { all.counts.data()[e] += run.counts[e]; }
        all.steps += run.steps;
        all.macs += run.macs;
        all.macs_done += run.macs_done;
        all.working_cycles += run.working_cycles;
        const auto multipliers = static_cast<double>(run.multipliers);
        all.possible += multipliers * static_cast<double>(run.costs.cycles);
        all.possible_working += multipliers * static_cast<double>(run.working_cycles);
        all.memory_bytes += run.memory_bytes;
    }
    return all;
}

json more_sets_json(const orbit_job& job)
{
    json sets = json::array();
    for (std::size_t set = 1; set < job.sets(); ++set) { sets.push_back(transforms_text(job.of_set(set))); }
    return sets;
}

json sets_json(const measured_run& run)
{
    if (run.sets.empty()) { return nullptr; }
    json sets = json::array();
    for (const auto& set : run.sets) {
        json check = nullptr;
        if (set.check) {
            check = {{"passed", set.check->passed},
                     {"max_abs_error", set.check->max_abs_error},
                     {"bound", set.check->bound}};
        }
        sets.push_back({{"transform", set.transforms}, {"cycles", set.cycles}, {"check", check}});
    }
    return sets;
}

void print_chain(run_report& report, const measured_run& run)
{
    for (std::size_t s = 0; s < run.chain.size(); ++s) {
        const auto& [step, cycles, steps, macs] = run.chain[s];
        report.line("step " + std::to_string(s + 1), step + ": " + counted(cycles, "cycle", "cycles") + ", " +
                                                         counted(steps, "step", "steps") + ", " + grouped_text(macs) +
                                                         " MACs");
    }
}

void print_sets(run_report& report, const measured_run& run)
{
    for (std::size_t s = 0; s < run.sets.size(); ++s) {
        const auto& set = run.sets[s];
        std::string text = set.transforms + ", " + grouped_text(set.cycles) + " cycles";
        if (set.check) {
            text += ", error max " + number_text(set.check->max_abs_error) + " absolute (bound " +
                    number_text(set.check->bound) + ")" + (set.check->passed ? "" : ", wrong");
        }
        report.line("set " + std::to_string(s + 1), text);
    }
}

json configuration_json(const orbital_options& o, const torus_totals& all, const orbital_findings& f)
{
    const auto& only = f.runs.front();
    const bool one = o.sweep.empty();
    json configuration = {{"shape", or_null(one, o.shape)},
                          {"out_shape", or_null(one, o.result_shape())},
                          {"sweep", or_null(!one, o.sweep)},
                          {"transform", o.chain_file ? "chain" : transforms_text(o)},
                          {"also", more_sets_json(o)},
                          {"inverse", o.inverse},
                          {"chain", chain_texts(o)},
                          {"norm", o.scaling == workloads::normalization::orthonormal ? "orthonormal" : "backward"},
                          {"order", o.order},
                          {"shifts", o.shifts},
                          {"result_format", base::element_type_name(o.result_type())},
                          {"batch", o.batch},
                          {"double_buffer", o.double_buffer},
                          {"compare", o.compares ? json("triada") : json(nullptr)},
                          {"baselines", o.baselines},
                          {"step_cycles", or_null(o.wires.triada_step)},
                          {"mm_per_cycle", or_null(o.wires.mm_per_cycle)},
                          {"memory_bytes", all.memory_bytes}};
    configuration.update(device_json(o.device, o.common, one ? only.fit : std::nullopt, o.format));
    return configuration;
}

std::string by_axis_text(const by_direction& words)
{
    std::string text;
    for (unsigned a = 0; a < torus::axes; ++a) {
        text += (a == 0 ? "" : ", ") + std::string(torus::axis_values[a].name) + " " + grouped_text(words[a]);
    }
    return text;
}

std::string blocks_text(const torus_fit& fit)
{
    const bool same = fit.blocks.in_block == fit.blocks.out_block;
    return shape_text(fit.blocks.in_block) + (same ? "" : " to " + shape_text(fit.blocks.out_block));
}

// Lines of the torus of one problem.
void print_torus(run_report& report, const orbital_options& o, const measured_run& run)
{
    const auto& fit = *run.fit;
    const auto count = [&](event e) { return run.counts[static_cast<std::size_t>(e)]; };
    report.line("torus", shape_text(std::array{fit.side, fit.side, fit.side}) + " nodes, blocks of " +
                             blocks_text(fit) + " elements, schedule " + text_of(o.device.vector));
    print_memory_port(report, {o.device.config.load_elements, std::uint64_t{fit.side} * fit.side,
                               o.device.config.dma_ports, o.format});
    if (fit.tiled) {
        report.line("tiles", listed(
                                 run.passes, [](std::uint64_t passes) { return grouped_text(passes); }, " + ") +
                                 " passes over at most " + std::to_string(fit.side) + " x (" + shape_text(fit.block) +
                                 ")" + "; workspace of " + grouped_text(run.workspace_bytes) + " bytes");
    }
    report.line("steps", grouped_text(run.steps));
    report.cycles(run.costs);
    report.time(ns_of(run.costs.cycles, o.common));
    report.line("loaded", grouped_text(count(event::element_load)) + " elements in " +
                              grouped_text(count(event::load_cycle)) + " cycles, " +
                              grouped_text(count(event::coefficient_load)) + " coefficients");
    report.line("unloaded", grouped_text(count(event::element_unload)) + " elements in " +
                                grouped_text(count(event::unload_cycle)) + " cycles");
    if (o.double_buffer) {
        report.line("overlap", grouped_text(count(event::overlapped_cycle)) + " of these cycles while nodes worked");
    }
    report.line("MACs", grouped_text(run.macs) + ", " + grouped_text(run.macs_done) + " with padding");
    report.line("words sent", by_axis_text(run.words));
    report.line("word-pitches", by_axis_text(run.word_pitches));
    report.line("longest link", counted(run.longest_pitches, "pitch", "pitches") + " of " +
                                    number_text(run.pitch_um / 1000) + " mm, " +
                                    counted(run.wire_cycles, "cycle", "cycles") + " a hop");
    report.line("node memory", grouped_text(run.memory_words / fit.nodes()) + " words");
}

std::string title_of(const orbital_options& o)
{
    std::string title = computation_text(o) + ", ";
    for (std::size_t set = 1; set < o.sets(); ++set) { title += "also " + transforms_text(o.of_set(set)) + ", "; }
    if (o.sweep.empty()) {
        title += shape_text(o.shape) + (o.result_shape() != o.shape ? " to " + shape_text(o.result_shape()) : "");
    } else {
        title += "cubes of " + listed(o.sweep, [](std::uint32_t size) { return std::to_string(size); });
    }
    if (o.batch > 1) { title += ", batch of " + std::to_string(o.batch); }
    return title + ", " + std::string(base::element_type_name(o.format)) + ", overlap " +
           torus::overlap_values[static_cast<std::size_t>(o.device.config.overlap)].name + ", " +
           fidelity_name(o.common);
}

json transfers_json(const torus::counts& counts)
{
    return {{"elements_loaded", counts[event::element_load]},
            {"elements_unloaded", counts[event::element_unload]},
            {"coefficients_loaded", counts[event::coefficient_load]},
            {"load_cycles", counts[event::load_cycle]},
            {"unload_cycles", counts[event::unload_cycle]},
            {"overlapped_cycles", counts[event::overlapped_cycle]}};
}

} // namespace

void write_report(run_report& report, const orbital_options& o, const orbital_findings& f)
{
    const auto all = totals_of(f);
    report.begin(title_of(o), "tensorloom-orbital-summary-1", configuration_json(o, all, f));
    print_format_of_data(report, o, o.format);
    const bool one_problem = o.sweep.empty();
    if (one_problem) {
        print_torus(report, o, f.runs.front());
        print_chain(report, f.runs.front());
        print_sets(report, f.runs.front());
    } else {
        report.fields(cycles_json(all.costs, o.common));
    }
    report.fields({{"steps", all.steps},
                   {"working_cycles", all.working_cycles},
                   {"macs", all.macs},
                   {"macs_done", all.macs_done},
                   {"transfers", transfers_json(all.counts)}});
    report.utilisation(all.costs, all.use(), o.device.config.dma_ports);
    json runs = json::array();
    for (const auto& run : f.runs) { runs.push_back(run_json(o, run)); }
    report["runs"] = std::move(runs);
    report["sets"] = sets_json(f.runs.front());
    report["events"] = events_json(torus::events, all.counts.data());
    if (one_problem) {
        auto operations = operations_of(o, all.macs_done);
        operations.fft *= static_cast<double>(o.transforms_run() / o.batch);
        write_operations(report, operations);
        report.energy(all.costs.energy, ns_of(all.costs.cycles, o.common), f.runs.front().on);
        print_operations(report, operations, ns_of(all.costs.cycles, o.common), all.costs.pj());
    } else {
        report["operations"] = nullptr;
        report.fields(energy_json(all.costs.energy));
        report.fields(second_source_json(all.costs.energy));
    }
    print_runs(report, o, f);
    write_baselines(report, f.runs.front(), f.baselines);
    write_kept(report, f.kept);
    const auto& identity = f.runs.front().identity;
    report["identity"] = or_null(identity);
    if (identity) { report.line("identity", "max " + number_text(*identity) + " between result and operand"); }
    write_check(report, o.format, all.check);
    report.simulation(f.usage, all.macs_done);
}

} // namespace tensorloom::testbench
