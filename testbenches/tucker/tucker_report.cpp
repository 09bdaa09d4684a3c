#include "tucker/tucker_report.h"
#include <string>
#include <nlohmann/json.hpp>
#include <tensorloom/models/activity/activity_files.h>
#include <tensorloom/models/activity/trace_json.h>
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

std::uint64_t elements_of(const workloads::shape3& s) { return std::uint64_t{s[0]} * s[1] * s[2]; }

std::uint64_t elements_of(const workloads::tucker_tensor& form)
{
    std::uint64_t elements = form.core.data.size();
    for (const auto& factor : form.factors) { elements += factor.data.size(); }
    return elements;
}

std::string cost_text(const chain_costs& c)
{
    return grouped_text(c.chains) + (c.chains == 1 ? " chain, " : " chains, ") + grouped_text(c.steps) + " steps, " +
           quantity_text(c.ns * 1000, "s") + ", " + quantity_text(c.pj, "J");
}

/// Of decomposing and expanding to compressing.
struct cost_ratio {
    double decompose = 0;
    double expand = 0;
};

cost_ratio time_ratio(const tucker_costs& costs)
{
    const double one = costs.compressing().ns;
    return {costs.decomposing().ns / one, costs.expanding().ns / one};
}

cost_ratio energy_ratio(const tucker_costs& costs)
{
    const double one = costs.compressing().pj;
    return {costs.decomposing().pj / one, costs.expanding().pj / one};
}

std::string ratio_text(const cost_ratio& r)
{
    return number_text(r.decompose) + " : 1 : " + number_text(r.expand) + " (decompose : compress : expand)";
}

const char* source_text(const tensor_source& source)
{
    if (source.input) { return "file"; }
    if (source.known_ranks) { return "known-rank"; }
    switch (source.fill) {
    case workloads::fill_kind::ramp: return "ramp";
    case workloads::fill_kind::sparse: return "sparse";
    default: break;
    }
    return "random";
}

double mesh_utilisation(const tucker_options& o, const chain_costs& c)
{
    const auto& mesh = o.chains.mesh;
    const double cells = static_cast<double>(mesh[0]) * mesh[1] * mesh[2];
    return c.steps == 0 ? 0 : static_cast<double>(c.macs) / (static_cast<double>(c.steps) * cells);
}

double utilisation(const tucker_result& r, const chain_costs& c)
{
    return r.active_cell_steps == 0 ? 0 : static_cast<double>(c.macs) / static_cast<double>(r.active_cell_steps);
}

json cost_json(const chain_costs& c)
{
    return {{"chains", c.chains}, {"steps", c.steps},   {"steps_skipped", c.steps_skipped},
            {"macs", c.macs},     {"cycles", c.cycles}, {"time_ns", c.ns},
            {"energy_pJ", c.pj}};
}

json configuration_json(const tucker_options& o, const tucker_result& r)
{
    json j = {{"source", source_text(o.source)},
              {"shape", o.source.shape},
              {"method", workloads::tucker_method_name(o.request.method)},
              {"ranks", o.request.ranks ? json(*o.request.ranks) : json(nullptr)},
              {"tolerance", o.request.ranks ? json(nullptr) : json(o.request.tolerance)},
              {"max_iterations", o.request.max_iterations},
              {"fit_change", *o.request.fit_change},
              {"order", o.chains.order},
              {"memory_bytes", r.memory_bytes}};
    j.update(device_json(o.device, o.chains, o.common, o.chains.mesh, o.format));
    for (const auto& [name, text] : o.given) { j["options"][name] = text; }
    return j;
}

json check_json(const tucker_result& r)
{
    if (!r.check) {
        return {{"passed", nullptr}, {"max_abs_error", nullptr}, {"max_rel_error", nullptr}, {"reference", nullptr}};
    }
    const auto& c = *r.check;
    return {{"passed", c.passed},
            {"max_abs_error", c.max_abs_error},
            {"max_rel_error", c.max_rel_error},
            {"bound", c.bound},
            {"reference", "every chain by Eigen, every factor by the eigenvalues of the Gram matrix"},
            {"chains", c.chains},
            {"orthonormality", c.orthonormality},
            {"missed_energy", c.missed_energy},
            {"norm_gap", c.norm_gap},
            {"tolerance_kept", c.tolerance_kept ? json(*c.tolerance_kept) : json(nullptr)},
            {"tolerance_slack", c.tolerance_kept ? json(c.tolerance_slack) : json(nullptr)}};
}

