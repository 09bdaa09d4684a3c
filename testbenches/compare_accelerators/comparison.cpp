#include "compare_accelerators/comparison.h"
#include <algorithm>
#include <array>
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

// A frame of a recurrent product at a time.
evaluation_settings rules_for(const compared_workload& workload, evaluation_settings rules)
{
    if (workload.frames > 1) { rules.block = workload.layer.batch / workload.frames; }
    return rules;
}

std::optional<contraction_tree> fixed_sequence_of(const workloads::tensorized_layer& layer)
{
    for (const auto& machine : workloads::accelerators()) {
        const bool is_of_a_format = machine.sequence != nullptr && !machine.formats.empty(); // unlike Tetrix
        if (is_of_a_format && machine.takes(layer.format)) { return machine.sequence(layer); }
    }
    return workloads::fixed_tree(workloads::forward_network(layer), "ascending");
}

contraction_tree best_on(const workloads::accelerator& machine, const comparison& what,
                         const compared_workload& workload, const costs::technology& technology,
                         const evaluation_settings& rules)
{
    return workloads::best_sequence(machine, workload.layer, workload.with_dx, what.objective, technology,
                                    rules_for(workload, rules));
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
        const sizes key{on.machine,  row_count(layer), column_count(layer),
                        layer.batch, workload.with_dx, workload.frames};
        if (const auto known = m_known.find(key); known != m_known.end()) { return known->second; }
        const auto graph = workloads::dense_graph(layer, workload.with_dx);
        return m_known
            .emplace(key, workloads::evaluate_apart(*on.machine, graph, m_technology, rules_for(workload, m_rules)))
            .first->second;
    }

private:
    using sizes =
        std::tuple<const workloads::accelerator*, std::uint64_t, std::uint64_t, std::uint64_t, bool, std::uint64_t>;
    const costs::technology& m_technology;
    const evaluation_settings& m_rules;
    std::map<sizes, evaluation> m_known;
};

/// One workload along one sequence.
class group_comparison {
public:
    group_comparison(const comparison& what, const compared_workload& workload, const std::string& sequence,
                     std::optional<contraction_tree> tree, const costs::technology& technology,
                     const evaluation_settings& rules, dense_evaluations& dense,
                     std::map<std::string, accelerator_result>& of_fetta)
        : m_what(what), m_workload(workload), m_sequence(sequence), m_tree(std::move(tree)), m_technology(technology),
          m_rules(rules_for(workload, rules)), m_dense(dense), m_of_fetta(of_fetta)
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
        const bool is_fetta = on.machine->split == workloads::spatial_split::engines;
        const auto known = m_of_fetta.find(on.name);
        if (is_fetta && known != m_of_fetta.end()) { return known->second; }
        auto found = evaluated(on);
        if (is_fetta) { m_of_fetta.emplace(on.name, found); }
        return found;
    }

    accelerator_result evaluated(const compared_machine& on) const
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
        if (m_workload.products && !on.machine->formats.empty()) {
            r.reason = "not of this format";
            return;
        }
        if (m_workload.products) {
            r.found = workloads::evaluate_apart(*on.machine, *m_workload.products, m_technology, m_rules);
            r.apart = true;
            return;
        }
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
        if (!r.found && on.machine->reordering == workloads::data_reordering::permuted) {
            r.reason = "no block of its batch fits with layouts for the networks";
            return;
        }
        r.apart = !r.found;
        if (r.apart) { r.found = workloads::evaluate_apart(*on.machine, graph, m_technology, m_rules); }
    }

    const comparison& m_what;
    const compared_workload& m_workload;
    const std::string& m_sequence;
    const std::optional<contraction_tree> m_tree; // of all, or FETTA's own
    const costs::technology& m_technology;
    const evaluation_settings m_rules;
    dense_evaluations& m_dense;
    std::map<std::string, accelerator_result>& m_of_fetta; // by its name: whatever the rules of the others
};

