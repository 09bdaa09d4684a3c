#include "tensor_unit/tensor_unit_report.h"
#include <string>
#include <nlohmann/json.hpp>
#include "platform/mmv_report.h"
#include "platform/report_table.h"
#include "platform/run_costs.h"
#include "platform/summary_file.h"
#include "platform/version.h"

namespace tensorloom::testbench {
namespace {

using json = nlohmann::ordered_json;
using workloads::tensor_unit_option;

constexpr tensor_unit_option all_options[] = {tensor_unit_option::inner, tensor_unit_option::sweeps,
                                              tensor_unit_option::nonzeros, tensor_unit_option::points,
                                              tensor_unit_option::cutoff};

std::uint64_t value_of(const workloads::tensor_unit_problem& p, tensor_unit_option option)
{
    switch (option) {
    case tensor_unit_option::inner: return p.inner;
    case tensor_unit_option::sweeps: return p.sweeps;
    case tensor_unit_option::nonzeros: return p.nonzeros;
    case tensor_unit_option::points: return p.points;
    case tensor_unit_option::cutoff: break;
    }
    return p.cutoff;
}

bool is_weak(const workloads::tensor_unit_problem& p) { return p.shape == workloads::call_shape::square; }

// "size 64, inner 16"
std::string problem_text(const workloads::tensor_unit_algorithm& algorithm, const workloads::tensor_unit_problem& p)
{
    std::string text = std::string("size ") + grouped_text(p.size);
    for (const auto option : all_options) {
        if (algorithm.uses(option)) {
            text += ", " + std::string(workloads::option_name(option)) + " " + grouped_text(value_of(p, option));
        }
    }
    return text;
}

// "64, inner 16": as the options are typed
std::string point_text(const workloads::tensor_unit_algorithm& algorithm, const workloads::tensor_unit_problem& p)
{
    std::string text = std::to_string(p.size);
    for (const auto option : all_options) {
        if (algorithm.uses(option)) {
            text += ", " + std::string(workloads::option_name(option)) + " " + std::to_string(value_of(p, option));
        }
    }
    return text;
}

json problem_json(const workloads::tensor_unit_algorithm& algorithm, const workloads::tensor_unit_problem& p)
{
    json j = {{"size", p.size}};
    for (const auto option : all_options) {
        j[std::string(workloads::option_name(option))] =
            algorithm.uses(option) ? json(value_of(p, option)) : json(nullptr);
    }
    j["weak"] = is_weak(p);
    return j;
}

json cost_json(const workloads::tensor_unit_cost& cost, unsigned side, std::uint64_t latency)
{
    return {{"calls", cost.calls},
            {"rows", cost.rows},
            {"tensor_time", cost.tensor_time(side, latency)},
            {"cpu_ops", cost.cpu_ops},
            {"time", cost.time(side, latency)}};
}

json check_json(const tensor_unit_findings& f)
{
    if (!f.check) {
        return {{"passed", nullptr}, {"max_abs_error", nullptr}, {"max_rel_error", nullptr}, {"reference", nullptr}};
    }
    return {{"passed", f.passed()},
            {"max_abs_error", f.check->max_abs_error},
            {"max_rel_error", f.check->max_rel_error},
            {"bound", f.check->bound},
            {"first_wrong", f.check->first_wrong ? json(*f.check->first_wrong) : json(nullptr)},
            {"as_closed_form", f.expected ? json(f.as_closed_form()) : json(nullptr)},
            {"reference", "a plain loop on the host"}};
}

json summary_head(const char* schema)
{
    return {{"schema", schema}, {"testbench", "tensor_unit"}, {"version", version()}};
}

std::string shape_text(const std::vector<std::uint64_t>& shape)
{
    std::string text;
    for (const auto n : shape) { text += (text.empty() ? "" : " x ") + std::to_string(n); }
    return text.empty() ? "a number" : text;
}

void print_check(report_table& lines, const tensor_unit_findings& f)
{
    if (f.expected) {
        lines.line("closed form",
                   f.as_closed_form() ? "the same numbers of the model" : "DIFFERS from the numbers of the model");
    }
    if (!f.check) {
        lines.line("check", "not done (--no-check)");
        return;
    }
    const auto* c = &*f.check;
    lines.line("error", "max " + number_text(c->max_abs_error) + " absolute, " + number_text(c->max_rel_error) +
                            " relative (bound " + number_text(c->bound) + "), against a plain loop");
    lines.line("check", std::string(f.passed() ? "passed" : "FAILED") +
                            (c->first_wrong ? ", first wrong at " + std::to_string(*c->first_wrong) : ""));
}

// ---- theorems ----

std::string verdict(const theorem_findings& t)
{
    const auto flat = t.flat();
    return "largest by smallest of the last " + number_text(t.spread()) +
           (flat ? std::string(*flat ? ", flat" : ", NOT FLAT") + " (at most " + number_text(t.theorem->flatness) + ")"
                 : ", no claim");
}

void print_theorem(std::ostream& out, const theorem_findings& t)
{
    const auto& algorithm = workloads::find_tensor_unit_algorithm(std::string(t.theorem->algorithm));
    out << "  " << t.theorem->title() << " (" << t.theorem->algorithm << "), bound " << t.theorem->bound << "\n    ";
    for (const auto& p : t.points) {
        out << number_text(p.ratio()) << " (" << point_text(algorithm, p.problem) << ")"
            << (&p == &t.points.back() ? "\n" : "  ");
    }
    out << "    limit " << (t.limit ? number_text(*t.limit) : "none stated") << "; " << verdict(t) << "\n";
    for (const auto& p : t.points) {
        if (!p.right.value_or(true)) { out << "    WRONG RESULT at size " << p.problem.size << "\n"; }
        if (!p.as_closed_form.value_or(true)) {
            out << "    COUNTS DIFFER from the closed form at size " << p.problem.size << "\n";
        }
    }
}

// "79 (cutoff 64)"
std::string printed_text(const workloads::printed_karatsuba_figure& figure)
{
    return number_text(figure.ratio()) + " (cutoff " + std::to_string(figure.cutoff) + ")";
}

json printed_json(const workloads::printed_karatsuba_figure& figure)
{
    return {{"cutoff", figure.cutoff},
            {"tensor_time", figure.tensor_time},
            {"bound", figure.bound},
            {"ratio", figure.ratio()}};
}

json points_json(const theorem_findings& t, std::uint64_t latency)
{
    json list = json::array();
    for (const auto& p : t.points) {
        json entry = problem_json(workloads::find_tensor_unit_algorithm(std::string(t.theorem->algorithm)), p.problem);
        entry.update(cost_json(p.cost, t.side, latency));
        entry["rounds"] = p.rounds != 0 ? json(p.rounds) : json(nullptr);
        entry["bound"] = p.bound;
        entry["ratio"] = p.ratio();
        entry["cycles"] = p.cycles;
        entry["as_closed_form"] = p.as_closed_form ? json(*p.as_closed_form) : json(nullptr);
        entry["right"] = p.right ? json(*p.right) : json(nullptr);
        list.push_back(entry);
    }
    return list;
}

} // namespace

void print_table(std::ostream& out, const tensor_unit_options& o, const tensor_unit_findings& f)
{
    report_table lines(out);
    const auto meter = arch::mmv::tcu_meter_of(f.costs.counts, o.side, o.latency);
    out << "tensor_unit: " << o.algorithm->name << ", " << problem_text(*o.algorithm, o.problem) << ", "
        << arch::element_type_name(o.format) << ", m = " << o.side * o.side << (is_weak(o.problem) ? " weak" : "")
        << ", " << (o.common.detailed ? "detailed" : "fast") << "\n";
    lines.line("algorithm", std::string(o.algorithm->description) +
                                (o.algorithm->theorem.empty() ? "" : " (" + std::string(o.algorithm->theorem) + ")"));
    lines.line("result", shape_text(f.shape) + (f.rounds != 0 ? " in " + std::to_string(f.rounds) + " rounds" : ""));
    print_tcu(lines, meter, o.latency);
    print_cycles(lines, f.costs, *f.station, o.common);
    print_roofline(lines, roofline_of(f.costs, o.side, f.station->device().banks));
    lines.line("scratchpad used", grouped_text(f.scratchpad_bytes) + " bytes");
    print_energy(lines, f.costs.energy);
    print_check(lines, f);
    print_usage(lines, f.usage, f.costs.counts[arch::mmv::event::mac]);
}

std::string failure_text(const tensor_unit_options& o, const tensor_unit_findings& f)
{
    return "check failed: " + std::string(o.algorithm->name) +
           (f.check->first_wrong
                ? ", first wrong at " + std::to_string(*f.check->first_wrong) + ", error " +
                      number_text(f.check->max_rel_error) + " (bound " + number_text(f.check->bound) + ")"
                : ", the counts are not those of the closed form");
}

std::string failure_text(const tensor_unit_options& o, const theorems_findings& f)
{
    for (const auto& t : f.theorems) {
        const auto where = "check failed: " + t.theorem->title() + " at q = " + std::to_string(t.side);
        for (const auto& p : t.points) {
            const auto size = ", size " + std::to_string(p.problem.size);
            if (!p.right.value_or(true)) { return where + size + ": wrong result"; }
            if (!p.as_closed_form.value_or(true)) { return where + size + ": counts are not those of the closed form"; }
        }
        if (o.latency == 0 && !t.flat().value_or(true)) { return where + ": not flat"; }
    }
    return "check failed: theorem 12 does not hold";
}

void write_files(const output_directory& directory, const tensor_unit_options& o, const tensor_unit_findings& f)
{
    json configuration = {{"algorithm", o.algorithm->name},
                          {"theorem", o.algorithm->theorem.empty() ? json(nullptr) : json(o.algorithm->theorem)},
                          {"source", o.inputs.empty() ? "formula" : "file"}};
    configuration.update(problem_json(*o.algorithm, o.problem));
    configuration["m"] = o.side * o.side;
    configuration["latency"] = o.latency;
    configuration["memory_bytes"] = f.station->memory_bytes();
    configuration.update(device_json(f.station->device(), o.common, f.scratchpad_bytes));
    for (const auto& [name, text] : o.given) { configuration["options"][name] = text; }

    json summary = summary_head("tensorloom-tensor-unit-summary-1");
    summary["configuration"] = configuration;
    summary["check"] = check_json(f);
    summary["result"] = {
        {"shape", f.shape}, {"checksum", f.checksum}, {"rounds", f.rounds != 0 ? json(f.rounds) : json(nullptr)}};
    summary["model"] = tcu_json(arch::mmv::tcu_meter_of(f.costs.counts, o.side, o.latency));
    summary["model_closed_form"] = f.expected ? cost_json(*f.expected, o.side, o.latency) : json(nullptr);
    summary.update(costs_json(f.costs, *f.station, o.common));
    summary["simulation"] = usage_json(f.usage, f.costs.counts[arch::mmv::event::mac]);
    write_program_files(directory, *f.station, f.energy_models);
    write_summary(directory.summary(), summary);
}

void print_table(std::ostream& out, const tensor_unit_options& o, const theorems_findings& f)
{
    report_table lines(out);
    out << "tensor_unit: model time over the theorems' bounds, constants 1, latency " << grouped_text(o.latency)
        << "; size and options in brackets\n";
    unsigned side = 0;
    for (const auto& t : f.theorems) {
        if (t.side != side) {
            side = t.side;
            out << " q = " << side << ", m = " << side * side << "\n";
        }
        print_theorem(out, t);
    }
    out << "  theorem 12 (dense, weak): Q transfers of the simulation in external memory, F its lower bound\n";
    for (const auto& i : f.io) {
        out << "    q = " << i.side << ", size " << i.size << ": time / F "
            << number_text(static_cast<double>(i.time) / i.bound) << ", Q / F "
            << number_text(static_cast<double>(i.simulated_io) / i.bound) << ", Q >= F and 3 time >= F "
            << (i.holds() ? "hold" : "FAIL") << "\n";
    }
    out << "  theorem 10, as printed (karatsuba), bound (n' / q)^(log2 3) (q + l / q), n' words of 64 bits, 4 limbs "
           "each: tensor "
           "time by the closed form over it\n";
    for (const auto& p : f.printed) {
        out << "    q = " << p.side << ", size " << p.size << ": " << printed_text(p.at_printed_cutoff)
            << " at the printed cut-off, " << printed_text(p.at_best_cutoff) << " at the best\n";
    }
    lines.line("check", f.passed(o.latency)
                            ? (o.common.check ? "passed" : "counts passed; values not checked (--no-check)")
                            : "FAILED");
    print_usage(lines, f.usage, f.macs);
}

void write_files(const output_directory& directory, const tensor_unit_options& o, const theorems_findings& f)
{
    json theorems = json::array();
    for (const auto& t : f.theorems) {
        const auto flat = t.flat();
        theorems.push_back({{"theorem", t.theorem->name},
                            {"algorithm", t.theorem->algorithm},
                            {"bound", t.theorem->bound},
                            {"q", t.side},
                            {"points", points_json(t, o.latency)},
                            {"limit", t.limit ? json(*t.limit) : json(nullptr)},
                            {"spread", t.spread()},
                            {"spread_allowed", flat ? json(t.theorem->flatness) : json(nullptr)},
                            {"flat", flat ? json(*flat) : json(nullptr)}});
    }
    json io = json::array();
    for (const auto& i : f.io) {
        io.push_back({{"q", i.side},
                      {"size", i.size},
                      {"time", i.time},
                      {"simulated_io", i.simulated_io},
                      {"io_bound", i.bound},
                      {"time_over_bound", static_cast<double>(i.time) / i.bound},
                      {"io_over_bound", static_cast<double>(i.simulated_io) / i.bound},
                      {"holds", i.holds()}});
    }
    json summary = summary_head("tensorloom-tensor-unit-theorems-1");
    json configuration = {{"latency", o.latency}, {"fidelity", o.common.detailed ? "detailed" : "fast"}};
    for (const auto& [name, text] : o.given) { configuration["options"][name] = text; }
    summary["configuration"] = configuration;
    summary["check"] = {{"passed", f.passed(o.latency)}, {"values_checked", o.common.check}};
    summary["theorems"] = theorems;
    summary["theorem_12"] = io;
    for (const auto& p : f.printed) {
        summary["theorem_10_as_printed"].push_back({{"q", p.side},
                                                    {"size", p.size},
                                                    {"at_printed_cutoff", printed_json(p.at_printed_cutoff)},
                                                    {"at_best_cutoff", printed_json(p.at_best_cutoff)}});
    }
    summary["simulation"] = usage_json(f.usage, f.macs);
    write_summary(directory.summary(), summary);
}

} // namespace tensorloom::testbench
