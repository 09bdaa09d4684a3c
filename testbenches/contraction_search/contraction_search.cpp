#include "contraction_search/contraction_search.h"
#include <algorithm>
#include <cstdint>
#include <limits>
#include <memory>
#include <systemc>
#include <tensorloom/workloads/contraction_search/fixed_sequences.h>
#include <tensorloom/models/fetta/isa/costs.h>
#include <tensorloom/workloads/contraction_search/training_step.h>
#include "platform/process/progress.h"
#include "platform/report/testbench_run.h"
#include "platform/fetta/fetta_memory_estimate.h"

using namespace tensorloom;
using namespace tensorloom::testbench;

namespace {

using workloads::search_objective;

told_tree told(const contraction_search_options& o, const workloads::node_sets& sets,
               const workloads::contraction_tree& tree)
{
    told_tree result{tree, workloads::costs_of(o.network, tree), 0, std::nullopt};
    for (const auto& step : workloads::sets_of(tree, sets.nodes())) {
        result.traffic = workloads::saturated_sum(result.traffic, sets.cost(step.a, step.b).first);
    }
    return result;
}

workloads::search_result search(const contraction_search_options& o, const workloads::search_request& request)
{
    switch (o.method) {
    case search_method::depth_first: return workloads::search_depth_first(o.network, request);
    case search_method::subsets: return workloads::search_subsets(o.network, request);
    default: return workloads::search_sequences(o.network, request);
    }
}

// The number that a search by this objective has made small, of its index lists.
std::uint64_t cost_by(search_objective objective, const told_tree& tree)
{
    switch (objective) {
    case search_objective::memory: return tree.costs.memory;
    case search_objective::traffic: return tree.traffic;
    default: return tree.costs.macs;
    }
}

workloads::step_settings settings_of(const contraction_search_options& o, const costs::technology& technology)
{
    workloads::step_settings s;
    s.training = o.phase == "fp";
    s.objective = *o.device_objective;
    s.memory = memory_estimate_of(o.common, technology, 0);
    s.lanes = o.device.config.lanes;
    s.costs = workloads::mapping_costs(fetta::device_energy(technology, energy_settings_of(o.device, o.common)),
                                       static_cast<double>(clock_period_ps(o.common)) / 1000);
    return s;
}

// The whole step of a layer's forward pass, and any other network by itself.
workloads::sequence_costs::graph_maker graphs_of(const contraction_search_options& o)
{
    if (o.phase == "fp") {
        return [&o](const auto& tree) { return workloads::step_graph(*o.layer, tree, o.dx); };
    }
    return [&o](const auto& tree) { return workloads::network_graph(o.network, tree); };
}

/// Searches one network.
class search_run : public testbench_run {
public:
    explicit search_run(const contraction_search_options& options) : m_options(options) {}

    std::vector<costs::floor_plan> devices(const costs::technology& technology) const override
    {
        if (!m_options.device_objective) { return {}; }
        return {fetta::device_area(technology, energy_settings_of(m_options.device, m_options.common))};
    }

    void prepare(const costs::technology& technology) override
    {
        if (!m_options.device_objective) { return; }
        m_costs.emplace(m_options.network, graphs_of(m_options), m_options.device.config.limits,
                        settings_of(m_options, technology));
    }

    void simulate(const costs::technology&) override
    {
        const usage_meter meter;
        progress shown(m_options.common.quiet);
        auto request = m_options.request;
        request.progress = [&shown](double fraction) { shown.show(fraction, "searching"); };
        std::optional<workloads::search_result> found; // by MACs, memory or traffic
        if (m_options.device_objective) {
            rank_by_device(request, meter);
        } else {
            found = search(m_options, request);
            m_found.complete = found->complete;
            m_found.optimal = found->optimal;
            m_found.visited = found->visited;
            for (const auto& sequence : found->best) { m_found.best.push_back(told_with_cost(sequence.tree)); }
        }
        find_strategies(request, found, meter);
        if (m_found.fewest_macs == std::numeric_limits<std::uint64_t>::max()) {
            throw base::input_error("network: found no sequence of less than 2^64 MACs, expected smaller sizes");
        }
        train();
        if (m_options.common.check) { check(found); }
        m_found.usage = meter.elapsed();
    }