// The sum of two: none without one of them.
void add(std::optional<evaluation>& sum, const std::optional<evaluation>& more)
{
    if (!more) { sum.reset(); }
    if (!sum) { return; }
    const double dram = sum->dram_share * sum->energy_pj + more->dram_share * more->energy_pj;
    for (const auto number : {&evaluation::cycles, &evaluation::compute_cycles, &evaluation::conflict_cycles,
                              &evaluation::reorder_cycles, &evaluation::dram_cycles, &evaluation::macs,
                              &evaluation::useful_macs, &evaluation::read_bytes, &evaluation::written_bytes}) {
        *sum.*number += *more.*number;
    }
    sum->energy_pj += more->energy_pj;
    sum->dram_share = dram / sum->energy_pj;
    const auto share = [](std::uint64_t macs, std::uint64_t cycles) {
        return static_cast<double>(macs) / (static_cast<double>(workloads::array_pes) * static_cast<double>(cycles));
    };
    sum->utilisation = share(sum->macs, sum->cycles);
    sum->useful_utilisation = share(sum->useful_macs, sum->cycles);
    sum->array_utilisation = share(sum->macs, sum->compute_cycles + sum->conflict_cycles);
}

ratio_range range_of(const std::vector<double>& ratios)
{
    ratio_range range;
    double logarithms = 0;
    for (const double r : ratios) {
        logarithms += std::log(r);
        range.least = range.count == 0 ? r : std::min(range.least, r);
        range.most = std::max(range.most, r);
        ++range.count;
    }
    if (range.count > 0) { range.mean = std::exp(logarithms / static_cast<double>(range.count)); }
    return range;
}

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
    std::vector<std::string> names{shared_sequence, own_sequence,  fixed_sequence_name,
                                   "csse-macs",     "csse-memory", "csse-traffic"};
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
    auto linear = rules; // layouts for the networks take too long to search for every sequence
    linear.paths = workloads::operand_paths::gathered;
    const std::pair key{&workload, places{linear.residency, linear.layouts, linear.paths}};
    const auto known = m_best_on_fetta.find(key);
    if (known != m_best_on_fetta.end()) { return known->second; }
    const auto& fetta = *compared_machines().front().machine;
    return m_best_on_fetta.emplace(key, best_on(fetta, m_what, workload, m_technology, linear)).first->second;
}

std::optional<contraction_tree> accelerator_comparison::tree_of(const compared_workload& workload,
                                                                const std::string& sequence,
                                                                const evaluation_settings& rules)
{
    if (workload.products) { return std::nullopt; }
    if (sequence == shared_sequence || sequence == own_sequence) { return best_on_fetta(workload, rules); }
    if (sequence == fixed_sequence_name) { return fixed_sequence_of(workload.layer); }
    return workloads::named_sequence(workloads::forward_network(workload.layer), sequence);
}

std::vector<compared_group> accelerator_comparison::by(const evaluation_settings& rules,
                                                       const std::function<void(double)>& shown)
{
    const swept_rules key{places{rules.residency, rules.layouts, rules.paths}, rules.most_conflicts,
                          rules.fixed_conflicts, rules.run_cycles, rules.double_buffered};
    if (const auto known = m_groups.find(key); known != m_groups.end()) { return known->second; }
    std::vector<compared_group> groups;
    dense_evaluations dense(m_technology, rules);
    const std::size_t all = m_what.workloads.size() * m_what.sequences.size();
    for (const auto& workload : m_what.workloads) {
        for (const auto& sequence : m_what.sequences) {
            auto& of_fetta = m_of_fetta[{&workload, sequence, places{rules.residency, rules.layouts, rules.paths}}];
            groups.push_back(group_comparison(m_what, workload, sequence, tree_of(workload, sequence, rules),
                                              m_technology, rules, dense, of_fetta)
                                 .all());
            shown(static_cast<double>(groups.size()) / static_cast<double>(all));
        }
    }
    m_groups.emplace(key, groups);
    return groups;
}

