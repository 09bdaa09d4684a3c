#include <tensorloom/workloads/step_planner/sequence_costs.h>
#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>
#include <tensorloom/models/fetta/isa/schedule.h>
#include <tensorloom/models/base/values/input_error.h>
#include <tensorloom/workloads/contraction/mapping_search.h>
#include <tensorloom/workloads/step_planner/contract_choice.h>

namespace tensorloom::workloads {
namespace {

constexpr double unreached = std::numeric_limits<double>::infinity();
constexpr std::uint64_t longest_index = std::numeric_limits<std::int32_t>::max(); // of a command

} // namespace

sequence_costs::sequence_costs(const tensor_network& network, graph_maker graph, const fetta::device_limits& g,
                               const step_settings& settings)
    : m_network(network), m_graph(std::move(graph)), m_limits(g), m_settings(settings)
{}

contraction_graph sequence_costs::graph_of(const contraction_tree& tree) const
{
    const std::size_t nodes = m_network.nodes.size();
    return m_graph(tree_of(sets_of(tree, nodes), nodes));
}

sequence_costs::entry& sequence_costs::entry_of(const contraction_tree& tree)
{
    auto sets = sets_of(tree, m_network.nodes.size());
    std::sort(sets.begin(), sets.end());
    return m_entries[std::move(sets)];
}

const std::optional<step_cost>& sequence_costs::sketched(const contraction_tree& tree)
{
    auto& sketch = entry_of(tree).sketch;
    if (!sketch) { sketch = tree.steps.empty() ? step_cost{} : sketched_cost(graph_of(tree), m_limits, m_settings); }
    return *sketch;
}

const std::optional<step_plan>& sequence_costs::planned(const contraction_tree& tree)
{
    auto& plan = entry_of(tree).plan;
    if (!plan) {
        plan.emplace();
        try {
            if (!tree.steps.empty() && sketched(tree)) { *plan = find_plan(graph_of(tree), m_limits, m_settings); }
        } catch (const base::input_error&) { // its sums do not fit
        }
    }
    return *plan;
}

// Where an index is longer than those of commands: no end.
step_cost sequence_costs::apart(const contraction_tree& tree) const
{
    const auto graph = graph_of(tree);
    const auto& memory = m_settings.memory;
    step_cost sum;
    double cycles = 0;
    for (std::size_t c = 0; c < graph.contractions.size(); ++c) {
        const auto& of = graph.contractions[c];
        if (!m_settings.training && of.phase != step_phase::fp) { continue; }
        const auto extents = extents_of(graph, groups_of(graph, c));
        const std::uint64_t longest = std::max({extents.batch, extents.contracted, extents.a_free, extents.b_free});
        if (longest > longest_index) { return {std::numeric_limits<std::uint64_t>::max(), unreached}; }
        const auto best = search_mapping(extents, m_limits, {}, {});
        const std::uint64_t element = base::element_bytes(base::element_type::bf16);
        const std::uint64_t read = (graph.elements(of.a) + graph.elements(of.b)) * element;
        const std::uint64_t written = graph.elements(of.result) * element;
        const double moved = static_cast<double>(read + written) / memory.bytes_per_cycle;
        cycles += std::max(static_cast<double>(best.cycles), moved);
        const std::uint64_t row = m_limits.row_bytes(base::element_type::bf16);
        auto counts = fetta::contract_counts(contract_of(extents, best.mapping, best.split, true), m_limits);
        counts[fetta::event::load_row] = read / row;
        counts[fetta::event::store_row] = written / row;
        sum.pj += m_settings.costs.pj(counts, 0) + memory.read_pj_per_byte * static_cast<double>(read) +
                  memory.write_pj_per_byte * static_cast<double>(written);
    }
    sum.cycles = static_cast<std::uint64_t>(std::llround(cycles));
    sum.pj += m_settings.costs.pj({}, sum.cycles) + memory.pj_per_cycle * static_cast<double>(sum.cycles);
    return sum;
}

known_cost sequence_costs::known(const contraction_tree& tree)
{
    const auto& found = entry_of(tree).plan;
    if (found && *found) { return {(*found)->estimated_cost(), cost_basis::plan}; }
    const bool fits_not = found && !tree.steps.empty();
    if (const auto& sketch = sketched(tree); sketch && !fits_not) { return {*sketch, cost_basis::sketch}; }
    return {apart(tree), cost_basis::apart};
}

ranked_sequences sequence_costs::ranked(const std::vector<contraction_tree>& candidates, const search_request& request)
{
    const auto by_objective = [this](const std::optional<step_cost>& cost) {
        return cost ? cost->by(m_settings.objective) : unreached;
    };
    const auto plan = [&](const tensor_network&, const contraction_tree& tree) {
        const auto& found = planned(tree);
        return found || tree.steps.empty() ? known(tree).cost.by(m_settings.objective) : unreached;
    };
    const auto sketch = [&](const tensor_network&, const contraction_tree& tree) {
        return by_objective(sketched(tree));
    };
    auto result = workloads::ranked(m_network, candidates, plan, request, sketch);
    if (result.best.front().cost < unreached) { return result; }
    const auto by_itself = [&](const tensor_network&, const contraction_tree& tree) {
        return by_objective(apart(tree));
    };
    const bool complete = result.complete;
    result = workloads::ranked(m_network, candidates, by_itself, request);
    result.complete = result.complete && complete;
    return result;
}

} // namespace tensorloom::workloads
