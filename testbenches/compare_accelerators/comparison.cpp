#include "compare_accelerators/comparison.h"
#include <algorithm>
#include <cmath>
#include <utility>
#include <tensorloom/models/base/values/input_error.h>
#include <tensorloom/workloads/accelerators/tile_loops.h>
#include <tensorloom/workloads/contraction_search/fixed_sequences.h>
#include <tensorloom/workloads/contraction_search/sequence_search.h>

namespace tensorloom::testbench {
namespace {

using workloads::contraction_tree;
using workloads::evaluation;
using workloads::evaluation_settings;

contraction_tree best_on(const workloads::accelerator& machine, const comparison& what,
                         const compared_workload& workload, const costs::technology& technology,
                         const evaluation_settings& rules)
{
    return workloads::best_sequence(machine, workload.layer, workload.with_dx, what.objective, technology, rules);
}

/// Dense layers of the same rules: several workloads may compress one layer.
class dense_evaluations {
public:
    dense_evaluations(const costs::technology& technology, const evaluation_settings& rules)
        : m_technology(technology), m_rules(rules)
    {}
    const evaluation& of(const compared_machine& on, const compared_workload& workload)
    {
        const auto& layer = workload.layer;
        const sizes key{on.machine, row_count(layer), column_count(layer), layer.batch, workload.with_dx};
        if (const auto known = m_known.find(key); known != m_known.end()) { return known->second; }
        const auto graph = workloads::dense_graph(layer, workload.with_dx);
        return m_known.emplace(key, workloads::evaluate_apart(*on.machine, graph, m_technology, m_rules)).first->second;
    }

private:
    using sizes = std::tuple<const workloads::accelerator*, std::uint64_t, std::uint64_t, std::uint64_t, bool>;
    const costs::technology& m_technology;
    const evaluation_settings& m_rules;
    std::map<sizes, evaluation> m_known;
};

/// One workload along one sequence.
class group_comparison {
public:
    group_comparison(const comparison& what, const compared_workload& workload, const std::string& sequence,
                     std::optional<contraction_tree> tree, const costs::technology& technology,
                     const evaluation_settings& rules, dense_evaluations& dense)
        : m_what(what), m_workload(workload), m_sequence(sequence), m_tree(std::move(tree)), m_technology(technology),
          m_rules(rules), m_dense(dense)
    {}

    compared_group all() const
    {
        const auto& fetta = compared_machines().front();
        const auto on_fetta = run(fetta);
        compared_group group{&m_workload, m_sequence, on_fetta.found, {}};
        for (const auto* machine : m_what.machines) {
            group.runs.push_back(machine == &fetta ? on_fetta : run(*machine));
        }
        return group;
    }

private:
    accelerator_result run(const compared_machine& on) const
    {
        accelerator_result r;
        r.machine = &on;
        try {
            evaluate(r);
        } catch (const base::input_error& e) { // a tensor that is too large
            r.reason = e.what();
        }
        return r;
    }

    void evaluate(accelerator_result& r) const
    {
        const auto& on = *r.machine;
        const auto& layer = m_workload.layer;
        if (on.dense) {
            r.found = m_dense.of(on, m_workload);
            r.apart = true;
            return;
        }
        if (!on.machine->takes(layer.format)) {
            r.reason = "not of this format";
            return;
        }
        r.tree = m_sequence == own_sequence && on.machine->name != "fetta"
                     ? best_on(*on.machine, m_what, m_workload, m_technology, m_rules)
                     : m_tree;
        if (!r.tree) {
            r.reason = "the network has no such sequence";
            return;
        }
        const auto graph = workloads::step_graph(layer, *r.tree, m_workload.with_dx);
        r.found = workloads::evaluate(*on.machine, graph, m_technology, m_rules);
        r.apart = !r.found;
        if (r.apart) { r.found = workloads::evaluate_apart(*on.machine, graph, m_technology, m_rules); }
    }

