#include <gtest/gtest.h>
#include <tensorloom/workloads/contraction_search/sequence_search.h>
#include <tensorloom/workloads/tensor_network/named_layers.h>
#include "golden_networks.h"

namespace tensorloom::test {
namespace {

// Of MACs that two trees do not share, in the words of the issue: the larger side over the first's MACs.
double difference(const workloads::tensor_network& network, const workloads::contraction_tree& x,
                  const workloads::contraction_tree& y)
{
    const workloads::node_sets sets(network, workloads::search_objective::macs, {});
    const auto of_x = workloads::sets_of(x, sets.nodes()), of_y = workloads::sets_of(y, sets.nodes());
    const auto alone = [&](const auto& these, const auto& those) {
        double sum = 0;
        for (const auto& step : these) {
            bool shared = false;
            for (const auto& other : those) { shared = shared || step == other; }
            if (!shared) { sum += static_cast<double>(sets.macs(step.a, step.b)); }
        }
        return sum;
    };
    return std::max(alone(of_x, of_y), alone(of_y, of_x)) / static_cast<double>(workloads::costs_of(network, x).macs);
}

TEST(near_copies, count_once)
{
    for (const char* layer : {"ucf-ht", "ucf-tt", "ucf-tr", "ucf-ttm"}) {
        const auto network = forward(layer);
        const auto best = workloads::search_subsets(network, {}).best;
        ASSERT_EQ(best.size(), 8u) << layer;
        for (std::size_t i = 0; i < best.size(); ++i) {
            for (std::size_t j = i + 1; j < best.size(); ++j) {
                EXPECT_GE(difference(network, best[i].tree, best[j].tree), 0.01) << layer << i << j;
                EXPECT_LE(best[i].macs, best[j].macs);
            }
        }
    }
}

TEST(near_copies, are_what_the_best_eight_are_without_the_rule)
{
    workloads::search_request every_tree;
    every_tree.near_copy_share = 0;
    const auto network = forward("ucf-ht");
    const auto best = workloads::search_subsets(network, every_tree).best;
    EXPECT_LT(difference(network, best[0].tree, best[5].tree), 0.01);
}

TEST(near_copies, both_searches_leave_out_the_same)
{
    for (const char* layer : {"ucf-ttm", "ucf-bt", "atis-tt", "fc4096-ttm"}) {
        const auto network = forward(layer);
        const auto one = workloads::search_depth_first(network, {}).best,
                   other = workloads::search_subsets(network, {}).best;
        ASSERT_EQ(one.size(), other.size()) << layer;
        for (std::size_t i = 0; i < one.size(); ++i) { EXPECT_EQ(one[i].macs, other[i].macs) << layer << i; }
    }
}

TEST(candidates, are_the_best_by_three_objectives)
{
    const auto network = forward("ucf-ttm");
    workloads::search_request request;
    request.traffic.kept = true;
    const auto candidates = workloads::candidates_of(network, request);
    EXPECT_TRUE(candidates.complete);
    for (std::size_t i = 0; i < candidates.trees.size(); ++i) {
        for (std::size_t j = i + 1; j < candidates.trees.size(); ++j) {
            EXPECT_FALSE(candidates.trees[i] == candidates.trees[j]);
        }
    }
    const auto has_best = [&](workloads::search_objective objective) {
        auto by_one = request;
        by_one.objective = objective;
        const auto best = workloads::search_subsets(network, by_one).best.front().cost;
        const workloads::node_sets sets(network, objective, request.traffic);
        for (const auto& tree : candidates.trees) {
            workloads::search_cost cost;
            for (const auto& step : workloads::sets_of(tree, sets.nodes())) { cost = cost + sets.cost(step.a, step.b); }
            if (cost == best) { return true; }
        }
        return false;
    };
    EXPECT_TRUE(has_best(workloads::search_objective::macs));
    EXPECT_TRUE(has_best(workloads::search_objective::memory));
    EXPECT_TRUE(has_best(workloads::search_objective::traffic));
}

TEST(candidates, are_ranked_by_a_cost)
{
    const auto network = forward("ucf-ttm");
    const auto candidates = workloads::candidates_of(network, {}).trees;
    workloads::search_request request;
    request.near_copy_share = 0;
    const auto best = workloads::ranked(
        network, candidates,
        [](const auto& of, const auto& tree) { return static_cast<double>(workloads::costs_of(of, tree).peak); },
        request);
    EXPECT_TRUE(best.complete);
    ASSERT_EQ(best.best.size(), candidates.size());
    for (std::size_t i = 1; i < candidates.size(); ++i) { EXPECT_LE(best.best[i - 1].cost, best.best[i].cost); }
}

double macs_of_tree(const workloads::tensor_network& network, const workloads::contraction_tree& tree)
{
    return static_cast<double>(workloads::costs_of(network, tree).macs);
}

// Costs that are up to twice what they are at least, and for some sequences infinite.
double costly(const workloads::tensor_network& network, const workloads::contraction_tree& tree)
{
    const double macs = macs_of_tree(network, tree);
    const auto mixed = static_cast<std::uint64_t>(macs) * 0x9e3779b97f4a7c15u >> 61;
    return mixed == 0 ? std::numeric_limits<double>::infinity() : macs * (1 + static_cast<double>(mixed) / 8);
}

TEST(candidates, the_best_is_found_without_asking_for_every_cost)
{
    for (const char* layer : {"ucf-ttm", "ucf-tt", "ucf-ht", "atis-tt", "bert-tt-attention", "ucf-bt"}) {
        const auto network = forward(layer);
        const auto candidates = workloads::candidates_of(network, {}).trees;
        double expected = std::numeric_limits<double>::infinity();
        for (const auto& tree : candidates) { expected = std::min(expected, costly(network, tree)); }
        std::size_t asked = 0;
        workloads::search_request request;
        request.near_copy_share = 0;
        const auto found = workloads::ranked(
            network, candidates,
            [&asked](const auto& of, const auto& tree) {
                ++asked;
                return costly(of, tree);
            },
            request, macs_of_tree);
        ASSERT_EQ(found.best.size(), candidates.size()) << layer;
        EXPECT_TRUE(found.best.front().exact) << layer;
        EXPECT_EQ(found.best.front().cost, expected) << layer;
        EXPECT_LT(asked, candidates.size()) << layer;
        for (const auto& sequence : found.best) {
            const double cost = sequence.exact ? costly(network, sequence.tree) : macs_of_tree(network, sequence.tree);
            EXPECT_EQ(sequence.cost, cost) << layer;
            EXPECT_GE(sequence.cost, expected) << layer;
        }
    }
}

TEST(candidates, of_near_copies_the_cheapest_is_ranked)
{
    const auto network = forward("ucf-tr");
    const auto candidates = workloads::candidates_of(network, {}).trees;
    const auto found = workloads::ranked(network, candidates, macs_of_tree);
    const workloads::node_sets sets(network, workloads::search_objective::macs, {});
    const auto is_copy = [&](const auto& x, const auto& y) {
        return workloads::near_copies(sets, workloads::sets_of(x, sets.nodes()), workloads::sets_of(y, sets.nodes()),
                                      workloads::search_request().near_copy_share);
    };
    EXPECT_LT(found.best.size(), candidates.size());
    for (const auto& tree : candidates) {
        const bool is_ranked = std::any_of(found.best.begin(), found.best.end(), [&](const auto& sequence) {
            return sequence.tree == tree ||
                   (is_copy(sequence.tree, tree) && sequence.cost <= macs_of_tree(network, tree));
        });
        EXPECT_TRUE(is_ranked) << workloads::tree_text(network, tree);
    }
    for (std::size_t i = 0; i < found.best.size(); ++i) {
        for (std::size_t j = i + 1; j < found.best.size(); ++j) {
            EXPECT_FALSE(is_copy(found.best[i].tree, found.best[j].tree));
        }
    }
}

TEST(candidates, time_that_is_up_ends_ranking_with_one_cost)
{
    const auto network = forward("ucf-tt");
    workloads::search_request request;
    const auto candidates = workloads::candidates_of(network, request).trees;
    request.seconds = 1e-9;
    const auto found = workloads::ranked(
        network, candidates, [](const auto& of, const auto& tree) { return 2 * macs_of_tree(of, tree); }, request,
        macs_of_tree);
    EXPECT_FALSE(found.complete);
    EXPECT_FALSE(found.best.empty());
}

TEST(traffic, of_trees_of_ucf_ttm)
{
    // X, cores and Y once: 5,529,600 + 3,360 + 98,304. Of a training step what the steps make is written and read:
    // 4,915,200 + 983,040 + 196,608 elements, all above what fits on chip.
    const auto network = forward("ucf-ttm");
    workloads::search_request request;
    request.objective = workloads::search_objective::traffic;
    const auto blocked = workloads::search_subsets(network, request).best.front();
    EXPECT_EQ(blocked.cost.first, 5529600u + 3360 + 98304);
    EXPECT_EQ(blocked.macs, 185991168u);
    request.traffic.kept = true;
    const workloads::node_sets sets(network, request.objective, request.traffic);
    std::uint64_t kept = 0;
    for (const auto& step : workloads::sets_of(blocked.tree, 5)) { kept += sets.cost(step.a, step.b).first; }
    EXPECT_EQ(kept, 5529600u + 3360 + 98304 + 2 * (4915200 + 983040 + 196608));
    EXPECT_LT(workloads::search_subsets(network, request).best.front().cost.first, kept);
}

TEST(limits, time_that_is_up_leaves_a_tree)
{
    const auto network = forward("ucf-tr");
    workloads::search_request request;
    request.seconds = 1e-9;
    for (const auto& search : {workloads::search_subsets, workloads::search_depth_first}) {
        const auto result = search(network, request);
        EXPECT_FALSE(result.complete);
        EXPECT_FALSE(result.optimal);
        ASSERT_FALSE(result.best.empty());
        workloads::check_tree(network, result.best.front().tree);
    }
}

TEST(limits, a_search_that_ends_is_optimal)
{
    const auto network = forward("ucf-ttm"); // so small that the clock is not read
    workloads::search_request request;
    for (const double seconds : {0.0, 1e-9}) {
        request.seconds = seconds;
        EXPECT_TRUE(workloads::search_subsets(network, request).optimal);
    }
    request.seconds = 0;
    EXPECT_TRUE(workloads::search_depth_first(network, request).optimal);
}

// Lists that are long enough for eight sequences of UCF-HT that are no near copies are searched one after the other.
TEST(limits, a_longer_list_that_is_not_searched_to_its_end_does_not_worsen_the_result)
{
    const auto network = forward("ucf-ht");
    workloads::search_request request;
    request.top = 1;
    const auto optimum = workloads::search_depth_first(network, request).best.front().macs;
    request.top = 8;
    for (double seconds = 1e-4; seconds < 1; seconds *= 2) {
        request.seconds = seconds;
        const auto found = workloads::search_depth_first(network, request);
        EXPECT_GE(found.best.front().macs, optimum);
        if (found.optimal) { EXPECT_EQ(found.best.front().macs, optimum) << seconds << " s"; }
        if (found.complete) { EXPECT_TRUE(found.optimal); }
    }
}

TEST(limits, progress_ascends)
{
    double before = 0;
    int told = 0;
    workloads::search_request request;
    request.progress = [&](double fraction) {
        EXPECT_GE(fraction, before);
        EXPECT_LE(fraction, 1.0);
        before = fraction;
        ++told;
    };
    workloads::search_subsets(forward("ucf-tr"), request);
    EXPECT_GT(told, 10);
}

} // namespace
} // namespace tensorloom::test
