#include "golden_networks.h"

#include <gtest/gtest.h>
#include <tensorloom/workloads/contraction_search/sequence_search.h>

namespace tensorloom::test {
namespace {

using workloads::search_request;

// Every tree counts, as in the file.
search_request all_trees(std::size_t top)
{
    search_request request;
    request.top = top;
    request.near_copy_share = 0;
    return request;
}

std::vector<std::uint64_t> macs_of_best(const workloads::search_result& result)
{
    std::vector<std::uint64_t> macs;
    for (const auto& sequence : result.best) { macs.push_back(sequence.macs); }
    return macs;
}

TEST(golden_search, there_are_88_networks) { EXPECT_EQ(golden_phases().size(), 88u); }

TEST(golden_search, optimum_of_every_network)
{
    for (const auto& phase : golden_phases()) {
        const auto result = workloads::search_subsets(phase.network, all_trees(1));
        EXPECT_EQ(result.best.front().macs, phase.figures.at("opt_macs")) << name_of(phase);
        EXPECT_EQ(workloads::costs_of(phase.network, result.best.front().tree).macs, phase.figures.at("opt_macs"));
        EXPECT_TRUE(result.complete);
    }
}

TEST(golden_search, optimum_is_that_of_other_programs)
{
    std::size_t others = 0;
    for (const auto& phase : golden_phases()) {
        const auto optimum = workloads::optimal_macs(phase.network);
        for (const char* program : {"oe_dp", "oe_optimal"}) {
            if (!phase.figures.contains(program)) { continue; }
            EXPECT_EQ(optimum, phase.figures.at(program).at("macs")) << name_of(phase) << program;
            ++others;
        }
    }
    EXPECT_GT(others, 88u);
}

TEST(golden_search, best_eight_where_they_are_given)
{
    std::size_t given = 0;
    for (const auto& phase : golden_phases()) {
        if (!phase.figures.contains("top8_macs")) { continue; }
        ++given;
        const auto expected = phase.figures.at("top8_macs").get<std::vector<std::uint64_t>>();
        EXPECT_EQ(macs_of_best(workloads::search_subsets(phase.network, all_trees(8))), expected) << name_of(phase);
        if (phase.network.nodes.size() > 7) { continue; }
        EXPECT_EQ(macs_of_best(workloads::search_depth_first(phase.network, all_trees(8))), expected) << name_of(phase);
    }
    EXPECT_EQ(given, 12u);
}

TEST(golden_search, every_phase_of_a_layer_has_the_same_optimum)
{
    std::map<std::string, std::uint64_t> optimum;
    for (const auto& phase : golden_phases()) {
        const auto macs = workloads::optimal_macs(phase.network);
        EXPECT_EQ(optimum.emplace(phase.layer, macs).first->second, macs) << name_of(phase);
    }
}

TEST(golden_search, depth_first_finds_what_subsets_find)
{
    std::size_t compared = 0;
    for (const auto& phase : golden_phases()) {
        if (phase.network.nodes.size() > 7) { continue; }
        ++compared;
        for (const auto objective : {workloads::search_objective::macs, workloads::search_objective::memory,
                                     workloads::search_objective::traffic}) {
            auto request = all_trees(1);
            request.objective = objective;
            const auto one = workloads::search_depth_first(phase.network, request).best.front();
            const auto other = workloads::search_subsets(phase.network, request).best.front();
            EXPECT_EQ(one.cost, other.cost) << name_of(phase);
        }
    }
    EXPECT_GT(compared, 50u);
}

TEST(golden_search, least_memory)
{
    for (const auto& phase : golden_phases()) {
        if (!phase.figures.contains("min_mem_elems")) { continue; }
        auto request = all_trees(1);
        request.objective = workloads::search_objective::memory;
        const auto best = workloads::search_subsets(phase.network, request).best.front();
        EXPECT_EQ(best.cost.first, phase.figures.at("min_mem_elems")) << name_of(phase);
        EXPECT_EQ(workloads::costs_of(phase.network, best.tree).memory, phase.figures.at("min_mem_elems"));
    }
}

// The tree that the file has, in its own words.
workloads::contraction_tree tree_of(const golden_phase& phase)
{
    std::map<std::string, std::uint32_t> numbers;
    for (const auto& node : phase.network.nodes) {
        numbers.emplace(node.name, static_cast<std::uint32_t>(numbers.size()));
    }
    workloads::contraction_tree tree;
    for (const auto& step : phase.figures.at("steps")) {
        tree.steps.push_back({numbers.at(step.at(0)), numbers.at(step.at(1))});
        numbers.emplace(step.at(2), static_cast<std::uint32_t>(numbers.size()));
    }
    return tree;
}

TEST(golden_search, costs_of_the_trees_of_the_file)
{
    for (const auto& phase : golden_phases()) {
        SCOPED_TRACE(name_of(phase));
        const auto tree = tree_of(phase);
        workloads::check_tree(phase.network, tree);
        const auto costs = workloads::costs_of(phase.network, tree);
        const auto& totals = phase.figures.at("totals");
        EXPECT_EQ(costs.macs, totals.at("macs"));
        EXPECT_EQ(costs.memory, totals.at("mem"));
        EXPECT_EQ(costs.intermediate, totals.at("inter"));
        EXPECT_EQ(costs.peak, totals.at("peak"));
        const auto indices = workloads::indices_of(phase.network, tree);
        const auto& extents = phase.figures.at("step_bmnk");
        for (std::size_t s = 0; s < tree.steps.size(); ++s) {
            const auto e = workloads::extents_of(indices[tree.steps[s].a], indices[tree.steps[s].b],
                                                 indices[phase.network.nodes.size() + s], phase.network.sizes);
            EXPECT_EQ((std::vector<std::uint64_t>{e.batch, e.a_free, e.b_free, e.contracted}),
                      extents.at(s).get<std::vector<std::uint64_t>>());
        }
    }
}

} // namespace
} // namespace tensorloom::test
