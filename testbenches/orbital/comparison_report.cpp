#include "orbital/orbital.h"
#include <algorithm>
#include <numeric>
#include <sstream>
#include "platform/report/report_table.h"

namespace tensorloom::testbench {
namespace {

std::uint64_t sum_of(const by_direction& parts)
{
    return std::accumulate(parts.begin(), parts.end(), std::uint64_t{0});
}

std::string mm_text(double um) { return number_text(um / 1000) + " mm"; }
std::string mm2_text(double um2) { return number_text(um2 / 1e6) + " mm^2"; }
std::string percent_text(double share) { return number_text(100 * share) + " %"; }

/// Prints what two devices have side by side, with the ratio of numbers.
class pair_printer {
public:
    pair_printer(std::ostream& out, const measured_run& a, const measured_run& b)
        : m_table(out, 24, {18, 18, 10}), m_a(a), m_b(b)
    {
        m_table.print("", {a.device, b.device, "ratio"});
    }
    template <class Value, class Text> void print(const char* name, const Value& value_of, const Text& text_of)
    {
        const auto a = value_of(m_a), b = value_of(m_b);
        const bool known = b != 0;
        m_table.print(
            name, {text_of(a), text_of(b), known ? number_text(static_cast<double>(a) / static_cast<double>(b)) : "-"});
    }
    template <class Value> void count(const char* name, const Value& value_of) { print(name, value_of, grouped_text); }

private:
    cell_table m_table;
    const measured_run& m_a;
    const measured_run& m_b;
};

std::string picojoules(double pj) { return quantity_text(pj, "J"); }

void print_pair(run_report& report, const measured_run& torus, const measured_run& triada)
{
    report.text() << "  side by side\n";
    pair_printer pair(report.text(), torus, triada);
    const auto cause = [](const char* name) {
        return [name](const measured_run& r) { return r.costs.cycles_of(name); };
    };
    pair.count("multipliers", [](const auto& r) { return r.multipliers; });
    pair.count("memory, words", [](const auto& r) { return r.memory_words; });
    pair.count("steps", [](const auto& r) { return r.steps; });
    pair.count("cycles", [](const auto& r) { return r.costs.cycles; });
    pair.count("  working", [](const auto& r) { return r.working_cycles; });
    pair.count("  load", cause("load"));
    pair.count("  unload", cause("unload"));
    pair.print(
        "utilisation", [](const auto& r) { return r.utilisation(); }, percent_text);
    pair.print(
        "  while working", [](const auto& r) { return r.utilisation_working(); }, percent_text);
    pair.count("words sent", [](const auto& r) { return sum_of(r.words); });
    pair.count("word-pitches", [](const auto& r) { return sum_of(r.word_pitches); });
    pair.print(
        "pitch", [](const auto& r) { return r.pitch_um; }, mm_text);
    pair.print(
        "longest wire", [](const auto& r) { return r.longest_wire_um; }, mm_text);
    pair.count("  cycles", [](const auto& r) { return r.wire_cycles; });
    pair.print(
        "energy", [](const auto& r) { return r.costs.pj(); }, picojoules);
    const auto component = [&](const char* name) {
        if (torus.costs.pj_of(name) == 0 && triada.costs.pj_of(name) == 0) { return; }
        pair.print(("  " + std::string(name)).c_str(), [&](const auto& r) { return r.costs.pj_of(name); }, picojoules);
    };
    for (const char* name : {"mac", "registers", "node_memory", "actuators"}) { component(name); }
    pair.print(
        "  wires", [](const auto& r) { return r.wire_pj; }, picojoules);
    for (const char* name : {"memory", "dram", "dram_background", "leakage"}) { component(name); }
    pair.print(
        "area", [](const auto& r) { return r.on.um2(); }, mm2_text);
    pair.print(
        "footprint", [](const auto& r) { return r.on.footprint_um2(); }, mm2_text);
}

void print_sweep(run_report& report, const orbital_findings& f)
{
    report.text() << "  sizes\n";
    cell_table table(report.text(), 14, {8, 16, 8, 14, 14, 18, 12, 13, 12});
    table.print("", {"device", "block", "steps", "cycles", "working", "word-pitches", "wire", "wire energy", "energy"});
    for (const auto& run : f.runs) {
        table.print(shape_text(run.shape),
                    {run.device, run.fit ? shape_text(run.fit->block) : "1 x 1 x 1", grouped_text(run.steps),
                     grouped_text(run.costs.cycles), grouped_text(run.working_cycles),
                     grouped_text(sum_of(run.word_pitches)), mm_text(run.longest_wire_um), picojoules(run.wire_pj),
                     picojoules(run.costs.pj())});
    }
}

json tiles_json(const measured_run& run)
{
    if (!run.fit || !run.fit->tiled) { return nullptr; }
    return {{"passes", run.passes}, {"workspace_bytes", run.workspace_bytes}};
}

} // namespace

namespace {

json chain_json(const measured_run& run)
{
    json list = json::array();
    for (const auto& [step, cycles, steps, macs] : run.chain) {
        list.push_back({{"step", step}, {"cycles", cycles}, {"steps", steps}, {"macs", macs}});
    }
    return list;
}

} // namespace

json run_json(const orbital_options& o, const measured_run& run)
{
    json row = {{"device", run.device},
                {"shape", run.shape},
                {"out_shape", run.result_shape},
                {"grid", run.fit ? json(run.fit->side) : json(nullptr)},
                {"block", run.fit ? json(run.fit->block) : json(nullptr)},
                {"tiles", tiles_json(run)},
                {"multipliers", run.multipliers},
                {"memory_words", run.memory_words},
                {"memory_bytes", run.memory_bytes},
                {"steps", run.steps}};
    row.update(cycles_json(run.costs, o.common));
    row.update({{"working_cycles", run.working_cycles},
                {"macs", run.macs},
                {"macs_done", run.macs_done},
                {"utilisation", run.utilisation()},
                {"utilisation_working", run.utilisation_working()},
                {"words", run.words},
                {"word_pitches", run.word_pitches},
                {"pitch_um", run.pitch_um},
                {"longest_wire_pitches", run.longest_pitches},
                {"longest_wire_um", run.longest_wire_um},
                {"wire_cycles", run.wire_cycles},
                {"wire_pJ", run.wire_pj}});
    row.update(energy_json(run.costs.energy));
    row.update(die_json(run.on, run.costs.energy, ns_of(run.costs.cycles, o.common),
                        static_cast<double>(clock_period_ps(o.common)) / 1000));
    row["chain"] = or_null(!run.chain.empty(), chain_json(run));
    row["max_abs_error"] = or_null(run.check.has_value(), run.check ? run.check->max_abs_error : 0);
    row["bound"] = or_null(run.check.has_value(), run.check ? run.check->bound : 0);
    return row;
}

void print_runs(run_report& report, const orbital_options& o, const orbital_findings& f)
{
    if (!o.sweep.empty()) {
        print_sweep(report, f);
    } else if (o.compares) {
        print_pair(report, f.runs[0], f.runs[1]);
        const auto& other = f.runs[1];
        const run_power power(other.costs.energy, ns_of(other.costs.cycles, o.common), other.on);
        for (const auto& warning :
             warnings_of(other.on, power, static_cast<double>(clock_period_ps(o.common)) / 1000)) {
            report.line("warning", other.device + ": " + warning);
        }
    }
    if (o.compares) {
        report.line("difference", "max " + number_text(*std::max_element(f.differences.begin(), f.differences.end())) +
                                      " between the devices' results");
    }
}

std::string comparison_csv(const orbital_options& o, const orbital_findings& f)
{
    std::vector<json> rows;
    for (const auto& run : f.runs) {
        const auto all = run_json(o, run);
        json row = {{"device", run.device}};
        for (std::size_t m = 0; m < 3; ++m) { row["n" + std::to_string(m + 1)] = run.shape[m]; }
        for (const char* name : {"grid", "multipliers", "memory_words", "steps", "cycles", "simulated_time_ns",
                                 "working_cycles", "macs", "macs_done", "utilisation", "utilisation_working"}) {
            row[name] = all[name];
        }
        row["block"] = run.fit ? json(shape_text(run.fit->block)) : json("1 x 1 x 1");
        row["words"] = sum_of(run.words);
        row["word_pitches"] = sum_of(run.word_pitches);
        for (const char* name : {"pitch_um", "longest_wire_pitches", "longest_wire_um", "wire_cycles", "wire_pJ"}) {
            row[name] = all[name];
        }
        for (const char* component : {"total", "mac", "registers", "node_memory", "links", "actuators", "lines",
                                      "memory", "dram", "dram_background", "leakage"}) {
            row[std::string(component) + "_pJ"] = all["energy_pJ"].value(component, 0.0);
        }
        row["area_um2"] = all["area_um2"]["total"];
        row["footprint_um2"] = all["footprint_um2"];
        row["power_mW"] = all["power_mW"]["average"];
        row["max_abs_error"] = all["max_abs_error"];
        rows.push_back(std::move(row));
    }
    return csv_of(rows);
}

} // namespace tensorloom::testbench
