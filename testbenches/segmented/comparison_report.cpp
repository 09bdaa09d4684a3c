#include "segmented/comparison_report.h"
#include <algorithm>
#include <string>
#include <nlohmann/json.hpp>
#include "platform/mmv_report.h"
#include "platform/report_table.h"
#include "platform/run_costs.h"
#include "platform/summary_file.h"
#include "segmented/segmented_configuration.h"

namespace tensorloom::testbench {
namespace {

using json = nlohmann::ordered_json;

constexpr int column = 14;

std::string padded(const std::string& text)
{
    return text.size() >= column ? " " + text : std::string(column - text.size(), ' ') + text;
}

std::string metric_text(const cost_point& point, cost_metric metric)
{
    return metric == cost_metric::energy ? quantity_text(point.pj, "J")
                                         : grouped_text(metric == cost_metric::steps ? point.steps : point.cycles);
}

void print_metric(std::ostream& out, const std::vector<cost_curve>& curves, cost_metric metric)
{
    out << "  " << name_of(metric) << (metric == cost_metric::steps ? " of the model" : "") << "\n";
    out << "  " << padded("length");
    for (const auto& c : curves) { out << padded(c.variant); }
    out << "\n";
    for (std::size_t i = 0; i < curves.front().points.size(); ++i) {
        out << "  " << padded(grouped_text(curves.front().points[i].length));
        for (const auto& c : curves) { out << padded(metric_text(c.points[i], metric)); }
        out << "\n";
    }
}

std::string crossover_text(const std::vector<std::uint64_t>& lengths, const std::optional<std::uint64_t>& from)
{
    if (!from) { return "never"; }
    return *from == lengths.front() ? "always" : "from " + grouped_text(*from);
}

void print_crossovers(std::ostream& out, const segmented_comparison& c)
{
    out << "  crossover: the smallest length tried from which on the first costs less than the second\n";
    for (const auto& a : c.curves()) {
        for (const auto& b : c.curves()) {
            if (&a == &b) { continue; }
            std::string text;
            bool ever = false;
            for (const auto metric : cost_metrics) {
                const auto from = crossover(a, b, metric);
                ever = ever || from;
                text += std::string(text.empty() ? "" : ", ") + name_of(metric) + " " + crossover_text(c.lengths, from);
            }
            if (ever) { out << "    " << a.variant << " before " << b.variant << ": " << text << "\n"; }
        }
    }
}

std::string lengths_text(const std::vector<std::uint64_t>& lengths)
{
    std::string text;
    for (const auto n : lengths) { text += (text.empty() ? "" : ", ") + grouped_text(n); }
    return text;
}

void print_sensitivity(std::ostream& out, const segmented_comparison& c)
{
    out << "  sensitivity: the vector unit's estimated cycles and energies multiplied; where variants rank "
           "differently\n";
    for (const auto& scaled : c.sensitivity) {
        if (scaled.factor == 1) { continue; }
        for (const auto metric : {cost_metric::cycles, cost_metric::energy}) {
            const auto changed = changed_rankings(c.curves(), scaled.curves, metric);
            out << "    x " << number_text(scaled.factor) << ", " << name_of(metric) << ": "
                << (changed.empty() ? "the same at every length" : "at length " + lengths_text(changed)) << "\n";
        }
    }
}

json ranking_json(const std::vector<cost_curve>& curves, std::size_t at)
{
    json by_metric = json::object();
    for (const auto metric : cost_metrics) {
        json names = json::array();
        for (const auto i : ranking(curves, at, metric)) { names.push_back(curves[i].variant); }
        by_metric[name_of(metric)] = names;
    }
    return by_metric;
}

json runs_json(const segmented_options& o, const segmented_comparison& c)
{
    json list = json::array();
    for (const auto& run : c.runs) {
        json entry = {{"variant", run.variant->name},
                      {"length", run.length},
                      {"elements", run.elements},
                      {"passed", o.common.check ? json(run.passed) : json(nullptr)},
                      {"first_run", run.first_program},
                      {"scratchpad_bytes_used", run.scratchpad_bytes},
                      {"model", mmv_ram_json(arch::mmv::mmv_ram_meter_of(run.costs.counts, o.side))}};
        entry.update(costs_json(run.costs, *c.station, o.common));
        list.push_back(entry);
    }
    return list;
}

json crossovers_json(const segmented_comparison& c)
{
    json list = json::array();
    for (const auto& a : c.curves()) {
        for (const auto& b : c.curves()) {
            if (&a == &b) { continue; }
            json entry = {{"first", a.variant}, {"second", b.variant}};
            for (const auto metric : cost_metrics) {
                const auto from = crossover(a, b, metric);
                entry[name_of(metric)] = from ? json(*from) : json(nullptr);
            }
            list.push_back(entry);
        }
    }
    return list;
}

json sensitivity_json(const segmented_comparison& c)
{
    json list = json::array();
    for (const auto& scaled : c.sensitivity) {
        json points = json::array();
        for (const auto& curve : scaled.curves) {
            for (const auto& p : curve.points) {
                points.push_back({{"variant", curve.variant},
                                  {"length", p.length},
                                  {"steps", p.steps},
                                  {"cycles", p.cycles},
                                  {"energy_pJ", p.pj},
                                  {"vector_unit_pJ", p.vector_pj}});
            }
        }
        json rankings = json::array();
        for (std::size_t i = 0; i < c.lengths.size(); ++i) {
            json entry = {{"length", c.lengths[i]}};
            entry.update(ranking_json(scaled.curves, i));
            rankings.push_back(entry);
        }
        json changed = json::object();
        for (const auto metric : cost_metrics) {
            changed[name_of(metric)] = changed_rankings(c.curves(), scaled.curves, metric);
        }
        list.push_back(
            {{"factor", scaled.factor}, {"points", points}, {"rankings", rankings}, {"ranking_changed_at", changed}});
    }
    return list;
}

} // namespace

void print_table(std::ostream& out, const segmented_options& o, const segmented_comparison& c)
{
    report_table lines(out);
    out << "segmented: variants of " << workloads::name_of(o.operation) << ", " << device_text(o) << "\n";
    for (const auto& [name, why] : c.left_out) { lines.line("left out", name + ": " + why); }
    for (const auto metric : cost_metrics) { print_metric(out, c.curves(), metric); }
    if (c.station->device().overlap) { lines.line("overlap", "on: an extension, not the papers' machine"); }
    print_crossovers(out, c);
    print_sensitivity(out, c);
    for (const auto& run : c.runs) {
        if (!run.passed) {
            lines.line("wrong", std::string(run.variant->name) + " of length " + grouped_text(run.length));
        }
    }
    lines.line("check", !o.common.check ? "not done (--no-check)" : c.passed() ? "passed" : "FAILED");
    print_usage(lines, c.usage, c.macs);
}

std::string failure_text(const segmented_options&, const segmented_comparison& c)
{
    const auto wrong = std::find_if_not(c.runs.begin(), c.runs.end(), [](const compared_run& r) { return r.passed; });
    return "check failed: " + std::string(wrong->variant->name) + " of length " + std::to_string(wrong->length);
}

void write_files(const output_directory& directory, const segmented_options& o, const segmented_comparison& c)
{
    std::uint64_t scratchpad_bytes = 0;
    for (const auto& run : c.runs) { scratchpad_bytes = std::max(scratchpad_bytes, run.scratchpad_bytes); }
    json left_out = json::array();
    for (const auto& [name, why] : c.left_out) { left_out.push_back({{"variant", name}, {"reason", why}}); }
    json summary = summary_head("tensorloom-segmented-comparison-1");
    summary["configuration"] = configuration_json(o, *c.station, o.device.scratchpad_bytes.value_or(scratchpad_bytes));
    summary["check"] = {{"passed", o.common.check ? json(c.passed()) : json(nullptr)}};
    summary["lengths"] = c.lengths;
    summary["left_out"] = left_out;
    summary["runs"] = runs_json(o, c);
    summary["crossovers"] = crossovers_json(c);
    summary["sensitivity"] = sensitivity_json(c);
    summary["simulation"] = usage_json(c.usage, c.macs);
    write_program_files(directory, *c.station, c.energy_models);
    write_summary(directory.summary(), summary);
}

} // namespace tensorloom::testbench
