#include "compare_accelerators/compare_accelerators.h"
#include <algorithm>
#include <array>
#include <iomanip>
#include <sstream>
#include <tensorloom/workloads/accelerators/tile_loops.h>
#include "platform/fetta/operand_paths_report.h"

namespace tensorloom::testbench {
namespace {

using workloads::evaluation;

template <std::size_t N, class T> const char* name_in(const base::named_value (&values)[N], T value)
{
    return values[static_cast<std::uint32_t>(value)].name;
}

std::string tree_of(const compared_group& group, const accelerator_result& run)
{
    if (!run.tree) {
        const bool is_layer = run.found && !run.found->contractions.empty() && !group.workload->products;
        return run.machine->dense && is_layer ? "X.W" : "-";
    }
    return workloads::tree_text(workloads::forward_network(group.workload->layer), *run.tree);
}

// ---- a row of comparison.csv, of sweep.csv and of the summary's results ----

json ratios_json(const compared_group& group, const accelerator_result& run)
{
    const auto r = group.ratios(run);
    const auto by = [&](double compared_ratios::*ratio) { return or_null(r.has_value(), r ? *r.*ratio : 0); };
    return {{"cycles_by_fetta", by(&compared_ratios::cycles)},
            {"energy_by_fetta", by(&compared_ratios::energy)},
            {"edp_by_fetta", by(&compared_ratios::edp)},
            {"utilisation_by_fetta", by(&compared_ratios::utilisation)},
            {"dram_bytes_by_fetta", by(&compared_ratios::dram_bytes)},
            {"dram_share_by_fetta", by(&compared_ratios::dram_share)}};
}

json row_json(const compare_accelerators_options& o, const compared_group& group, const accelerator_result& run)
{
    const bool known = run.found.has_value();
    const evaluation e = run.found.value_or(evaluation());
    const auto of = [known](const json& value) { return or_null(known, value); };
    json row = {{"workload", group.workload->name},
                {"sequence", group.sequence},
                {"accelerator", run.machine->name},
                {"tree", or_null(known, tree_of(group, run))},
                {"reason", or_null(!known, run.reason)},
                {"apart", of(run.apart)},
                {"cycles", of(e.cycles)},
                {"time_ns", of(ns_of(e.cycles, o.common))},
                {"macs", of(e.macs)},
                {"useful_macs", of(e.useful_macs)},
                {"compute_cycles", of(e.compute_cycles)},
                {"conflict_cycles", of(e.conflict_cycles)},
                {"reorder_cycles", of(e.reorder_cycles)},
                {"dram_cycles", of(e.dram_cycles)},
                {"utilisation", of(e.utilisation)},
                {"useful_utilisation", of(e.useful_utilisation)},
                {"array_utilisation", of(e.array_utilisation)},
                {"dram_read_bytes", of(e.read_bytes)},
                {"dram_written_bytes", of(e.written_bytes)},
                {"total_pJ", of(e.energy_pj)},
                {"edp_pJ_s", of(e.energy_pj * ns_of(e.cycles, o.common) * 1e-9)},
                {"dram_share", of(e.dram_share)}};
    row.update(ratios_json(group, run));
    return row;
}

json contractions_json(const evaluation& e)
{
    json all = json::array();
    for (const auto& c : e.contractions) {
        all.push_back({{"phase", name_in(workloads::step_phase_values, c.phase)},
                       {"text", c.text},
                       {"times", c.times},
                       {"macs", c.macs},
                       {"compute_cycles", c.compute_cycles},
                       {"conflict_cycles", c.conflict_cycles},
                       {"reorder_cycles", c.reorder_cycles},
                       {"dram_cycles", c.dram_cycles},
                       {"array_utilisation", c.utilisation()},
                       {"dram_read_bytes", c.read_bytes},
                       {"dram_written_bytes", c.written_bytes},
                       {"sram_rows", c.sram_rows},
                       {"in_other_order", c.in_other_order},
                       {"events_pJ", c.energy_pj}});
    }
    return all;
}

// The work of a phase over the whole batch.
struct phase_work {
    std::uint64_t macs = 0, array_cycles = 0, in_other_order = 0;
};
std::array<phase_work, workloads::step_phases> phases_of(const evaluation& e)
{
    std::array<phase_work, workloads::step_phases> phases;
    for (const auto& c : e.contractions) {
        auto& phase = phases[static_cast<std::size_t>(c.phase)];
        phase.macs += c.macs;
        phase.array_cycles += c.compute_cycles + c.conflict_cycles;
        phase.in_other_order += c.in_other_order;
    }
    return phases;
}

double array_utilisation(const phase_work& phase)
{
    return phase.array_cycles == 0
               ? 0
               : static_cast<double>(phase.macs) / static_cast<double>(workloads::array_pes * phase.array_cycles);
}

json phases_json(const evaluation& e)
{
    json all = json::object();
    const auto phases = phases_of(e);
    for (const auto p : {workloads::step_phase::fp, workloads::step_phase::bp, workloads::step_phase::wg}) {
        const auto& phase = phases[static_cast<std::size_t>(p)];
        all[name_in(workloads::step_phase_values, p)] = {{"macs", phase.macs},
                                                         {"array_cycles", phase.array_cycles},
                                                         {"array_utilisation", array_utilisation(phase)},
                                                         {"in_other_order", phase.in_other_order}};
    }
    return all;
}

json results_json(const compare_accelerators_options& o, const std::vector<compared_group>& groups)
{
    json all = json::array();
    for (const auto& group : groups) {
        for (const auto& run : group.runs) {
            auto row = row_json(o, group, run);
            row["blocks"] = or_null(run.found.has_value(), run.found ? run.found->blocks : 0);
            const bool searched = run.found && run.found->paths;
            row["operands"] = searched ? paths_json(*run.found->paths, fetta::device_limits()) : json(nullptr);
            row.update(run.found ? energy_json(run.found->energy)
                                 : json{{"energy_pJ", nullptr}, {"energy_estimated", nullptr}});
            row["phases"] = run.found ? phases_json(*run.found) : json(nullptr);
            row["contractions"] = run.found ? contractions_json(*run.found) : json(nullptr);
            all.push_back(std::move(row));
        }
    }
    return all;
}

json range_json(const ratio_range& r)
{
    const bool known = r.count > 0;
    return {{"mean", or_null(known, r.mean)}, {"least", or_null(known, r.least)}, {"most", or_null(known, r.most)}};
}

json totals_json(const compare_accelerators_options& o, const std::vector<compared_group>& totals)
{
    json all = json::array();
    for (const auto& total : totals) {
        for (const auto& run : total.runs) { all.push_back(row_json(o, total, run)); }
    }
    return all;
}

json ranges_json(const compare_accelerators_options& o, const std::vector<compared_group>& groups)
{
    json all = json::array();
    for (const auto* machine : o.what.machines) {
        const auto cycles = range_of(groups, machine->name, &compared_ratios::cycles);
        all.push_back({{"accelerator", machine->name},
                       {"workloads", cycles.count},
                       {"verdict", or_null(cycles.count > 0, name_in(cycles_verdict_values, verdict_of(cycles.mean)))},
                       {"cycles_by_fetta", range_json(cycles)},
                       {"energy_by_fetta", range_json(range_of(groups, machine->name, &compared_ratios::energy))},
                       {"edp_by_fetta", range_json(range_of(groups, machine->name, &compared_ratios::edp))}});
    }
    return all;
}

json sequence_ranges_json(const compare_accelerators_options& o, const std::vector<compared_group>& groups)
{
    json all = json::array();
    for (std::size_t m = 0; m < o.what.machines.size(); ++m) {
        for (const auto& of : sequence_ranges_of(o.what, groups, m)) {
            all.push_back({{"accelerator", o.what.machines[m]->name},
                           {"sequence", of.sequence},
                           {"workloads", of.cycles.count},
                           {"useful_macs", range_json(of.macs)},
                           {"dram_bytes", range_json(of.dram_bytes)},
                           {"cycles", range_json(of.cycles)},
                           {"energy", range_json(of.energy)},
                           {"edp", range_json(of.edp)}});
        }
    }
    return all;
}

json sweeps_json(const compare_accelerators_options& o, const compare_accelerators_findings& f)
{
    json all = json::array();
    for (const auto& swept : f.sweeps) {
        json rows = json::array();
        for (const auto& group : swept.groups) {
            for (const auto& run : group.runs) { rows.push_back(row_json(o, group, run)); }
        }
        all.push_back({{"rule", swept.sweep->rule},
                       {"value", swept.value},
                       {"results", rows},
                       {"ranges", ranges_json(o, swept.groups)}});
    }
    return all;
}

// ---- the grid ----

std::string values_text(const compare_accelerators_options& o, const rule_values& values)
{
    std::string text;
    for (std::size_t r = 0; r < values.size(); ++r) {
        text += (text.empty() ? "" : ", ") + std::string(o.grid[r]->rule) + " " + values[r]->value;
    }
    return text;
}

json values_json(const compare_accelerators_options& o, const rule_values& values)
{
    json all = json::object();
    for (std::size_t r = 0; r < values.size(); ++r) { all[o.grid[r]->rule] = values[r]->value; }
    return all;
}

/// The least or most of an accelerator's ratios of cycles, by layer and point.
struct grid_extreme {
    double ratio = 0;
    const compared_workload* on = nullptr;
    const grid_point* at = nullptr;
};

/// An accelerator in a grid: points by the geometric mean of its ratios of cycles.
struct grid_summary {
    std::size_t points = 0, in_paper_range = 0, same = 0, fewer = 0;
    grid_extreme least, most;
};

grid_summary summary_of(const std::vector<grid_point>& grid, const std::string& machine)
{
    grid_summary s;
    for (const auto& point : grid) {
        const auto range = range_of(point.groups, machine, &compared_ratios::cycles);
        if (range.count == 0) { continue; }
        ++s.points;
        s.in_paper_range += is_in_paper_range(range.mean) ? 1 : 0;
        s.same += verdict_of(range.mean) == cycles_verdict::same ? 1 : 0;
        s.fewer += verdict_of(range.mean) == cycles_verdict::fewer ? 1 : 0;
        if (s.least.at == nullptr || range.least < s.least.ratio) { s.least = {range.least, range.least_on, &point}; }
        if (range.most > s.most.ratio) { s.most = {range.most, range.most_on, &point}; }
    }
    return s;
}

json extreme_json(const compare_accelerators_options& o, const grid_extreme& extreme)
{
    if (extreme.at == nullptr) { return nullptr; }
    return {{"cycles_by_fetta", extreme.ratio},
            {"workload", extreme.on->name},
            {"values", values_json(o, extreme.at->values)}};
}

json grid_json(const compare_accelerators_options& o, const compare_accelerators_findings& f)
{
    if (o.grid.empty()) { return nullptr; }
    json rules = json::array(), points = json::array(), machines = json::array();
    for (const auto* rule : o.grid) { rules.push_back(rule->rule); }
    for (const auto& point : f.grid) {
        points.push_back({{"values", values_json(o, point.values)}, {"ranges", ranges_json(o, point.groups)}});
    }
    for (const auto* machine : o.what.machines) {
        const auto s = summary_of(f.grid, machine->name);
        machines.push_back({{"accelerator", machine->name},
                            {"points", s.points},
                            {"in_paper_range", s.in_paper_range},
                            {"no_difference", s.same},
                            {"fewer", s.fewer},
                            {"least", extreme_json(o, s.least)},
                            {"most", extreme_json(o, s.most)}});
    }
    return {{"rules", rules},
            {"paper_range", {{"least", paper_least}, {"most", paper_most}}},
            {"estimate_error", estimate_error},
            {"points", points},
            {"accelerators", machines}};
}

json configuration_json(const compare_accelerators_options& o)
{
    const auto names = [](const auto& list, const auto& name_of) {
        json all = json::array();
        for (const auto& item : list) { all.push_back(name_of(item)); }
        return all;
    };
    json layers = json::array();
    for (const auto& w : o.what.workloads) {
        const bool is_layer = !w.products;
        layers.push_back({{"name", w.name},
                          {"format", or_null(is_layer, name_in(workloads::layer_format_values, w.layer.format))},
                          {"rows", or_null(is_layer, w.layer.rows)},
                          {"columns", or_null(is_layer, w.layer.columns)},
                          {"ranks", or_null(is_layer, w.layer.ranks)},
                          {"batch", w.layer.batch},
                          {"frames", w.frames},
                          {"blocks", or_null(is_layer, w.layer.blocks)},
                          {"dx", w.with_dx}});
    }
    const auto& r = o.rules;
    json j = {{"mode", o.mode},
              {"workloads", layers},
              {"model", or_null(o.what.model.has_value(), o.what.model ? o.what.model->whole.name : "")},
              {"sequences", o.what.sequences},
              {"accelerators", names(o.what.machines, [](const auto* m) { return m->name; })},
              {"objective", name_in(workloads::mapping_objective_values, o.what.objective)},
              {"sweeps", names(o.sweeps, [](const auto* s) { return s->rule; })},
              {"combined_rules", names(o.grid, [](const auto* s) { return s->rule; })},
              {"residency", name_in(workloads::evaluated_residency_values, r.residency)},
              {"layouts", name_in(workloads::line_layouts_values, r.layouts)},
              {"operand_paths", name_in(workloads::operand_paths_values, r.paths)},
              {"buffer_cycles", r.buffer_cycles},
              {"most_conflicts", r.most_conflicts},
              {"conflicts", or_null(r.fixed_conflicts > 0, r.fixed_conflicts)},
              {"double_buffered", r.double_buffered},
              {"whole_plans", r.whole_plans},
              {"run_cycles", r.run_cycles}};
    return with_common_fields(std::move(j), o.common);
}

// ---- CSV ----

// ---- tables ----

constexpr int name_width = 14;

// Marked where it is no difference.
std::string cost_text(double ratio)
{
    return (verdict_of(ratio) == cycles_verdict::same && ratio != 1 ? "~" : "") + number_text(ratio);
}

std::string by_text(const std::optional<compared_ratios>& r, double compared_ratios::*ratio)
{
    if (!r) { return "-"; }
    const bool is_cost = ratio == &compared_ratios::cycles || ratio == &compared_ratios::energy;
    return is_cost ? cost_text(*r.*ratio) : number_text(*r.*ratio);
}

std::string share(double value)
{
    std::ostringstream text;
    text << std::fixed << std::setprecision(1) << 100 * value << " %";
    return text.str();
}

class row_printer {
public:
    row_printer(std::ostream& out, std::vector<int> widths) : m_out(out), m_widths(std::move(widths)) {}
    void print(const std::string& name, const std::vector<std::string>& cells) const
    {
        m_out << "    " << std::left << std::setw(name_width) << name << std::right;
        for (std::size_t c = 0; c < cells.size(); ++c) {
            if (c < m_widths.size()) {
                m_out << std::setw(m_widths[c]);
            } else {
                m_out << "  ";
            }
            m_out << cells[c];
        }
        m_out << "\n";
    }

private:
    std::ostream& m_out;
    std::vector<int> m_widths;
};

void print_group(std::ostream& out, const compare_accelerators_options& o, const compared_group& group)
{
    const auto& w = *group.workload;
    const bool own = group.sequence == own_sequence;
    const bool is_total = o.what.model && &w == &o.what.model->whole;
    out << "  " << w.name << (is_total ? ", total of " + counted(o.what.workloads.size(), "product", "products") : "")
        << ", batch " << grouped_text(w.layer.batch);
    if (w.frames > 1) { out << ", frame by frame, " << grouped_text(w.layer.batch / w.frames) << " at a time"; }
    if (o.mode == "training" && !is_total && !w.products) { out << (w.with_dx ? ", dX on" : ", dX off"); }
    if (!w.products) { out << ", " << group.sequence; }
    const auto along =
        std::find_if(group.runs.begin(), group.runs.end(), [](const auto& run) { return run.tree.has_value(); });
    if (!own && along != group.runs.end()) { out << ": " << tree_of(group, *along); }
    out << "\n";
    const row_printer row(out, {16, 10, 12, 10, 13, 11, 10, 10, 10, 11, 10, 11});
    row.print("", {"cycles", "/ fetta", "energy", "/ fetta", "EDP", "/ fetta", "PEs used", "useful", "at work", "DRAM",
                   "/ fetta", "its share"});
    for (const auto& run : group.runs) {
        if (!run.found) {
            row.print(run.machine->name, {"  " + run.reason});
            continue;
        }
        const auto& e = *run.found;
        const auto r = group.ratios(run);
        const double edp = e.energy_pj * ns_of(e.cycles, o.common) * 1e-9;
        std::vector<std::string> cells{grouped_text(e.cycles),
                                       by_text(r, &compared_ratios::cycles),
                                       quantity_text(e.energy_pj, "J"),
                                       by_text(r, &compared_ratios::energy),
                                       quantity_text(edp, "J s"),
                                       by_text(r, &compared_ratios::edp),
                                       share(e.utilisation),
                                       share(e.useful_utilisation),
                                       share(e.array_utilisation),
                                       quantity_text(static_cast<double>(e.read_bytes + e.written_bytes) * 1e12, "B"),
                                       by_text(r, &compared_ratios::dram_bytes),
                                       share(e.dram_share)};
        if (own) { cells.push_back(tree_of(group, run)); }
        if (run.apart) { cells.emplace_back("apart"); }
        row.print(run.machine->name, cells);
    }
    if (o.mode == "training") { row.print("gpu", {"  not measured"}); }
}

void print_phases(std::ostream& out, const compared_group& group)
{
    const row_printer row(out, {8, 16, 16, 10, 16});
    row.print("", {"phase", "MACs", "array cycles", "at work", "in other order"});
    for (const auto& run : group.runs) {
        if (!run.found) { continue; }
        const auto phases = phases_of(*run.found);
        for (const auto& name : workloads::step_phase_values) {
            const auto& phase = phases[name.value];
            if (phase.macs == 0) { continue; }
            row.print(run.machine->name, {name.name, grouped_text(phase.macs), grouped_text(phase.array_cycles),
                                          share(array_utilisation(phase)), grouped_text(phase.in_other_order)});
        }
    }
}

std::string range_text(const ratio_range& range)
{
    if (range.count == 0) { return "-"; }
    return cost_text(range.mean) + " (" + number_text(range.least) + " to " + number_text(range.most) + ")";
}

void print_ranges(std::ostream& out, const compare_accelerators_options& o, const std::vector<compared_group>& groups)
{
    out << "  relative to fetta: geometric mean (minimum to maximum)\n";
    const row_printer row(out, {12, 28, 28, 28});
    row.print("", {"workloads", "cycles", "energy", "EDP"});
    for (const auto* machine : o.what.machines) {
        if (machine->name == "fetta") { continue; }
        const auto cycles = range_of(groups, machine->name, &compared_ratios::cycles);
        row.print(machine->name, {std::to_string(cycles.count), range_text(cycles),
                                  range_text(range_of(groups, machine->name, &compared_ratios::energy)),
                                  range_text(range_of(groups, machine->name, &compared_ratios::edp))});
    }
}

void print_sequences(std::ostream& out, const compare_accelerators_options& o,
                     const std::vector<compared_group>& groups)
{
    out << "  sequences relative to " << o.what.sequences.front() << ": geometric mean (minimum to maximum)\n";
    const row_printer row(out, {16, 11, 26, 26, 26, 26, 26});
    row.print("", {"sequence", "workloads", "useful MACs", "DRAM", "cycles", "energy", "EDP"});
    for (std::size_t m = 0; m < o.what.machines.size(); ++m) {
        for (const auto& of : sequence_ranges_of(o.what, groups, m)) {
            row.print(o.what.machines[m]->name,
                      {of.sequence, std::to_string(of.cycles.count), range_text(of.macs), range_text(of.dram_bytes),
                       range_text(of.cycles), range_text(of.energy), range_text(of.edp)});
        }
    }
}

void print_sweep(std::ostream& out, const compare_accelerators_options& o, const compare_accelerators_findings& f,
                 const rule_sweep& sweep)
{
    struct shown_ratio {
        const char* name;
        double compared_ratios::*ratio;
    };
    std::vector<const swept_point*> points;
    for (const auto& point : f.sweeps) {
        if (point.sweep == &sweep) { points.push_back(&point); }
    }
    for (const auto& [name, ratio] :
         {shown_ratio{"cycles", &compared_ratios::cycles}, shown_ratio{"energy", &compared_ratios::energy}}) {
        out << "  " << name << " relative to fetta, by " << sweep.rule << ": " << sweep.meaning << "\n";
        const row_printer row(out, std::vector<int>(points.size() + 1, 20));
        std::vector<std::string> head{"workload"};
        for (const auto* point : points) { head.push_back(point->value); }
        row.print("", head);
        for (std::size_t m = 0; m < o.what.machines.size(); ++m) {
            const auto& machine = *o.what.machines[m];
            if (machine.name == "fetta") { continue; }
            for (std::size_t g = 0; g < f.groups.size(); ++g) {
                const auto& of = f.groups[g];
                std::vector<std::string> cells{of.workload->name +
                                               (o.what.sequences.size() > 1 ? ", " + of.sequence : std::string())};
                for (const auto* point : points) {
                    const auto& group = point->groups[g];
                    cells.push_back(by_text(group.ratios(group.runs[m]), ratio));
                }
                row.print(machine.name, cells);
            }
            if (f.groups.size() == 1) { continue; }
            std::vector<std::string> means{"geometric mean"};
            for (const auto* point : points) {
                const auto range = range_of(point->groups, machine.name, ratio);
                means.push_back(range.count == 0 ? "-" : cost_text(range.mean));
            }
            row.print(machine.name, means);
        }
    }
}

// Work of a model's step that is not evaluated.
void write_left_out(run_report& report, const compare_accelerators_options& o)
{
    report["left_out"] = json::array();
    if (!o.what.model) { return; }
    report["left_out"] = o.what.model->left_out;
    std::string text;
    for (const auto& work : o.what.model->left_out) { text += (text.empty() ? "" : "; ") + work; }
    report.line("left out", text);
}

std::string grid_cell(const ratio_range& range)
{
    if (range.count == 0) { return "-"; }
    return (is_in_paper_range(range.mean) ? "* " : "") + cost_text(range.mean);
}

// A line per combination of all rules but the last, whose values are the columns.
void print_grid(std::ostream& out, const compare_accelerators_options& o, const compare_accelerators_findings& f)
{
    const auto& last = *o.grid.back();
    const std::size_t columns = last.points.size();
    out << "  cycles relative to fetta, by " << o.grid.size() << " rules, columns by " << last.rule
        << ": geometric mean; * in the paper's range, " << number_text(paper_least) << " to " << number_text(paper_most)
        << "\n";
    constexpr int values_width = 44, column_width = 12;
    std::vector<int> widths{values_width};
    widths.insert(widths.end(), columns, column_width);
    const row_printer row(out, widths);
    std::vector<std::string> head{""};
    for (const auto& point : last.points) { head.push_back(point.value); }
    row.print("", head);
    for (const auto* machine : o.what.machines) {
        if (machine->name == "fetta") { continue; }
        for (std::size_t p = 0; p < f.grid.size(); p += columns) {
            auto values = f.grid[p].values;
            values.pop_back();
            std::vector<std::string> cells{values_text(o, values)};
            for (std::size_t c = 0; c < columns; ++c) {
                cells.push_back(grid_cell(range_of(f.grid[p + c].groups, machine->name, &compared_ratios::cycles)));
            }
            row.print(machine->name, cells);
        }
        const auto s = summary_of(f.grid, machine->name);
        if (s.points == 0) { continue; }
        const auto extreme = [&](const grid_extreme& e) {
            return number_text(e.ratio) + " on " + e.on->name + " (" + values_text(o, e.at->values) + ")";
        };
        out << "      " << s.in_paper_range << " of " << counted(s.points, "point", "points")
            << " in the paper's range, " << s.same << " without a difference, " << s.fewer
            << " with fewer cycles than fetta; of a layer least " << extreme(s.least) << ", most " << extreme(s.most)
            << "\n";
    }
}

} // namespace

std::string comparison_csv(const compare_accelerators_options& o, const compare_accelerators_findings& f)
{
    std::vector<json> rows;
    for (const auto& group : f.groups) {
        for (const auto& run : group.runs) { rows.push_back(row_json(o, group, run)); }
    }
    return csv_of(rows);
}

std::string sweep_csv(const compare_accelerators_options& o, const compare_accelerators_findings& f)
{
    std::vector<json> rows;
    for (const auto& swept : f.sweeps) {
        for (const auto& group : swept.groups) {
            for (const auto& run : group.runs) {
                json row = {{"rule", swept.sweep->rule}, {"value", swept.value}};
                row.update(row_json(o, group, run));
                rows.push_back(std::move(row));
            }
        }
    }
    return csv_of(rows);
}

std::string grid_csv(const compare_accelerators_options& o, const compare_accelerators_findings& f)
{
    std::vector<json> rows;
    for (const auto& point : f.grid) {
        for (const auto& group : point.groups) {
            for (const auto& run : group.runs) {
                json row = values_json(o, point.values);
                row.update(row_json(o, group, run));
                rows.push_back(std::move(row));
            }
        }
    }
    return csv_of(rows);
}

void write_report(run_report& report, const compare_accelerators_options& o, const compare_accelerators_findings& f)
{
    report.begin(o.mode + ", " + counted(o.what.workloads.size(), "workload", "workloads") + ", " +
                     counted(o.what.machines.size(), "accelerator", "accelerators"),
                 "tensorloom-compare_accelerators-summary-1", configuration_json(o));
    report.line("rules",
                std::string("intermediates ") + name_in(workloads::evaluated_residency_values, o.rules.residency) +
                    ", mode orders " + name_in(workloads::line_layouts_values, o.rules.layouts) + ", conflicts " +
                    (o.rules.fixed_conflicts > 0 ? number_text(o.rules.fixed_conflicts)
                                                 : "at most " + number_text(o.rules.most_conflicts)) +
                    (o.rules.double_buffered ? "" : ", single-buffered") + (o.rules.whole_plans ? ", full plan" : "") +
                    ", layout " + name_in(workloads::operand_paths_values, o.rules.paths) + ", " +
                    number_text(o.rules.run_cycles) + " cycles per run of a reordering");
    report.line("~", "a difference within the error of the estimates, " + number_text(100 * estimate_error) + " %");
    if (o.common.overclocked) { report.line("warning", o.common.overclocked_because); }
    for (const auto& group : f.groups) {
        print_group(report.text(), o, group);
        if (o.by_phase) { print_phases(report.text(), group); }
    }
    const auto totals = totals_of(o.what, f.groups);
    for (const auto& total : totals) { print_group(report.text(), o, total); }
    write_left_out(report, o);
    if (f.groups.size() > 1) { print_ranges(report.text(), o, f.groups); }
    if (o.what.sequences.size() > 1) { print_sequences(report.text(), o, f.groups); }
    report["sequence_ranges"] = sequence_ranges_json(o, f.groups);
    for (const auto* sweep : o.sweeps) { print_sweep(report.text(), o, f, *sweep); }
    if (!o.grid.empty()) { print_grid(report.text(), o, f); }
    report["results"] = results_json(o, f.groups);
    report["totals"] = totals_json(o, totals);
    report["ranges"] = ranges_json(o, f.groups);
    report["sweeps"] = sweeps_json(o, f);
    report["grid"] = grid_json(o, f);
    report["gpu"] = or_null(o.mode == "training", "not measured");
    report["check"] = {
        {"passed", or_null(f.passed)},
        {"reference", or_null(f.passed.has_value(), "bounds of the multipliers and of the memory; sums")}};
    report.check(f.passed, f.failure.empty() ? "" : ": " + f.failure);
    report.simulation(f.usage, 0);
}

} // namespace tensorloom::testbench
