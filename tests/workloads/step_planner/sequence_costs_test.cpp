#include <limits>
#include <gtest/gtest.h>
#include <tensorloom/models/fetta/isa/costs.h>
#include <tensorloom/models/base/values/input_error.h>
#include <tensorloom/workloads/contraction_search/fixed_sequences.h>
#include <tensorloom/workloads/step_planner/sequence_costs.h>
#include <tensorloom/workloads/tensor_network/named_layers.h>

using namespace tensorloom;
using namespace tensorloom::workloads;

namespace {

tensorized_layer layer_of(const char* name, std::uint64_t batch)
{
    auto layer = find_named_layer(name).layer;
    layer.batch = batch;
    return layer;
}

step_settings settings_by(mapping_objective objective)
{
    step_settings s;
    s.objective = objective;
    s.costs = mapping_costs(fetta::device_energy(costs::load_technology("fetta-7nm"), {}), 1);
    s.memory.read_pj_per_byte = 70; // about LPDDR4's
    s.memory.write_pj_per_byte = 41;
    s.memory.pj_per_cycle = 140;
    return s;
}

sequence_costs::graph_maker steps_of(const tensorized_layer& layer)
{
    return [layer](const contraction_tree& tree) { return step_graph(layer, tree, true); };
}

constexpr mapping_objective objectives[] = {mapping_objective::latency, mapping_objective::energy,
                                            mapping_objective::edp};

double number_of(mapping_objective objective, const step_cost& cost)
{
    const auto cycles = static_cast<double>(cost.cycles);
    return objective == mapping_objective::latency  ? cycles
           : objective == mapping_objective::energy ? cost.pj
                                                    : cost.pj * cycles;
}

// Every candidate planned by itself.
TEST(sequence_costs, the_best_sequence_is_the_best_of_all_plans)
{
    for (const auto& [name, batch] : {std::pair{"atis-tt", 8}, {"ucf-ttm", 4}, {"wmt-tt-attention", 64}}) {
        const auto layer = layer_of(name, static_cast<std::uint64_t>(batch));
        const auto network = forward_network(layer);
        search_request request;
        request.top = 3;
        const auto candidates = candidates_of(network, request).trees;
        for (const auto objective : objectives) {
            const auto settings = settings_by(objective);
            double expected = std::numeric_limits<double>::infinity();
            for (const auto& tree : candidates) {
                try {
                    const auto plan = plan_step(step_graph(layer, tree, true), {}, settings);
                    expected = std::min(expected, number_of(objective, plan.estimated_cost()));
                } catch (const base::input_error&) {}
            }
            sequence_costs costs(network, steps_of(layer), {}, settings);
            const auto best = costs.ranked(candidates, request).best.front();
            EXPECT_TRUE(best.exact) << name;
            EXPECT_EQ(best.cost, expected) << name << " by " << mapping_objective_values[int(objective)].name;
            EXPECT_EQ(best.cost, number_of(objective, costs.planned(best.tree)->estimated_cost())) << name;
        }
    }
}

TEST(sequence_costs, equal_sequences_are_planned_once)
{
    const auto layer = layer_of("atis-tt", 4);
    const auto network = forward_network(layer);
    unsigned made = 0;
    sequence_costs costs(
        network,
        [&](const contraction_tree& tree) {
            ++made;
            return step_graph(layer, tree, true);
        },
        {}, settings_by(mapping_objective::latency));
    const auto tree = *fixed_tree(network, "bidirectional");
    auto turned = tree; // operands the other way around
    for (auto& step : turned.steps) { std::swap(step.a, step.b); }
    const auto cost = costs.known(tree);
    EXPECT_EQ(cost.basis, cost_basis::sketch);
    const auto planned = costs.planned(turned)->estimated_cost();
    const unsigned before = made;
    EXPECT_EQ(costs.known(tree).basis, cost_basis::plan);
    EXPECT_EQ(costs.known(tree).cost.cycles, planned.cycles);
    EXPECT_EQ(costs.planned(tree)->estimated_cost().cycles, planned.cycles);
    EXPECT_EQ(costs.sketched(turned)->cycles, cost.cost.cycles);
    EXPECT_EQ(made, before);
    EXPECT_EQ(made, 2u); // a sketch and a plan
}

TEST(sequence_costs, what_fits_nowhere_is_costed_apart)
{
    const auto layer = layer_of("ucf-bt-d2", 96);
    const auto network = forward_network(layer);
    fetta::device_limits g;
    g.bank_bytes = 16384; // A1 alone takes more
    sequence_costs costs(network, steps_of(layer), g, settings_by(mapping_objective::latency));
    const auto tree = *fixed_tree(network, "descending");
    EXPECT_FALSE(costs.sketched(tree));
    EXPECT_FALSE(costs.planned(tree));
    const auto known = costs.known(tree);
    EXPECT_EQ(known.basis, cost_basis::apart);
    // Each of FP, dA and dB has its MACs on 256 PEs at least, and is bound by them or by memory.
    EXPECT_GE(known.cost.cycles, 3 * costs_of(network, tree).macs / 256);
    const auto best = costs.ranked(candidates_of(network, {}).trees, {}).best;
    EXPECT_EQ(costs.known(best.front().tree).basis, cost_basis::apart);
    for (std::size_t i = 1; i < best.size(); ++i) { EXPECT_LE(best[i - 1].cost, best[i].cost); }
}

// A forward network by itself is the step without its other phases.
TEST(sequence_costs, a_network_by_itself_is_one_phase)
{
    const auto layer = layer_of("ucf-ttm", 8);
    const auto network = forward_network(layer);
    auto settings = settings_by(mapping_objective::latency);
    settings.training = false;
    const auto tree = *fixed_tree(network, "descending");
    const auto step = plan_step(step_graph(layer, tree, false), {}, settings).estimated_cost();
    const auto alone = plan_step(network_graph(network, tree), {}, settings).estimated_cost();
    EXPECT_EQ(alone.cycles, step.cycles);
    EXPECT_EQ(alone.pj, step.pj);
}

// Sums over the batch, and what is made of them, come behind the loop.
TEST(sequence_costs, gradient_networks_by_themselves_are_planned)
{
    const auto layer = layer_of("atis-tt", 16);
    for (const char* phase : {"bp", "wg:G1", "wg:G3", "wg:G6"}) {
        const auto network = phase_network(layer, phase);
        auto settings = settings_by(mapping_objective::latency);
        settings.training = false;
        sequence_costs costs(
            network, [&](const auto& tree) { return network_graph(network, tree); }, {}, settings);
        const auto best = costs.ranked(candidates_of(network, {}).trees, {}).best.front();
        const auto& plan = costs.planned(best.tree);
        ASSERT_TRUE(plan) << phase;
        std::uint64_t macs = 0;
        for (const auto& e : plan->executions()) {
            const auto samples = plan->block_graph.macs(e.contraction);
            macs += e.times * samples;
        }
        EXPECT_EQ(macs, costs_of(network, best.tree).macs) << phase;
        EXPECT_GE(best.cost, static_cast<double>(macs) / 256) << phase;
    }
}

TEST(sequence_costs, a_network_of_one_tensor_costs_nothing)
{
    const tensor_network network{{{"A", {"i"}}}, {"i"}, {{"i", 3}}};
    sequence_costs costs(
        network, [&](const auto& tree) { return network_graph(network, tree); }, {},
        settings_by(mapping_objective::edp));
    const auto found = costs.ranked(candidates_of(network, {}).trees, {});
    EXPECT_EQ(found.best.front().cost, 0);
    EXPECT_TRUE(found.best.front().tree.steps.empty());
}

} // namespace