json decomposition_json(const tucker_result& r)
{
    const auto& form = r.found.form;
    return {{"ranks", form.ranks()},
            {"fit", 1 - r.error},
            {"error", r.error},
            {"truncated_energies", r.found.truncated_energies},
            {"iterations", r.found.fits.size() - 1},
            {"converged", r.found.converged},
            {"elements", elements_of(form.shape())},
            {"elements_kept", elements_of(form)},
            {"compression_ratio", workloads::compression_ratio(form.shape(), form.ranks())}};
}

std::string tolerance_text(const tucker_options& o, double error, const tucker_check& check)
{
    if (*check.tolerance_kept) { return " kept"; }
    const bool rounding = error <= o.request.tolerance + check.tolerance_slack;
    return std::string(rounding ? " exceeded by no more" : " MISSED by more") + " than the rounding of " +
           std::string(arch::element_type_name(o.format)) + ", " + number_text(check.tolerance_slack);
}

json chains_json(const tucker_result& r, const tucker_costs& costs)
{
    json list = json::array();
    std::size_t iteration = 0;
    const std::size_t last = r.chains.size() - 1;
    for (std::size_t i = 0; i <= last; ++i) {
        while (iteration < r.ends.size() && i >= r.ends[iteration]) { ++iteration; }
        json modes = json::array();
        for (std::size_t m = 0; m < 3; ++m) {
            if (r.chains[i].summed[m]) { modes.push_back(m + 1); }
        }
        json entry = {{"run", i},
                      {"purpose", i + 1 < last ? "decompose"
                                  : i < last   ? "compress"
                                               : "expand"},
                      {"iteration", i + 1 < last ? json(iteration) : json(nullptr)},
                      {"modes", modes},
                      {"from", r.chains[i].from},
                      {"to", r.chains[i].to}};
        entry.update(cost_json(costs.chain(i)));
        entry.erase("chains");
        list.push_back(entry);
    }
    return list;
}

json ratio_json(const cost_ratio& r)
{
    return {{"decompose_to_compress", r.decompose}, {"expand_to_compress", r.expand}};
}

} // namespace

void print_table(std::ostream& out, const tucker_options& o, const tucker_result& r, const tucker_costs& costs,
                 const device_jobs& jobs)
{
    const auto& form = r.found.form;
    const chain_costs all = costs.all();
    report_table lines(out);
    out << "tucker: " << workloads::tucker_method_name(o.request.method) << ", " << shape_text(form.shape()) << " to "
        << shape_text(form.ranks()) << ", " << arch::element_type_name(o.format) << ", "
        << (o.chains.esop ? "ESOP" : "dense") << ", " << (o.common.detailed ? "detailed" : "fast") << "\n";
    lines.line("mesh", shape_text(o.chains.mesh) + " cells");
    for (std::size_t i = 0; i < r.ends.size(); ++i) {
        lines.line("iteration " + std::to_string(i),
                   "fit " + number_text(r.found.fits[i], 8) + ", " + cost_text(costs.iteration(i)));
    }
    if (o.request.method == workloads::tucker_method::hooi) {
        lines.line("converged", r.found.converged
                                    ? "yes, the fit rose by at most " + number_text(*o.request.fit_change)
                                    : "no, --max-iterations " + std::to_string(o.request.max_iterations) + " reached");
    }
    lines.line("fit",
               number_text(1 - r.error, 8) + ", relative error " + number_text(r.error) + ", element by element");
    lines.line("compression", number_text(workloads::compression_ratio(form.shape(), form.ranks())) +
                                  " to 1: " + grouped_text(elements_of(form.shape())) + " elements in " +
                                  grouped_text(elements_of(form)));
    lines.line("decompose", cost_text(costs.decomposing()));
    lines.line("compress", cost_text(costs.compressing()));
    lines.line("expand", cost_text(costs.expanding()));
    lines.line("device time", ratio_text(time_ratio(costs)));
    lines.line("device energy", ratio_text(energy_ratio(costs)));
    std::string causes;
    for (const auto& [cause, cycles] : costs.cycles_by_cause()) {
        causes += (causes.empty() ? "" : ", ") + cause + " " + grouped_text(cycles);
    }
    lines.line("cycles", grouped_text(all.cycles) + " (" + causes + ")");
    lines.line("time", quantity_text(all.ns * 1000, "s") + " at " +
                           number_text(1000.0 / static_cast<double>(clock_period_ps(o.common))) + " GHz; " +
                           quantity_text(static_cast<double>(r.end_ps), "s") + " with the host's transfers");
    print_transfers(lines, transfers_of(jobs.totals()), o.chains.double_buffer);
    lines.line("MACs done", grouped_text(all.macs));
    lines.line("MACs skipped", grouped_text(all.macs_skipped));
    lines.line("utilisation", number_text(100 * utilisation(r, all)) + " % of active cells, " +
                                  number_text(100 * mesh_utilisation(o, all)) + " % of the mesh");
    print_energy(lines, costs.components());
    if (!r.check) {
        lines.line("check", "not done (--no-check)");
    } else {
        lines.line("error of chains", "max " + number_text(r.check->max_abs_error) + " absolute (bound " +
                                          number_text(r.check->bound) + "), " + number_text(r.check->max_rel_error) +
                                          " relative, against Eigen");
        lines.line("error of factors", number_text(r.check->orthonormality) + " from orthonormal, " +
                                           number_text(r.check->missed_energy) + " of the energy missed");
        if (r.check->tolerance_kept) {
            lines.line("tolerance", number_text(o.request.tolerance) + tolerance_text(o, r.error, *r.check));
        }
        lines.line("check", r.check->passed ? "passed" : "FAILED");
    }
    print_usage(lines, r.usage, all.macs);
}