    bool passed() const override { return m_found.passed.value_or(true); }
    void write_report(run_report& report) const override
    {
        write_search(report, m_options, m_found); // --json is the summary, which is whole only now
        if (m_options.json_file) { write_summary(*m_options.json_file, report.summary()); }
    }
    void write_programs(const output_directory&) const override {}
    std::string failure() const override { return "check failed: " + m_found.failure; }

private:
    // When time is up, a cost on the device is reported only if it is known already.
    told_tree told_with_cost(const workloads::contraction_tree& tree, bool time_is_up = false)
    {
        auto result = told(m_options, m_traffic, tree);
        if (m_costs && (!time_is_up || m_costs->is_known(tree))) { result.device = m_costs->known(tree); }
        return result;
    }

    void rank_by_device(workloads::search_request request, const usage_meter& meter)
    {
        constexpr double share_of_candidates = 0.5; // of the time; the rest is for their costs
        auto for_candidates = request;
        for_candidates.seconds *= share_of_candidates;
        const auto candidates = workloads::candidates_of(m_options.network, for_candidates);
        leave_the_rest(request, meter);
        const auto ranked = m_costs->ranked(candidates.trees, request);
        m_found.complete = candidates.complete && ranked.complete;
        m_found.visited = candidates.visited;
        for (const auto& sequence : ranked.best) {
            if (m_found.best.size() < request.top) { m_found.best.push_back(told_with_cost(sequence.tree)); }
        }
    }

    bool is_up(const usage_meter& meter) const
    {
        return m_options.request.seconds > 0 && meter.elapsed().wall_s > m_options.request.seconds;
    }

    // Of the time limit, for the next search.
    void leave_the_rest(workloads::search_request& request, const usage_meter& meter) const
    {
        constexpr double least_seconds = 1e-9;
        const double limit = m_options.request.seconds;
        if (limit > 0) { request.seconds = std::max(least_seconds, limit - meter.elapsed().wall_s); }
    }

    void find_strategies(workloads::search_request request, const std::optional<workloads::search_result>& found,
                         const usage_meter& meter)
    {
        request.top = 1;
        std::vector<search_objective> unproven; // time was up
        for (const auto& objective : workloads::search_objective_values) {
            request.objective = static_cast<search_objective>(objective.value);
            const bool known = found && request.objective == m_options.request.objective;
            leave_the_rest(request, meter);
            const auto result = known ? *found : workloads::search_subsets(m_options.network, request);
            m_found.complete = m_found.complete && result.complete;
            if (!result.optimal) { unproven.push_back(request.objective); }
            if (request.objective == search_objective::macs) { m_found.fewest_is_optimal = result.optimal; }
            m_found.strategies.push_back({std::string("csse-") + objective.name, objective.meaning,
                                          told_with_cost(result.best.front().tree, is_up(meter))});
        }
        if (m_options.device_objective) {
            const auto& objective =
                workloads::mapping_objective_values[static_cast<unsigned>(*m_options.device_objective)];
            m_found.strategies.push_back(
                {std::string("csse-") + objective.name, objective.meaning, m_found.best.front()});
        }
        for (const auto& fixed : workloads::fixed_sequences()) {
            leave_the_rest(request, meter);
            strategy s{fixed.name, fixed.meaning, {}};
            if (const auto tree = workloads::fixed_tree(m_options.network, fixed.name, request.seconds)) {
                s.found = told_with_cost(*tree, is_up(meter));
            }
            m_found.strategies.push_back(std::move(s));
        }
        use_the_best_known(unproven);
        m_found.fewest_macs = strategy_by(search_objective::macs).costs.macs;
    }

