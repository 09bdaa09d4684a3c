// A batch is a list of samples: the only thing that the host writes from step to step.
#include <numeric>
#include <set>
#include <gtest/gtest.h>
#include <tensorloom/models/base/values/input_error.h>
#include <tensorloom/workloads/contraction_search/fixed_sequences.h>
#include <tensorloom/workloads/step_planner/step_run.h>
#include "support/fetta_reference.h"

using namespace tensorloom;
using namespace tensorloom::workloads;

namespace {

constexpr std::uint64_t batch = 6, samples = 17;
constexpr std::uint64_t long_batch = 36; // its list is loaded block by block
constexpr float rate = -0.25f;

contraction_graph graph_of_batch(std::uint64_t of_samples = batch)
{
    tensorized_layer layer;
    layer.format = layer_format::ttm;
    layer.rows = {3, 4};
    layer.columns = {4, 5};
    layer.ranks = {3};
    layer.batch = of_samples;
    const auto network = forward_network(layer);
    return step_graph(layer, *fixed_tree(network, "descending"), true);
}

struct case_of_blocks {
    std::uint64_t block;
    step_residency residency;
};

class batch_list_test : public ::testing::TestWithParam<case_of_blocks> {};

TEST_P(batch_list_test, one_program_makes_several_steps_of_lists_alone)
{
    fetta::device_limits g;
    g.engines = 4;
    g.bank_bytes = 8192;
    step_settings settings;
    settings.samples = samples;
    settings.block = GetParam().block;
    settings.residency = GetParam().residency;
    const auto plan = plan_step(graph_of_batch(), g, settings);
    test::fetta_reference machine(g);
    const auto program = write_step(plan, machine.data_base(), machine.data_bytes());
    const auto data = random_values(with_batch(plan.graph, samples), 3);
    place_data(machine, plan, program, data, rate);
    auto expected = data;
    const std::vector<sample_list> lists{
        {16, 0, 3, 11, 7, 5}, {2, 16, 16, 1, 9, 4}, shuffled_samples(samples, batch, 8)};
    for (const auto& list : lists) {
        const auto given = batch_of(plan.graph, expected, list);
        const auto run = run_batch(machine, plan, program, list);
        const auto check = check_step(plan, given, run.values, rate);
        EXPECT_TRUE(check.passed()) << check.first_difference << check.worst_share;
        const auto made = emulate_step(plan, given, rate);
        bool moved = false;
        for (const std::size_t core : plan.cores()) {
            moved = moved || expected.master[core] != made.master[core];
            EXPECT_EQ(run.values.tensor[core], made.tensor[core]);
            EXPECT_EQ(run.values.master[core], made.master[core]);
            expected.tensor[core] = made.tensor[core];
            expected.master[core] = made.master[core];
        }
        EXPECT_TRUE(moved);
    }
}

TEST(long_batch_list, comes_block_by_block)
{
    fetta::device_limits g;
    g.engines = 4;
    g.bank_bytes = 8192;
    for (const std::uint64_t block : {4u, 12u}) {
        step_settings settings;
        settings.samples = 40;
        settings.block = block;
        const auto plan = plan_step(graph_of_batch(long_batch), g, settings);
        EXPECT_TRUE(plan.list_by_block());
        test::fetta_reference machine(g);
        const auto program = write_step(plan, machine.data_base(), machine.data_bytes());
        const auto data = random_values(with_batch(plan.graph, 40), 3);
        place_data(machine, plan, program, data, rate);
        const auto list = shuffled_samples(40, long_batch, block);
        const auto run = run_batch(machine, plan, program, list);
        const auto check = check_step(plan, batch_of(plan.graph, data, list), run.values, rate);
        EXPECT_TRUE(check.passed()) << check.first_difference << check.worst_share;
    }
}

INSTANTIATE_TEST_SUITE_P(blocks, batch_list_test,
                         ::testing::Values(case_of_blocks{1, step_residency::automatic},
                                           case_of_blocks{2, step_residency::batch_blocked},
                                           case_of_blocks{3, step_residency::micro_batch},
                                           case_of_blocks{2, step_residency::spill},
                                           case_of_blocks{6, step_residency::keep}));

TEST(samples, of_a_batch_are_those_of_its_list)
{
    const auto graph = graph_of_batch();
    const auto data = random_values(with_batch(graph, samples), 1);
    const sample_list list{4, 0, 4, 16, 2, 1};
    const auto of = batch_of(graph, data, list);
    for (std::size_t t = 0; t < graph.tensors.size(); ++t) {
        if (!graph.is_batched(t) || data.tensor[t].empty()) {
            EXPECT_EQ(of.tensor[t], data.tensor[t]);
            continue;
        }
        ASSERT_EQ(graph.tensors[t].modes.front(), graph.batch);
        const std::size_t each = data.tensor[t].size() / samples;
        for (std::size_t s = 0; s < list.size(); ++s) {
            for (std::size_t e = 0; e < each; ++e) {
                ASSERT_EQ(of.tensor[t][s * each + e], data.tensor[t][list[s] * each + e]);
            }
        }
    }
}

TEST(samples, are_shuffled_by_the_seed_alone_and_each_is_taken_once)
{
    const auto list = shuffled_samples(100, 40, 5);
    EXPECT_EQ(list, shuffled_samples(100, 40, 5));
    EXPECT_NE(list, shuffled_samples(100, 40, 6));
    const std::set<std::uint32_t> different(list.begin(), list.end());
    EXPECT_EQ(different.size(), 40u);
    EXPECT_LT(*different.rbegin(), 100u);
    auto all = shuffled_samples(9, 9, 1);
    std::sort(all.begin(), all.end());
    sample_list in_order(9);
    std::iota(in_order.begin(), in_order.end(), 0u);
    EXPECT_EQ(all, in_order);
    EXPECT_THROW(shuffled_samples(4, 5, 1), base::input_error);
}

} // namespace
