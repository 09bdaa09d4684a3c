#include <gtest/gtest.h>
#include <tensorloom/models/fetta/isa/bank_conflicts.h>
#include <tensorloom/workloads/contraction_search/fixed_sequences.h>
#include <tensorloom/workloads/step_planner/step_plan.h>
#include <tensorloom/workloads/step_planner/transfer_schedule.h>
#include <tensorloom/workloads/step_planner/buffer_allocation.h>
#include <tensorloom/workloads/tensor_network/named_layers.h>

using namespace tensorloom;
using namespace tensorloom::workloads;

namespace {

step_plan plan_of(const std::string& name, const std::string& sequence, bool with_dx, std::uint64_t samples,
                  step_settings settings = {})
{
    auto layer = find_named_layer(name).layer;
    layer.batch = samples;
    const auto tree = *fixed_tree(forward_network(layer), sequence);
    return plan_step(step_graph(layer, tree, with_dx), {}, settings);
}

TEST(joint_layouts_test, a_sample_of_ucf_ttm_has_no_conflict_in_eleven_contractions)
{
    const auto plan = plan_of("ucf-ttm", "descending", false, 1);
    std::uint64_t cycles = 0, conflicts = 0;
    for (const auto c : plan.cycles) { cycles += c; }
    for (const auto c : plan.last_conflicts) { conflicts += c; }
    EXPECT_EQ(plan.cycles.size(), 11u);
    EXPECT_EQ(cycles, 19236u);
    EXPECT_EQ(conflicts, 0u);
}

TEST(joint_layouts_test, ucf_ttm_comes_near_the_closed_form_of_the_whole_batch)
{
    step_settings keep;
    keep.residency = step_residency::batch_blocked;
    keep.between = between_passes::store;
    const auto plan = plan_of("ucf-ttm", "descending", false, 96, keep);
    EXPECT_EQ(plan.ideal_engine_cycles(), 1834116u);
    EXPECT_LE(plan.engine_cycles(), plan.ideal_engine_cycles() * 11 / 10);
}

TEST(joint_layouts_test, gradients_lie_as_their_cores)
{
    const auto plan = plan_of("atis-tt", "ascending", true, 32);
    for (const std::size_t core : plan.cores()) {
        EXPECT_EQ(plan.layouts.layout[core], plan.layouts.layout[*plan.graph.gradient(core)]);
    }
}

TEST(joint_layouts_test, every_tensor_has_a_layout_when_no_more_work_may_be_done)
{
    auto layer = find_named_layer("atis-tt").layer;
    layer.batch = 1;
    const auto graph = step_graph(layer, *fixed_tree(forward_network(layer), "ascending"), true);
    layout_request request{graph, {}, {}, {}};
    layout_request::contraction any;
    any.accumulator_rows = request.limits.accumulator_rows();
    request.contractions.assign(graph.contractions.size(), any);
    request.tensors.resize(graph.tensors.size());
    const auto best = choose_layouts(request);
    request.most_work = 0;
    const auto first = choose_layouts(request);
    EXPECT_EQ(first.layout.size(), graph.tensors.size());
    EXPECT_EQ(first.choice.size(), graph.contractions.size());
    EXPECT_GT(first.cycles, best.cycles);
}

// dW = dY^T X of 32 samples: rows of 256 elements, and of 64, begin in one bank all of them.
TEST(joint_layouts_test, of_given_layouts_another_than_the_first_is_taken_where_it_is_worth_its_cost)
{
    tensorized_layer layer;
    layer.rows = {256};
    layer.columns = {64};
    layer.batch = 32;
    const auto graph = dense_graph(layer, false);
    layout_request request{graph, {}, {}, {}};
    layout_request::contraction any;
    any.accumulator_rows = request.limits.accumulator_rows();
    request.contractions.assign(graph.contractions.size(), any);
    for (std::size_t t = 0; t < graph.tensors.size(); ++t) {
        request.tensors.emplace_back().given = {natural_layout(graph, t)};
    }
    const auto plain = choose_layouts(request);
    const std::size_t dy = graph.contractions.back().b == 0 ? graph.contractions.back().a : graph.contractions.back().b;
    auto pitched = natural_layout(graph, dy);
    ASSERT_EQ(pitched.stride.front(), 256u);
    pitched.stride.front() += 4;
    pitched.span += 4 * 31;
    request.tensors[dy].given.push_back(pitched);
    const auto apart = choose_layouts(request);
    EXPECT_EQ(apart.layout[dy], pitched);
    EXPECT_LT(apart.cycles, 0.6 * plain.cycles);
    request.tensors[dy].cycles_unless_first = plain.cycles - apart.cycles + 1;
    EXPECT_EQ(choose_layouts(request).layout[dy], natural_layout(graph, dy));
    request.tensors[dy].cycles_unless_first = plain.cycles - apart.cycles - 1;
    EXPECT_EQ(choose_layouts(request).layout[dy], pitched);
}

TEST(joint_layouts_test, gaps_are_of_rows)
{
    contraction_graph graph;
    graph.modes = {{"b", 1}, {"i", 3}, {"j", 6}};
    graph.tensors = {{"A", {0, 1, 2}, {}}};
    const auto orders = layout_orders(graph, 0, true);
    ASSERT_EQ(orders.size(), 2u);
    const auto padded = padded_layouts(graph, orders[0], 4, 16);
    EXPECT_EQ(padded.size(), 1u + 2 * 3u); // of 1, 2, 4 rows: 8 would double it
    for (const auto& layout : padded) {
        EXPECT_EQ(layout.order, orders[0].order);
        EXPECT_GT(layout.span, 18u);
    }
}

TEST(buffer_allocation_test, what_is_wanted_at_the_same_time_does_not_overlap)
{
    const std::vector<wanted_place> wanted{{100, 0, 9}, {300, 1, 2}, {300, 3, 4}, {200, 2, 3}};
    const auto places = places_for(wanted, 64, 128 + 320 + 256);
    ASSERT_TRUE(places);
    for (std::size_t x = 0; x < wanted.size(); ++x) {
        EXPECT_EQ((*places)[x] % 64, 0u);
        for (std::size_t y = 0; y < x; ++y) {
            const bool together = wanted[x].first <= wanted[y].last && wanted[y].first <= wanted[x].last;
            const bool overlap =
                (*places)[x] < (*places)[y] + wanted[y].bytes && (*places)[y] < (*places)[x] + wanted[x].bytes;
            EXPECT_FALSE(together && overlap) << x << " " << y;
        }
    }
    EXPECT_EQ((*places)[1], (*places)[2]); // one behind the other
    EXPECT_FALSE(places_for(wanted, 64, 128 + 320 + 192));
    EXPECT_EQ(bytes_for(wanted, 64), 128u + 320 + 256);
}

TEST(transfer_schedule_test, transfers_hide_behind_work_that_is_longer)
{
    loop_body body;
    body.cycles = {1000, 1000};
    body.loads = {{0, 600, 2, 0, 0}};
    body.stores = {{1, 500, 2, 1, 1}};
    const auto transfers = schedule_transfers(body, 100);
    ASSERT_EQ(transfers.size(), 2u);
    EXPECT_NEAR(cycles_of_loop(body, transfers, 100), 600 + 100 * 2000 + 500, 200);
    body.loads[0].cycles = 3000;
    EXPECT_NEAR(cycles_of_loop(body, schedule_transfers(body, 100), 100), 100 * 3500, 4000);
}

// A batch of 2^31 samples in blocks of one is as quickly evaluated as a small one.
TEST(transfer_schedule_test, of_many_blocks_all_take_the_same_time)
{
    loop_body body;
    body.cycles = {1000, 1000};
    body.loads = {{0, 600, 2, 0, 0}};
    body.stores = {{1, 500, 2, 1, 1}};
    for (const std::uint64_t blocks : {4097ULL, 5000ULL, 2147483647ULL}) {
        const auto transfers = schedule_transfers(body, blocks);
        // A cycle more each: a STORE is issued behind the last command.
        EXPECT_NEAR(cycles_of_loop(body, transfers, blocks), 600 + static_cast<double>(blocks) * 2001 + 500, 200);
    }
}

TEST(transfer_schedule_test, one_place_is_loaded_when_its_last_use_is_over)
{
    loop_body body;
    body.cycles = {1000, 1000};
    body.loads = {{0, 600, 1, 1, 1}};
    const auto transfers = schedule_transfers(body, 100);
    ASSERT_EQ(transfers.size(), 1u);
    EXPECT_EQ(transfers[0].behind, 1u);
    EXPECT_NEAR(cycles_of_loop(body, transfers, 100), 100 * 2000, 1000); // hidden by the other command
}

TEST(transfer_schedule_test, sums_wait_for_their_command_and_not_for_transfers)
{
    loop_body body;
    body.cycles = {1000, 1000};
    body.loads = {{0, 1500, 2, 0, 0}};
    body.sums = {300, 0};
    const auto cycles = [&body] { return cycles_of_loop(body, schedule_transfers(body, 100), 100); };
    EXPECT_NEAR(cycles(), 1500 + 100 * 2000, 1000);
    // What is added up is there until it has been read.
    body.sums = {2500, 0};
    EXPECT_NEAR(cycles(), 1500 + 100 * 3500, 4000);
}

} // namespace
