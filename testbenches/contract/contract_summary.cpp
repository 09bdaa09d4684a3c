#include "contract/contract_summary.h"
#include <algorithm>
#include <nlohmann/json.hpp>
#include "contract/contract_report.h"
#include "platform/job_report.h"
#include "platform/run_costs.h"
#include "platform/summary_file.h"
#include "platform/version.h"

namespace tensorloom::testbench {
namespace {

using json = nlohmann::ordered_json;
using arch::fetta::event;

constexpr const char* causes[] = {"compute", "fill", "reload", "conflict", "psum", "vector",
                                  "control", "load", "store",  "fetch",    "wait"};
constexpr const char* memory_causes[] = {"load", "store", "fetch", "wait"};

json or_null(bool known, const json& value) { return known ? value : json(nullptr); }

template <std::size_t N> const char* name_in(const arch::named_value (&values)[N], std::uint32_t value)
{
    return values[value].name;
}

json configuration_json(const contract_options& o, const contract_findings& f)
{
    const auto& request = o.settings.request;
    const bool planned = f.job.plan.has_value();
    json sizes = json::object();
    for (const char letter : o.problem.a + o.problem.b) { sizes[std::string(1, letter)] = o.problem.size_of(letter); }
    json j = {
        {"einsum", o.einsum},
        {"sizes", sizes},
        {"source", o.inputs.empty() ? "random" : "file"},
        {"program", o.program ? json(*o.program) : json(nullptr)},
        {"layout",
         or_null(planned, name_in(workloads::tensor_layout_values, static_cast<std::uint32_t>(o.settings.layout)))},
        {"flatten",
         or_null(planned, name_in(workloads::flattening_values, static_cast<std::uint32_t>(o.settings.flattening)))},
        {"objective",
         or_null(planned, name_in(workloads::mapping_objective_values, static_cast<std::uint32_t>(request.objective)))},
        {"store", o.store_bf16() ? "bf16" : "f32"}};
    j.update(device_json(o.device, o.common));
    for (const auto& [name, text] : o.given) { j["options"][name] = text; }
    return j;
}

json plan_json(const contract_findings& f)
{
    if (!f.job.plan) { return nullptr; }
    const auto& plan = *f.job.plan;
    const auto& s = plan.choice.split;
    return {{"mapping", name_in(arch::fetta::mapping_values, static_cast<std::uint32_t>(plan.choice.mapping))},
            {"split", {s.batch, s.contracted, s.ia_free, s.ib_free}},
            {"summation_order", summation_order(plan)},
            {"contracts", plan.commands},
            {"tcu_cycles", plan.tcu_cycles},
            {"transferred_bytes", plan.transferred_bytes},
            {"estimated_cycles", plan.estimated_cycles}};
}

json check_json(const contract_findings& f)
{
    if (!f.check) {
        return {{"passed", nullptr}, {"max_abs_error", nullptr}, {"max_rel_error", nullptr}, {"reference", nullptr}};
    }
    return {{"passed", f.passed()},
            {"max_abs_error", f.check->max_abs_error},
            {"max_rel_error", f.check->max_rel_error},
            {"worst_of_bound", f.check->worst_share},
            {"worst_element", f.check->worst},
            {"not_finite", f.check->not_finite},
            {"as_closed_form", or_null(f.job.plan.has_value(), f.as_closed_form())},
            {"reference", "sums in double precision of the rounded operands"}};
}

json causes_json(const job_costs& costs)
{
    json j = json::object();
    for (const auto& [name, cycles] : cause_sums(costs)) { j[name] = cycles; }
    return j;
}

json memory_json(const contract_options& o, const contract_findings& f)
{
    const auto& a = f.job.addresses;
    return {{"cycles", memory_cycles(f.costs)},
            {"read_bytes", f.costs.bus_read_bytes},
            {"written_bytes", f.costs.bus_written_bytes},
            {"program_bytes", program_bytes(f)},
            {"bytes_per_cycle", static_cast<double>(f.costs.bus_bytes()) / static_cast<double>(f.costs.cycles)},
            {"peak_bytes_per_cycle", or_null(o.device.in_dram, peak_bytes_per_cycle(o))},
            {"reordering",
             {{"read_bytes", f.reordering.read_bytes},
              {"written_bytes", f.reordering.written_bytes},
              {"cycles", f.reordering.cycles}}},
            {"addresses", {{"a", a.a}, {"b", a.b}, {"c", a.c}}}};
}

json power_json(const contract_findings& f)
{
    json j = json::object();
    for (const auto& b : f.steady_power) {
        j[b.component] = {{"mW", b.mw}, {"table_mW", b.table_mw}, {"share", b.share()}, {"estimate", b.estimate}};
    }
    return j;
}

json area_json(const contract_findings& f)
{
    json j = {{"total", arch::fetta::total_um2(f.areas)}};
    for (const auto& a : f.areas) { j[a.component] = a.um2; }
    return j;
}

json area_estimates(const contract_findings& f)
{
    json names = json::array();
    for (const auto& a : f.areas) {
        if (a.estimate) { names.push_back(a.component); }
    }
    if (!names.empty()) { names.push_back("total"); }
    return names;
}

} // namespace

std::vector<std::pair<std::string, std::uint64_t>> cause_sums(const job_costs& costs)
{
    std::vector<std::pair<std::string, std::uint64_t>> sums;
    for (const char* cause : causes) { sums.emplace_back(cause, costs.cycles_of(cause)); }
    for (const auto& [cause, cycles] : costs.cycles_by_cause) {
        if (std::find(std::begin(causes), std::end(causes), cause) == std::end(causes)) {
            sums.emplace_back(cause, cycles);
        }
    }
    return sums;
}

std::uint64_t memory_cycles(const job_costs& costs)
{
    std::uint64_t cycles = 0;
    for (const char* cause : memory_causes) { cycles += costs.cycles_of(cause); }
    return cycles;
}

std::string summation_order(const workloads::contraction_plan& plan)
{
    const auto part = std::to_string(plan.choice.split.contracted);
    if (arch::fetta::is_output_stationary(plan.choice.mapping)) {
        return "c = sum over blocks, a tree over p < " + part +
               " of a chain over i < L of a b, k = p L + i, L = " + "ceil(K / " + part + ")";
    }
    const auto side = std::to_string(plan.geometry.side);
    return "c = sum over o, one after the other, of a tree over p < " + part + " of a chain over i < " + side +
           " of a b, k = (" + part + " o + p) " + side + " + i";
}

std::uint64_t program_bytes(const contract_findings& f)
{
    std::uint64_t bytes = 0;
    for (const auto& p : f.job.programs) { bytes += p.bytes.size(); }
    return bytes;
}

double peak_bytes_per_cycle(const contract_options& o)
{
    return o.device.dram_config.peak_bytes_per_ns() * static_cast<double>(clock_period_ps(o.common)) / 1000;
}

void write_files(const output_directory& directory, const contract_options& o, const contract_findings& f)
{
    const auto& g = o.device.geometry;
    const double pes = static_cast<double>(g.engines) * g.side * g.side;
    json summary = {{"schema", "tensorloom-contract-summary-1"},
                    {"testbench", "contract"},
                    {"version", version()},
                    {"configuration", configuration_json(o, f)},
                    {"check", check_json(f)},
                    {"result", {{"shape", o.problem.shape(o.problem.c)}, {"macs", o.problem.macs()}}},
                    {"plan", plan_json(f)}};
    summary.update(cycles_json(f.costs, o.common));
    summary["cycles_by_cause"] = causes_json(f.costs);
    summary["tcu_cycles"] = f.tcu_cycles;
    summary["macs"] = f.costs.counts[event::mac];
    summary["utilisation"] = f.utilisation(f.costs.cycles, g);
    summary["tcu_utilisation"] = f.utilisation(f.tcu_cycles, g);
    summary["memory"] = memory_json(o, f);
    summary["events"] = events_json(arch::fetta::events, f.costs.counts.data());
    summary["energy_pJ"] = energy_json(f.costs.energy);
    summary["energy_estimated"] = estimated(f.costs.energy);
    summary["steady_power"] = power_json(f);
    summary["area_um2"] = area_json(f);
    summary["area_estimated"] = area_estimates(f);
    summary["simulation"] = usage_json(f.usage, f.costs.counts[event::mac]);
    write_program_files(directory, *f.station, f.energy_models, static_cast<std::size_t>(event::mac), pes,
                        arch::fetta::utilisation_unit);
    write_summary(directory.summary(), summary);
}

} // namespace tensorloom::testbench