std::vector<compared_group> totals_of(const comparison& what, const std::vector<compared_group>& groups)
{
    std::vector<compared_group> totals;
    if (!what.model) { return totals; }
    for (const auto& sequence : what.sequences) {
        std::vector<const compared_group*> parts;
        for (const auto& group : groups) {
            if (group.sequence == sequence) { parts.push_back(&group); }
        }
        compared_group total{&what.model->whole, sequence, evaluation(), {}};
        for (const auto* part : parts) { add(total.fetta, part->fetta); }
        for (std::size_t m = 0; m < what.machines.size(); ++m) {
            accelerator_result sum;
            sum.machine = what.machines[m];
            sum.found = evaluation();
            for (const auto* part : parts) {
                add(sum.found, part->runs[m].found);
                sum.apart = sum.apart || part->runs[m].apart;
                if (!part->runs[m].found) { sum.reason = part->workload->name + ": " + part->runs[m].reason; }
            }
            total.runs.push_back(std::move(sum));
        }
        totals.push_back(std::move(total));
    }
    return totals;
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

std::vector<rule_values> combinations_of(const std::vector<const rule_sweep*>& rules)
{
    std::vector<rule_values> all{{}};
    for (const auto* rule : rules) {
        std::vector<rule_values> longer;
        for (const auto& values : all) {
            for (const auto& point : rule->points) {
                longer.push_back(values);
                longer.back().push_back(&point);
            }
        }
        all = std::move(longer);
    }
    return all;
}

cycles_verdict verdict_of(double ratio)
{
    if (ratio > 1 + estimate_error) { return cycles_verdict::more; }
    return ratio < 1 - estimate_error ? cycles_verdict::fewer : cycles_verdict::same;
}

ratio_range range_of(const std::vector<compared_group>& groups, const std::string& machine,
                     double compared_ratios::*ratio)
{
    std::vector<double> all;
    std::vector<const compared_workload*> of;
    for (const auto& group : groups) {
        for (const auto& run : group.runs) {
            const auto ratios = group.ratios(run);
            if (run.machine->name != machine || !ratios) { continue; }
            all.push_back(*ratios.*ratio);
            of.push_back(group.workload);
        }
    }
    auto range = range_of(all);
    if (range.count == 0) { return range; }
    range.least_on = of[static_cast<std::size_t>(std::min_element(all.begin(), all.end()) - all.begin())];
    range.most_on = of[static_cast<std::size_t>(std::max_element(all.begin(), all.end()) - all.begin())];
    return range;
}

std::vector<sequence_ranges> sequence_ranges_of(const comparison& what, const std::vector<compared_group>& groups,
                                                std::size_t machine)
{
    std::vector<sequence_ranges> all;
    const std::size_t sequences = what.sequences.size(); // of a workload, one group after the other
    for (std::size_t s = 1; s < sequences; ++s) {
        std::array<std::vector<double>, 5> ratios;
        for (std::size_t g = 0; g < groups.size(); g += sequences) {
            const auto& first = groups[g].runs[machine].found;
            const auto& other = groups[g + s].runs[machine].found;
            if (!first || !other || groups[g].workload->products) { continue; }
            const double cycles = static_cast<double>(other->cycles) / static_cast<double>(first->cycles);
            const double energy = other->energy_pj / first->energy_pj;
            ratios[0].push_back(static_cast<double>(other->useful_macs) / static_cast<double>(first->useful_macs));
            ratios[1].push_back(bytes_of(*other) / bytes_of(*first));
            ratios[2].push_back(cycles);
            ratios[3].push_back(energy);
            ratios[4].push_back(cycles * energy);
        }
        all.push_back({what.sequences[s], range_of(ratios[0]), range_of(ratios[1]), range_of(ratios[2]),
                       range_of(ratios[3]), range_of(ratios[4])});
    }
    return all;
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