void write_files(const output_directory& directory, const tucker_options& o, const tucker_result& r,
                 const tucker_costs& costs, const device_jobs& jobs)
{
    const chain_costs all = costs.all();
    json iterations = json::array();
    for (std::size_t i = 0; i < r.ends.size(); ++i) {
        json entry = {{"iteration", i}, {"fit", r.found.fits[i]}};
        entry.update(cost_json(costs.iteration(i)));
        iterations.push_back(entry);
    }
    json by_cause = json::object();
    for (const auto& [cause, cycles] : costs.cycles_by_cause()) { by_cause[cause] = cycles; }
    const auto components = costs.components();

    const json summary = {
        {"schema", "tensorloom-tucker-summary-1"},
        {"testbench", "tucker"},
        {"version", version()},
        {"configuration", configuration_json(o, r)},
        {"check", check_json(r)},
        {"decomposition", decomposition_json(r)},
        {"iterations", iterations},
        {"decompose", cost_json(costs.decomposing())},
        {"compress", cost_json(costs.compressing())},
        {"expand", cost_json(costs.expanding())},
        {"ratios", {{"time", ratio_json(time_ratio(costs))}, {"energy", ratio_json(energy_ratio(costs))}}},
        {"chains", chains_json(r, costs)},
        {"cycles", all.cycles},
        {"cycles_by_cause", by_cause},
        {"simulated_time_ns", all.ns},
        {"host_end_ns", static_cast<double>(r.end_ps) / 1000},
        {"steps", all.steps},
        {"steps_skipped", all.steps_skipped},
        {"macs", all.macs},
        {"macs_skipped", all.macs_skipped},
        {"utilisation", utilisation(r, all)},
        {"mesh_utilisation", mesh_utilisation(o, all)},
        {"transfers", transfers_json(transfers_of(jobs.totals()))},
        {"events", events_json(jobs.totals())},
        {"energy_pJ", energy_json(components)},
        {"energy_estimated", estimated(components)},
        {"simulation", usage_json(r.usage, all.macs)}};

    std::vector<activity::tabled_job> tabled;
    std::vector<activity::traced_device> traced;
    for (std::size_t i = 0; i < jobs.jobs().size(); ++i) {
        const activity::job_log* log = jobs.jobs()[i].log.get();
        tabled.push_back({"device", static_cast<unsigned>(i), log, &costs.energies()[i]});
        traced.push_back({log, &costs.energies()[i], {arch::triada::utilisation_unit, [log](std::size_t record) {
                                                          return utilisation_of(log->counts(record, 0));
                                                      }}});
    }
    activity::write_latency_csv(directory.latency().string(), tabled);
    activity::write_energy_csv(directory.energy().string(), tabled);
    activity::write_trace_json(directory.trace().string(), traced);
    write_summary(directory.summary(), summary);
}

} // namespace tensorloom::testbench