    const comparison& m_what;
    const compared_workload& m_workload;
    const std::string& m_sequence;
    const std::optional<contraction_tree> m_tree; // of all, or FETTA's own
    const costs::technology& m_technology;
    const evaluation_settings& m_rules;
    dense_evaluations& m_dense;
};

double bytes_of(const evaluation& e) { return static_cast<double>(e.read_bytes + e.written_bytes); }

std::string contradiction_of(const evaluation& e, const evaluation_settings& rules)
{
    const auto cycles = static_cast<double>(e.cycles);
    constexpr double rounding = 1e-9;
    if (cycles * static_cast<double>(workloads::array_pes) < static_cast<double>(e.macs)) {
        return "fewer cycles than multiply-adds need";
    }
    const double peak = std::max(rules.memory.bytes_per_cycle, rules.memory.unrefreshed_bytes_per_cycle);
    if (cycles * peak * (1 + rounding) + 1 < bytes_of(e)) { return "fewer cycles than the memory needs for its bytes"; }
    double pj = 0;
    std::uint64_t macs = 0;
    for (const auto& part : e.energy) { pj += part.pj; }
    for (const auto& c : e.contractions) { macs += c.macs; }
    if (std::fabs(pj - e.energy_pj) > rounding * pj) { return "parts of the energy that do not add up to its total"; }
    if (macs != e.macs) { return "contractions whose multiply-adds do not add up to the total"; }
    return {};
}

rule_sweep conflicts_sweep()
{
    rule_sweep sweep{"conflicts", "factor on the cycles of a tensor in another order", {}};
    for (const unsigned factor : {1u, 2u, 4u, 8u, 16u}) {
        sweep.points.push_back({std::to_string(factor), [factor](auto& rules) { rules.fixed_conflicts = factor; }});
    }
    return sweep;
}

template <class Member, std::size_t N>
rule_sweep named_sweep(const char* rule, const char* meaning, const base::named_value (&values)[N],
                       Member evaluation_settings::*member)
{
    rule_sweep sweep{rule, meaning, {}};
    for (const auto& v : values) {
        sweep.points.push_back({v.name, [member, v](auto& rules) { rules.*member = static_cast<Member>(v.value); }});
    }
    return sweep;
}

rule_sweep double_buffered_sweep()
{
    return {"double-buffered",
            "arrays load the next tile while they work on the current one",
            {{"on", [](auto& rules) { rules.double_buffered = true; }},
             {"off", [](auto& rules) { rules.double_buffered = false; }}}};
}

rule_sweep run_cycles_sweep()
{
    rule_sweep sweep{"run-cycles", "cycles for every run of a tensor that is reordered through DRAM", {}};
    for (const unsigned cycles : {0u, 30u}) {
        sweep.points.push_back({std::to_string(cycles), [cycles](auto& rules) { rules.run_cycles = cycles; }});
    }
    return sweep;
}

} // namespace

const std::vector<compared_machine>& compared_machines()
{
    static const std::vector<compared_machine> all = [] {
        std::vector<compared_machine> machines;
        for (const auto& a : workloads::accelerators()) { machines.push_back({a.name, &a, false}); }
        machines.push_back({"tpu-dense", &workloads::find_accelerator("tpu"), true});
        return machines;
    }();
    return all;
}

std::vector<std::string> sequence_names()
{
    std::vector<std::string> names{shared_sequence, own_sequence, "csse-macs", "csse-memory", "csse-traffic"};
    for (const auto& fixed : workloads::fixed_sequences()) { names.emplace_back(fixed.name); }
    return names;
}

std::optional<compared_ratios> compared_group::ratios(const accelerator_result& run) const
{
    if (!run.found || !fetta) { return std::nullopt; }
    const auto& a = *run.found;
    const auto& b = *fetta;
    compared_ratios r;
    r.cycles = static_cast<double>(a.cycles) / static_cast<double>(b.cycles);
    r.energy = a.energy_pj / b.energy_pj;
    r.edp = r.cycles * r.energy;
    r.utilisation = a.utilisation / b.utilisation;
    r.dram_bytes = bytes_of(a) / bytes_of(b);
    r.dram_share = a.dram_share / b.dram_share;
    return r;
}

const contraction_tree& accelerator_comparison::best_on_fetta(const compared_workload& workload,
                                                              const evaluation_settings& rules)
{
    const std::pair key{&workload, places{rules.residency, rules.layouts}};
    const auto known = m_best_on_fetta.find(key);
    if (known != m_best_on_fetta.end()) { return known->second; }
    const auto& fetta = *compared_machines().front().machine;
    return m_best_on_fetta.emplace(key, best_on(fetta, m_what, workload, m_technology, rules)).first->second;
}

std::vector<compared_group> accelerator_comparison::by(const evaluation_settings& rules,
                                                       const std::function<void(double)>& shown)
{
    const swept_rules key{places{rules.residency, rules.layouts}, rules.most_conflicts, rules.fixed_conflicts,
                          rules.run_cycles, rules.double_buffered};
    if (const auto known = m_groups.find(key); known != m_groups.end()) { return known->second; }
    std::vector<compared_group> groups;
    dense_evaluations dense(m_technology, rules);
    const std::size_t all = m_what.workloads.size() * m_what.sequences.size();
    for (const auto& workload : m_what.workloads) {
        for (const auto& sequence : m_what.sequences) {
            const bool is_best = sequence == shared_sequence || sequence == own_sequence;
            const auto tree = is_best ? best_on_fetta(workload, rules)
                                      : workloads::named_sequence(workloads::forward_network(workload.layer), sequence);
            groups.push_back(group_comparison(m_what, workload, sequence, tree, m_technology, rules, dense).all());
            shown(static_cast<double>(groups.size()) / static_cast<double>(all));
        }
    }
    m_groups.emplace(key, groups);
    return groups;
}

const std::vector<rule_sweep>& rule_sweeps()
{
    static const std::vector<rule_sweep> all{
        conflicts_sweep(),
        named_sweep("residency", "where intermediates are held", workloads::evaluated_residency_values,
                    &evaluation_settings::residency),
        named_sweep("mode-orders", "order of the modes of a tensor in memory", workloads::line_layouts_values,
                    &evaluation_settings::layouts),
        double_buffered_sweep(),
        run_cycles_sweep(),
    };
    return all;
}

ratio_range range_of(const std::vector<compared_group>& groups, const std::string& machine,
                     double compared_ratios::*ratio)
{
    ratio_range range;
    double logarithms = 0;
    for (const auto& group : groups) {
        for (const auto& run : group.runs) {
            const auto ratios = group.ratios(run);
            if (run.machine->name != machine || !ratios) { continue; }
            const double r = *ratios.*ratio;
            logarithms += std::log(r);
            range.least = range.count == 0 ? r : std::min(range.least, r);
            range.most = std::max(range.most, r);
            ++range.count;
        }
    }
    if (range.count > 0) { range.mean = std::exp(logarithms / static_cast<double>(range.count)); }
    return range;
}

std::string contradiction(const std::vector<compared_group>& groups, const evaluation_settings& rules)
{
    for (const auto& group : groups) {
        for (const auto& run : group.runs) {
            if (!run.found) { continue; }
            const auto wrong = contradiction_of(*run.found, rules);
            if (!wrong.empty()) {
                return run.machine->name + " on " + group.workload->name + ", " + group.sequence + ": " + wrong;
            }
        }
    }
    return {};
}

} // namespace tensorloom::testbench
