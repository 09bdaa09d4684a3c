#include "tucker/tucker_report.h"
#include <algorithm>
#include <string>
#include <utility>
#include "platform/report/transform_report.h"
#include "platform/triada/triada_counts.h"

namespace tensorloom::testbench {

chain_costs& chain_costs::operator+=(const chain_costs& other)
{
    chains += other.chains;
    steps += other.steps;
    steps_skipped += other.steps_skipped;
    macs += other.macs;
    macs_skipped += other.macs_skipped;
    cycles += other.cycles;
    ns += other.ns;
    pj += other.pj;
    return *this;
}

tucker_costs::tucker_costs(const tucker_options& o, const std::vector<activity::module_energy>& models,
                           const device_runs& runs, const tucker_result& result)
    : m_result(result)
{
    const double period_ns = static_cast<double>(clock_period_ps(o.common)) / 1000;
    for (std::size_t i = 0; i < result.chains.size(); ++i) {
        const auto& log = *runs.all()[i].log;
        const activity::energy_report energy(log, period_ns, models);
        add_program(m_total, log, energy);
        const auto counts = log.total_counts(0);
        const auto count = [&](triada::event e) { return count_of(counts.data(), e); };
        chain_costs c;
        c.chains = 1;
        c.steps = count(triada::event::step);
        c.steps_skipped = count(triada::event::step_skipped);
        c.macs = count(triada::event::mac);
        c.macs_skipped = count(triada::event::mac_skipped);
        c.cycles = result.chains[i].cycles;
        c.ns = static_cast<double>(c.cycles) * period_ns;
        c.pj = energy.total_pj();
        m_chains.push_back(c);
    }
}

chain_costs tucker_costs::sum(std::size_t first, std::size_t end) const
{
    chain_costs total;
    for (std::size_t i = first; i < end; ++i) { total += m_chains[i]; }
    return total;
}

chain_costs tucker_costs::iteration(std::size_t index) const
{
    return sum(index == 0 ? 0 : m_result.ends[index - 1], m_result.ends[index]);
}

chain_costs tucker_costs::decomposing() const { return sum(0, m_chains.size() - 2); }
chain_costs tucker_costs::compressing() const { return m_chains[m_chains.size() - 2]; }
chain_costs tucker_costs::expanding() const { return m_chains.back(); }
chain_costs tucker_costs::all() const { return sum(0, m_chains.size()); }

namespace {

std::uint64_t elements_of(const workloads::shape3& s) { return std::uint64_t{s[0]} * s[1] * s[2]; }

std::uint64_t elements_of(const workloads::tucker_tensor& form)
{
    std::uint64_t elements = form.core.data.size();
    for (const auto& factor : form.factors) { elements += factor.data.size(); }
    return elements;
}

std::string cost_text(const chain_costs& c)
{
    return counted(c.chains, "chain", "chains") + ", " + grouped_text(c.steps) + " steps, " +
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
              {"ranks", or_null(o.request.ranks)},
              {"tolerance", or_null(!o.request.ranks, o.request.tolerance)},
              {"max_iterations", o.request.max_iterations},
              {"fit_change", *o.request.fit_change},
              {"order", o.chains.order},
              {"memory_bytes", r.memory_bytes}};
    j.update(device_json(o.device, o.chains, o.common, o.chains.mesh, o.format));
    return j;
}

json check_json(const tucker_check& c)
{
    return {{"passed", c.passed},
            {"max_abs_error", c.max_abs_error},
            {"max_rel_error", c.max_rel_error},
            {"worst_of_bound", c.worst_of_bound},
            {"bound", c.bound},
            {"reference", "every chain by Eigen, every factor by the eigenvalues of the Gram matrix"},
            {"chains", c.chains},
            {"orthonormality", c.orthonormality},
            {"missed_energy", c.missed_energy},
            {"norm_gap", c.norm_gap},
            {"tolerance_kept", or_null(c.tolerance_kept)},
            {"tolerance_slack", or_null(c.tolerance_kept.has_value(), c.tolerance_slack)}};
}

json decomposition_json(const tucker_result& r)
{
    const auto& form = r.found.form;
    return {{"ranks", form.ranks()},
            {"fit", 1 - r.error},
            {"error", r.error},
            {"truncated_energies", r.found.truncated_energies},
            {"singular_values", r.found.singular_values},
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
           std::string(base::element_type_name(o.format)) + ", " + number_text(check.tolerance_slack);
}

const char* purpose_of(const tucker_result& r, std::size_t chain)
{
    const std::size_t last = r.chains.size() - 1;
    return chain + 1 < last ? "decompose" : chain < last ? "compress" : "expand";
}

// The iteration that a chain belongs to; that behind the last one: none.
std::size_t iteration_of(const tucker_result& r, std::size_t chain)
{
    return static_cast<std::size_t>(std::upper_bound(r.ends.begin(), r.ends.end(), chain) - r.ends.begin());
}

json chains_json(const tucker_result& r, const tucker_costs& costs)
{
    json list = json::array();
    for (std::size_t i = 0; i < r.chains.size(); ++i) {
        const std::size_t iteration = iteration_of(r, i);
        json modes = json::array();
        for (std::size_t m = 0; m < 3; ++m) {
            if (r.chains[i].summed[m]) { modes.push_back(m + 1); }
        }
        json entry = {{"run", i},
                      {"purpose", purpose_of(r, i)},
                      {"iteration", or_null(iteration < r.ends.size(), iteration)},
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

void write_check(run_report& report, const tucker_options& o, const tucker_result& r)
{
    if (!r.check) { return report.check(std::nullopt); }
    report["check"] = check_json(*r.check);
    report.line("error of chains", "max " + number_text(r.check->max_abs_error) + " absolute (bound " +
                                       number_text(r.check->bound) + "), " + number_text(r.check->max_rel_error) +
                                       " relative, against Eigen");
    report.line("error of factors", number_text(r.check->orthonormality) + " from orthonormal, " +
                                        number_text(r.check->missed_energy) + " of the energy missed");
    if (r.check->tolerance_kept) {
        report.line("tolerance", number_text(o.request.tolerance) + tolerance_text(o, r.error, *r.check));
    }
    report.check(r.check->passed);
}

// Iteration by iteration.
void write_decomposition(run_report& report, const tucker_options& o, const tucker_result& r, const tucker_costs& costs)
{
    const auto& form = r.found.form;
    json iterations = json::array();
    for (std::size_t i = 0; i < r.ends.size(); ++i) {
        report.line("iteration " + std::to_string(i),
                    "fit " + number_text(r.found.fits[i], 8) + ", " + cost_text(costs.iteration(i)));
        iterations.push_back({{"iteration", i}, {"fit", r.found.fits[i]}});
        iterations.back().update(cost_json(costs.iteration(i)));
    }
    if (o.request.method == workloads::tucker_method::hooi) {
        report.line("converged", r.found.converged
                                     ? "yes, the fit rose by at most " + number_text(*o.request.fit_change)
                                     : "no, --max-iterations " + std::to_string(o.request.max_iterations) + " reached");
    }
    report.line("fit",
                number_text(1 - r.error, 8) + ", relative error " + number_text(r.error) + ", element by element");
    report.line("compression", number_text(workloads::compression_ratio(form.shape(), form.ranks())) +
                                   " to 1: " + grouped_text(elements_of(form.shape())) + " elements in " +
                                   grouped_text(elements_of(form)));
    report.fields({{"decomposition", decomposition_json(r)}, {"iterations", iterations}});
}

} // namespace

std::vector<std::string> job_names(const tucker_result& r)
{
    std::vector<std::string> names;
    for (std::size_t i = 0; i < r.chains.size(); ++i) {
        const auto& chain = r.chains[i];
        const std::size_t iteration = iteration_of(r, i);
        std::string modes;
        for (std::size_t m = 0; m < 3; ++m) {
            if (chain.summed[m]) { modes += (modes.empty() ? "" : ",") + std::to_string(m + 1); }
        }
        names.push_back(std::string(purpose_of(r, i)) +
                        (iteration < r.ends.size() ? ", iteration " + std::to_string(iteration) : "") + ", modes " +
                        modes + ", " + shape_text(chain.from) + " to " + shape_text(chain.to));
    }
    return names;
}

std::string singular_values_csv(const tucker_result& r)
{
    std::vector<json> rows;
    const auto ranks = r.found.form.ranks();
    for (std::size_t m = 0; m < 3; ++m) {
        const auto& values = r.found.singular_values[m];
        for (std::size_t i = 0; i < values.size(); ++i) {
            rows.push_back(
                {{"mode", m + 1}, {"number", i + 1}, {"singular_value", values[i]}, {"kept", i < ranks[m] ? 1 : 0}});
        }
    }
    return csv_of(rows);
}

void write_report(run_report& report, const tucker_options& o, const tucker_result& r, const tucker_costs& costs,
                  const device_runs& runs, std::uint64_t active_cell_steps)
{
    const auto& form = r.found.form;
    const chain_costs all = costs.all();
    const auto work = work_of(runs.totals(), active_cell_steps, o.chains.mesh);
    report.begin(std::string(workloads::tucker_method_name(o.request.method)) + ", " + shape_text(form.shape()) +
                     " to " + shape_text(form.ranks()) + ", " + std::string(base::element_type_name(o.format)) + ", " +
                     (o.chains.esop ? "ESOP" : "dense") + ", " + fidelity_name(o.common),
                 "tensorloom-tucker-summary-2", configuration_json(o, r));
    print_format_of_data(report, o, o.format);
    report.line("mesh", shape_text(o.chains.mesh) + " cells");
    print_memory_port(report, {memory_port_elements(o.device.config, o.chains.mesh), largest_face(o.chains.mesh),
                               o.device.config.dma_ports, o.format});
    write_decomposition(report, o, r, costs);
    for (const auto& [part, cost] :
         {std::pair("decompose", costs.decomposing()), std::pair("compress", costs.compressing()),
          std::pair("expand", costs.expanding())}) {
        report.line(part, cost_text(cost));
        report[part] = cost_json(cost);
    }
    report.line("device time", ratio_text(time_ratio(costs)));
    report.line("device energy", ratio_text(energy_ratio(costs)));
    report.fields({{"ratios", {{"time", ratio_json(time_ratio(costs))}, {"energy", ratio_json(energy_ratio(costs))}}},
                   {"chains", chains_json(r, costs)}});
    report.cycles(costs.total());
    report["simulated_time_ns"] = all.ns;
    report["host_end_ns"] = static_cast<double>(r.end_ps) / 1000;
    report.time(all.ns, "; " + quantity_text(static_cast<double>(r.end_ps), "s") + " with the host's transfers");
    report.fields(work_json(work));
    write_transfers(report, runs.totals(), o.chains.double_buffer);
    print_work(report, work);
    report.utilisation(costs.total(), use_of(work, costs.total(), o.chains.mesh), o.device.config.dma_ports);
    report["events"] = events_json(triada::events, runs.totals().data());
    report.energy(costs.total().energy, all.ns, r.on);
    write_check(report, o, r);
    report.simulation(r.usage, all.macs);
}

} // namespace tensorloom::testbench