    // The first strategies are the best by an objective each.
    told_tree& strategy_by(search_objective objective)
    {
        return *m_found.strategies[static_cast<std::size_t>(objective)].found;
    }

    // A search that ran out of time knows less than all that was evaluated.
    void use_the_best_known(const std::vector<search_objective>& unproven)
    {
        auto known = m_found.best;
        for (const auto& s : m_found.strategies) {
            if (s.found) { known.push_back(*s.found); }
        }
        for (const auto objective : unproven) {
            strategy_by(objective) = *std::min_element(known.begin(), known.end(), [&](const auto& x, const auto& y) {
                return cost_by(objective, x) < cost_by(objective, y);
            });
        }
        if (m_found.complete) { return; }
        const auto& best = *std::min_element(known.begin(), known.end(),
                                             [&](const auto& x, const auto& y) { return costs_less(x, y); });
        if (costs_less(best, m_found.best.front())) {
            auto& list = m_found.best;
            list.erase(std::remove_if(list.begin(), list.end(), [&](const auto& t) { return t.tree == best.tree; }),
                       list.end());
            list.insert(list.begin(), best);
            if (list.size() > m_options.request.top) { list.pop_back(); }
        }
        for (auto& s : m_found.strategies) {
            if (s.name == "csse-" + m_options.objective) { s.found = m_found.best.front(); }
        }
    }

    // By the objective.
    bool costs_less(const told_tree& x, const told_tree& than) const
    {
        if (m_options.device_objective) { return x.device && (!than.device || takes_less(*x.device, *than.device)); }
        const auto objective = m_options.request.objective;
        return cost_by(objective, x) < cost_by(objective, than);
    }

    void train()
    {
        if (m_options.phase != "fp") { return; }
        const auto& tree = m_found.best.front().tree;
        m_found.training = {workloads::reverse_mode(m_options.network, tree, true).macs(),
                            workloads::reverse_mode(m_options.network, tree, false).macs()};
    }

    // Trees are trees, cost what the search said, and nothing that is known costs less.
    void check(const std::optional<workloads::search_result>& found)
    {
        const auto objective = m_options.request.objective;
        for (std::size_t i = 0; i < m_found.best.size(); ++i) {
            workloads::check_tree(m_options.network, m_found.best[i].tree);
        }
        for (std::size_t i = 0; found && i < found->best.size(); ++i) {
            if (cost_by(objective, told(m_options, m_traffic, found->best[i].tree)) != found->best[i].cost.first) {
                m_found.failure = "sequence " + std::to_string(i + 1) + " has other costs than the search reported";
            }
        }
        for (const auto& s : m_found.strategies) {
            if (!s.found) { continue; }
            if (costs_less(*s.found, m_found.best.front())) {
                m_found.failure = s.name + " costs less than the best sequence found";
            }
            if (s.found->costs.macs < m_found.fewest_macs) {
                m_found.failure = s.name + " takes less than fewest_macs";
            }
        }
        m_found.passed = m_found.failure.empty();
    }

    // What does not fit is behind all that does.
    bool takes_less(const workloads::known_cost& x, const workloads::known_cost& than) const
    {
        const auto by = *m_options.device_objective;
        const bool x_apart = x.basis == workloads::cost_basis::apart,
                   apart = than.basis == workloads::cost_basis::apart;
        return x_apart == apart ? x.cost.by(by) < than.cost.by(by) : apart;
    }

    const contraction_search_options& m_options;
    // For the traffic of all trees.
    const workloads::node_sets m_traffic{m_options.network, search_objective::traffic, m_options.request.traffic};
    contraction_search_findings m_found;
    std::optional<workloads::sequence_costs> m_costs;
};

} // namespace

int sc_main(int argc, char* argv[])
{
    return testbench_main("contraction_search", argc, argv, read_contraction_search_options,
                          [](const contraction_search_options& o) { return std::make_unique<search_run>(o); });
}
