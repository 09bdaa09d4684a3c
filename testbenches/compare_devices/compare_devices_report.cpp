#include <algorithm>
#include <functional>
#include <map>
#include <string>
#include "compare_devices/compare_devices.h"
#include "platform/report/report_table.h"

namespace tensorloom::testbench {
namespace {

double as_double(std::uint64_t n) { return static_cast<double>(n); }

std::string percent_text(double share) { return number_text(100 * share) + " %"; }
std::string picojoules(double pj) { return quantity_text(pj, "J"); }
std::string mm2_text(double um2) { return number_text(um2 / 1e6) + " mm^2"; }

/// What follows from what was measured of a device; `macs`: of the work.
struct run_figures {
    double ns = 0;
    double macs_per_cycle = 0;
    double utilisation = 0, utilisation_working = 0; ///< of its units by the work's MACs
    double leakage_pj = 0, dram_pj = 0, dynamic_pj = 0;
    // By unit that multiplies and adds.
    double unit_cycles_per_mac = 0; ///< cycles x units per MAC: 1 of units that never wait
    double macs_per_s_of_unit = 0;
    double pj_per_mac = 0;
    double um2_of_unit = 0; ///< of the whole die

    run_figures(const device_result& run, std::uint64_t macs, const common_options& common)
        : ns(ns_of(run.costs.cycles, common)), leakage_pj(costs::leakage_pj(run.costs.energy))
    {
        const double cycles = as_double(run.costs.cycles), units = as_double(run.units), work = as_double(macs);
        macs_per_cycle = ratio(work, cycles);
        utilisation = ratio(work, units * cycles);
        utilisation_working = ratio(work, units * as_double(run.working_cycles));
        for (const auto& e : run.costs.energy) { dram_pj += e.component.rfind("dram", 0) == 0 ? e.pj : 0; }
        dynamic_pj = run.costs.pj() - leakage_pj - dram_pj;
        unit_cycles_per_mac = ratio(cycles * units, work);
        macs_per_s_of_unit = ratio(work * 1e9, ns * units);
        pj_per_mac = ratio(run.costs.pj(), work);
        um2_of_unit = ratio(run.on.um2(), units);
    }
};

std::string format_text(const device_result& run)
{
    return std::string(base::element_type_name(run.operands)) + ", sums " +
           std::string(base::element_type_name(run.sums));
}

std::string bound_text(const run_bound& bound)
{
    return bound.by ? resource_name(*bound.by) + (", " + percent_text(bound.saving(*bound.by))) : "-";
}

double peak_of(const device_result& run, const common_options& common)
{
    return peak_bytes_per_cycle(common, run.dma_ports);
}

/// Prints a line of the table: a cell of each device.
class run_lines {
public:
    run_lines(run_report& report, const compare_devices_options& o, const compare_devices_findings& f)
        : m_table(report.text(), 26, std::vector<int>(f.runs.size(), 26)), m_found(f), m_common(o.common)
    {}
    using cell = std::function<std::string(const device_result&, const run_figures&)>;
    void print(const char* name, const cell& text_of)
    {
        std::vector<std::string> cells;
        for (const auto& run : m_found.runs) {
            cells.push_back(text_of(run, run_figures(run, m_found.macs, m_common)));
        }
        m_table.print(name, cells);
    }

private:
    cell_table m_table;
    const compare_devices_findings& m_found;
    const common_options& m_common;
};

void print_runs(run_report& report, const compare_devices_options& o, const compare_devices_findings& f)
{
    using run = const device_result&;
    using figures = const run_figures&;
    run_lines lines(report, o, f);
    report.text() << "  side by side\n";
    lines.print("", [](run r, figures) { return r.title; });
    lines.print("runs the work as", [](run r, figures) { return r.way; });
    lines.print("array", [](run r, figures) { return r.array; });
    lines.print("operands", [](run r, figures) { return format_text(r); });
    lines.print("MAC units", [](run r, figures) { return grouped_text(r.units); });
    lines.print("on-chip bytes", [](run r, figures) { return grouped_text(r.on_chip_bytes); });
    lines.print("cycles", [](run r, figures) { return grouped_text(r.costs.cycles); });
    lines.print("  working", [](run r, figures) { return grouped_text(r.working_cycles); });
    lines.print("  bound by", [&](run r, figures) { return bound_text(bound_of(r.costs, o.common, r.dma_ports)); });
    lines.print("time", [](run, figures v) { return quantity_text(v.ns * 1000, "s"); });
    lines.print("MACs per cycle", [](run, figures v) { return number_text(v.macs_per_cycle); });
    lines.print("utilisation", [](run, figures v) { return percent_text(v.utilisation); });
    lines.print("  while working", [](run, figures v) { return percent_text(v.utilisation_working); });
    lines.print("energy", [](run r, figures) { return picojoules(r.costs.pj()); });
    lines.print("  dynamic", [](run, figures v) { return picojoules(v.dynamic_pj); });
    lines.print("  leakage", [](run, figures v) { return picojoules(v.leakage_pj); });
    if (o.common.platform.in_dram()) {
        lines.print("  DRAM", [](run, figures v) { return picojoules(v.dram_pj); });
    }
    lines.print("area", [](run r, figures) { return mm2_text(r.on.um2()); });
    lines.print("bytes read", [](run r, figures) { return grouped_text(r.costs.bus_read_bytes); });
    lines.print("bytes written", [](run r, figures) { return grouped_text(r.costs.bus_written_bytes); });
    report.text() << "  by MAC unit\n";
    lines.print("cycles x units per MAC", [](run, figures v) { return number_text(v.unit_cycles_per_mac); });
    lines.print("MACs per s and unit",
                [](run, figures v) { return number_text(v.macs_per_s_of_unit / 1e6) + " million"; });
    lines.print("energy per MAC", [](run, figures v) { return picojoules(v.pj_per_mac); });
    lines.print("area per unit", [](run, figures v) { return number_text(v.um2_of_unit) + " um^2"; });
    if (!o.common.check) { return; }
    report.text() << "  against the sums in float64\n";
    lines.print("error", [](run r, figures) { return number_text(r.check->max_abs_error); });
    lines.print("  relative", [](run r, figures) { return number_text(r.check->max_rel_error); });
    lines.print("  of its bound", [](run r, figures) { return percent_text(r.check->worst_of_bound); });
}

/// A figure of all devices, of which the least is best.
struct compared_figure {
    const char* name;
    std::function<double(const device_result&)> value;
    std::function<figure_range(const device_result&)> range;
    std::function<std::string(double)> text;
};

std::vector<compared_figure> compared_figures()
{
    return {{"energy", [](const auto& r) { return r.costs.pj(); },
             [](const auto& r) { return energy_range_pj(r.on, r.costs.energy); }, picojoules},
            {"area", [](const auto& r) { return r.on.um2(); }, [](const auto& r) { return area_range_um2(r.on); },
             mm2_text}};
}

/// The device with the least, and those whose ranges overlap its own.
std::vector<const device_result*> candidates(const compared_figure& figure, const compare_devices_findings& f)
{
    const auto least = std::min_element(
        f.runs.begin(), f.runs.end(), [&](const auto& a, const auto& b) { return figure.value(a) < figure.value(b); });
    std::vector<const device_result*> found{&*least};
    for (const auto& run : f.runs) {
        if (&run != &*least && figure.range(run).overlaps(figure.range(*least))) { found.push_back(&run); }
    }
    return found;
}

void write_least(run_report& report, const compare_devices_findings& f)
{
    json least;
    for (const auto& figure : compared_figures()) {
        const auto found = candidates(figure, f);
        std::string text = found.size() == 1 ? "" : "not decided: ";
        json names = json::array();
        for (const auto* run : found) {
            const auto range = figure.range(*run);
            text += (run == found.front() ? "" : ", ") + run->title + " " + figure.text(range.least) + " to " +
                    figure.text(range.most);
            names.push_back(run->device);
        }
        if (f.runs.size() > 1) { report.line(std::string("least ") + figure.name, text); }
        least[figure.name] = std::move(names);
    }
    report["least"] = std::move(least);
}

// A line for each text, with the devices that have it.
void print_memory_ports(run_report& report, const compare_devices_findings& f)
{
    std::map<std::string, std::string> titles;
    for (const auto& run : f.runs) {
        auto& of = titles[run.memory_port];
        of += (of.empty() ? "" : ", ") + run.title;
    }
    for (const auto& [text, of] : titles) {
        if (!text.empty()) { report.line("memory port", of + ": " + text); }
    }
}

json check_json(const products_check& check)
{
    return {{"passed", check.passed},
            {"max_abs_error", check.max_abs_error},
            {"max_rel_error", check.max_rel_error},
            {"bound", check.bound},
            {"worst_of_bound", check.worst_of_bound}};
}

json run_json(const compare_devices_options& o, const device_result& run, std::uint64_t macs)
{
    const run_figures v(run, macs, o.common);
    const double peak = peak_of(run, o.common);
    const auto bound = bound_of(run.costs, o.common, run.dma_ports);
    json row = {{"device", run.device},
                {"title", run.title},
                {"way", run.way},
                {"array", run.array},
                {"operands", base::element_type_name(run.operands)},
                {"sums", base::element_type_name(run.sums)},
                {"mac_units", run.units},
                {"on_chip_bytes", run.on_chip_bytes},
                {"programs", run.costs.programs}};
    row.update(cycles_json(run.costs, o.common));
    row.update({{"working_cycles", run.working_cycles},
                {"macs", macs},
                {"macs_done", run.macs_done},
                {"macs_per_cycle", v.macs_per_cycle},
                {"utilisation", v.utilisation},
                {"utilisation_working", v.utilisation_working},
                {"bound_by", bound_json(bound, bound.utilisation_ceiling(v.utilisation))},
                {"memory",
                 {{"bytes", run.memory_bytes},
                  {"read_bytes", run.costs.bus_read_bytes},
                  {"written_bytes", run.costs.bus_written_bytes},
                  {"peak_bytes_per_cycle", peak}}}});
    row.update(energy_json(run.costs.energy));
    row.update({{"dynamic_pJ", v.dynamic_pj}, {"leakage_pJ", v.leakage_pj}, {"dram_pJ", v.dram_pj}});
    row.update(die_json(run.on, run.costs.energy, v.ns, as_double(clock_period_ps(o.common)) / 1000));
    row["by_mac_unit"] = {{"cycle_units_per_mac", v.unit_cycles_per_mac},
                          {"macs_per_s", v.macs_per_s_of_unit},
                          {"pJ_per_mac", v.pj_per_mac},
                          {"area_um2", v.um2_of_unit}};
    row["check"] = run.check ? check_json(*run.check) : json(nullptr);
    row["settings"] = run.configuration;
    return row;
}

json configuration_json(const compare_devices_options& o, unsigned mac_latency)
{
    json devices = json::array();
    for (const auto& device : o.compared) { devices.push_back(device->name()); }
    return with_common_fields({{"einsum", mode_products::einsum},
                               {"shape", o.shape},
                               {"out_shape", o.out_shape},
                               {"order", mode_products::order},
                               {"source", o.inputs.empty() ? "random" : "file"},
                               {"devices", devices},
                               {"equal", or_null(o.budget.resource != equal_resource::none,
                                                 equal_resource_names[static_cast<std::size_t>(o.budget.resource)])},
                               {"budget", or_null(o.budget.is_searched(), o.budget.most)},
                               {"mac_latency", mac_latency}},
                              o.common);
}

void write_check(run_report& report, const compare_devices_findings& f)
{
    const auto passed = f.passed();
    if (passed) {
        double abs = 0, rel = 0;
        for (const auto& run : f.runs) {
            abs = std::max(abs, run.check->max_abs_error);
            rel = std::max(rel, run.check->max_rel_error);
        }
        report["check"] = {{"passed", *passed},
                           {"max_abs_error", abs},
                           {"max_rel_error", rel},
                           {"reference", "sums in float64, without rounding in between"}};
    }
    report.check(passed);
}

} // namespace

std::optional<bool> compare_devices_findings::passed() const
{
    if (!runs.front().check) { return std::nullopt; }
    return std::all_of(runs.begin(), runs.end(), [](const device_result& run) { return run.check->passed; });
}

void write_report(run_report& report, const compare_devices_options& o, const compare_devices_findings& f)
{
    const std::string sizes = shape_text(o.shape) + (o.out_shape != o.shape ? " to " + shape_text(o.out_shape) : "");
    report.begin(std::string(mode_products::einsum) + ", " + sizes + ", " + fidelity_name(o.common),
                 "tensorloom-compare-devices-summary-1", configuration_json(o, f.mac_latency));
    report["macs"] = f.macs;
    report.line("MACs", grouped_text(f.macs) + ", sums over c, then b, then a");
    report.line("multiply-add", std::to_string(f.mac_latency) + (f.mac_latency == 1 ? " cycle" : " cycles") +
                                    (o.mac_latency ? "" : ", by its gates in the technology"));
    const auto& around = o.common.platform;
    report.line("memory",
                around.in_dram()
                    ? "one DRAM per device, " + around.dram + ", through " + std::to_string(around.dma_bits) + " bits"
                    : "one SRAM per device, through " + std::to_string(around.dma_bits) + " bits");
    if (o.budget.is_searched()) {
        std::string searched;
        for (std::size_t d = 0; d < f.runs.size(); ++d) {
            searched += (d == 0 ? "" : ", ") + f.runs[d].title + " " + std::to_string(f.sizes[d].within) + " of " +
                        std::to_string(f.sizes[d].simulated);
        }
        report.line("sizes", "the fastest within " + text_of(o.budget) + "; within it are: " + searched);
    }
    if (o.budget.resource == equal_resource::multipliers) {
        report.line("sizes", grouped_text(equal_multipliers) + " multipliers and at most " +
                                 grouped_text(equal_on_chip_bytes) + " on-chip bytes on every device");
    }
    print_memory_ports(report, f);
    json left_out = json::array();
    for (const auto& device : f.left_out) {
        report.line("left out", device.title + ": " + device.reason);
        left_out.push_back({{"device", device.device}, {"reason", device.reason}});
    }
    report["left_out"] = std::move(left_out);
    print_runs(report, o, f);
    json runs = json::array();
    std::uint64_t done = 0;
    bool estimate = false;
    for (const auto& run : f.runs) {
        runs.push_back(run_json(o, run, f.macs));
        done += run.macs_done;
        estimate = estimate || !activity::estimated(run.costs.energy).empty();
    }
    report["runs"] = std::move(runs);
    write_least(report, f);
    if (estimate) { report.line("estimates", "are part of these energies and areas, marked in the technology"); }
    for (const auto& run : f.runs) {
        const run_power power(run.costs.energy, ns_of(run.costs.cycles, o.common), run.on);
        for (const auto& warning : warnings_of(run.on, power, as_double(clock_period_ps(o.common)) / 1000)) {
            report.line("warning", run.title + ": " + warning);
        }
    }
    write_check(report, f);
    report.simulation(f.usage, done);
}

std::string comparison_csv(const compare_devices_options& o, const compare_devices_findings& f)
{
    std::vector<json> rows;
    for (const auto& run : f.runs) {
        const auto all = run_json(o, run, f.macs);
        json row;
        for (const char* name :
             {"device", "operands", "sums", "mac_units", "on_chip_bytes", "cycles", "simulated_time_ns",
              "working_cycles", "macs", "macs_done", "macs_per_cycle", "utilisation", "utilisation_working"}) {
            row[name] = all[name];
        }
        row["bound_by"] = all["bound_by"]["resource"];
        row["read_bytes"] = all["memory"]["read_bytes"];
        row["written_bytes"] = all["memory"]["written_bytes"];
        row["total_pJ"] = all["energy_pJ"]["total"];
        for (const char* name : {"dynamic_pJ", "leakage_pJ", "dram_pJ"}) { row[name] = all[name]; }
        row["area_um2"] = all["area_um2"]["total"];
        for (const auto& [name, value] : all["by_mac_unit"].items()) { row["unit_" + name] = value; }
        row["max_abs_error"] = run.check ? all["check"]["max_abs_error"] : json(nullptr);
        rows.push_back(std::move(row));
    }
    return csv_of(rows);
}

} // namespace tensorloom::testbench
