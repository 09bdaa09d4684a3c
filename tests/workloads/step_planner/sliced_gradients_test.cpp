// Gradients whose sums are too many for the chip: made slice by slice, kept in memory, and updated piece by piece.
#include <algorithm>
#include <gtest/gtest.h>
#include <tensorloom/models/fetta/isa/events.h>
#include <tensorloom/models/base/values/input_error.h>
#include <tensorloom/workloads/contraction_search/fixed_sequences.h>
#include <tensorloom/workloads/step_planner/step_run.h>
#include "support/fetta_reference.h"

using namespace tensorloom;
using namespace tensorloom::workloads;

namespace {

contraction_graph graph_of_rank(std::uint64_t rank)
{
    tensorized_layer layer;
    layer.format = layer_format::ttm;
    layer.rows = {128, 2};
    layer.columns = {64, 2};
    layer.ranks = {rank};
    layer.batch = 3;
    return step_graph(layer, *fixed_tree(forward_network(layer), "ascending"), false);
}

TEST(with_slices, divides_the_largest_mode_of_the_result_in_every_tensor)
{
    const auto graph = graph_of_rank(5);
    const auto gradient = std::find_if(graph.contractions.begin(), graph.contractions.end(),
                                       [&](const auto& c) { return graph.tensors[c.result].name == "dG1"; });
    const auto c = static_cast<std::size_t>(gradient - graph.contractions.begin());
    const auto sliced = with_slices(graph, c, 4);
    ASSERT_TRUE(sliced);
    EXPECT_EQ(sliced->slices(c), 4u);
    const unsigned outer = *sliced->contractions[c].sliced;
    for (std::size_t t = 0; t < graph.tensors.size(); ++t) {
        EXPECT_EQ(sliced->elements(t), graph.elements(t)) << graph.tensors[t].name;
        const auto& modes = sliced->tensors[t].modes;
        const auto at = std::find(modes.begin(), modes.end(), outer);
        if (at == modes.end()) { continue; }
        ASSERT_NE(at + 1, modes.end());
        EXPECT_EQ(sliced->modes[*(at + 1)].size, 32u) << graph.tensors[t].name;
    }
    EXPECT_EQ(sliced->macs(), graph.macs());
    EXPECT_FALSE(with_slices(graph, c, 7));
}

// Runs a step on a device model and compares its results and counts with the plan's.
void expect_run_as_planned(const step_plan& plan)
{
    test::fetta_reference machine(plan.limits);
    const auto program = write_step(plan, machine.data_base(), machine.data_bytes());
    const auto given = random_values(plan.graph, 4);
    constexpr float rate = -0.125f;
    const auto run = run_step(machine, plan, program, given, rate);
    const auto check = check_step(plan, given, run.values, rate);
    EXPECT_TRUE(check.passed()) << check.first_difference << " " << check.worst << " " << check.worst_share;
    EXPECT_EQ(machine.cycles().total(), plan.engine_cycles());
    EXPECT_EQ(program.bytes.size(), plan.totals.program_bytes);
    auto counted = machine.counted(), expected = plan.estimated_counts();
    using fetta::event; // how the hardware does it, which a reference does not say
    for (const event e : {event::overlapped_cycle, event::vector_word_read, event::vector_word_write}) {
        counted[e] = expected[e] = 0;
    }
    for (std::size_t e = 0; e < fetta::event_count; ++e) {
        EXPECT_EQ(counted.data()[e], expected.data()[e]) << fetta::events.events[e].name;
    }
    const std::size_t core = plan.cores().front();
    if (!plan.settings.training) { return; }
    EXPECT_FALSE(run.values.tensor[*plan.graph.gradient(core)].empty()) << "compared, too";
}

std::uint64_t most_slices(const step_plan& plan, bool of_samples)
{
    std::uint64_t most = 1;
    for (std::size_t c = 0; c < plan.graph.contractions.size(); ++c) {
        const auto& of = plan.graph.contractions[c];
        const bool is_batched = plan.graph.is_batched(of.a) || plan.graph.is_batched(of.b);
        if (is_batched == of_samples) { most = std::max(most, plan.graph.slices(c)); }
    }
    return most;
}

class sliced_gradients : public ::testing::TestWithParam<bool> {};

TEST_P(sliced_gradients, have_the_bits_of_the_ordered_sums)
{
    step_settings settings;
    settings.update = GetParam();
    settings.residency = step_residency::spill;
    settings.block = 1;
    const auto plan = plan_step(graph_of_rank(9), {}, settings);
    EXPECT_TRUE(plan.gradients_in_memory());
    EXPECT_FALSE(plan.cores_by_pass);
    EXPECT_GT(most_slices(plan, true), 1u);
    expect_run_as_planned(plan);
}

INSTANTIATE_TEST_SUITE_P(update, sliced_gradients, ::testing::Bool());

// The cores of this layer leave no room beside the product of two of them. The gradient of the second core is a product
// of tensors that are the same for all samples, too large for one piece.
contraction_graph graph_of_large_cores()
{
    tensorized_layer layer;
    layer.format = layer_format::ttm;
    layer.rows = {4, 4, 8};
    layer.columns = {8, 8, 64};
    layer.ranks = {32, 12};
    layer.batch = 3;
    const auto network = forward_network(layer); // X, then the cores
    return step_graph(layer, {{{1, 2}, {0, 4}, {5, 3}}}, false);
}

class cores_by_pass : public ::testing::TestWithParam<std::pair<bool, bool>> {};

TEST_P(cores_by_pass, have_the_bits_of_the_ordered_sums)
{
    fetta::device_limits g;
    g.bank_bytes = 4096;
    step_settings settings;
    settings.training = GetParam().first;
    settings.update = GetParam().second;
    const auto plan = plan_step(graph_of_large_cores(), g, settings);
    ASSERT_TRUE(plan.cores_by_pass);
    EXPECT_EQ(plan.residency, step_residency::spill);
    EXPECT_EQ(plan.passes.size(), plan.graph.contractions.size());
    for (const auto& pass : plan.passes) { EXPECT_EQ(pass.before.size() + pass.body.size(), 1u); }
    EXPECT_EQ(most_slices(plan, false) > 1, settings.training);
    expect_run_as_planned(plan);
}

INSTANTIATE_TEST_SUITE_P(phases, cores_by_pass,
                         ::testing::Values(std::pair(false, false), std::pair(true, false), std::pair(true, true)));

} // namespace
