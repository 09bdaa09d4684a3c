// Mappings chosen for a layout against all others, run by the reference or counted by a replay.
#include <tensorloom/workloads/contraction/plan_search.h>
#include <algorithm>
#include <random>
#include <string>
#include <gtest/gtest.h>
#include <tensorloom/models/fetta/isa/bank_conflicts.h>
#include <tensorloom/workloads/contraction/run.h>
#include "bank_replay.h"
#include "random_contraction.h"
#include "support/fetta_reference.h"

namespace tensorloom::workloads {
namespace {

using fetta::device_limits;
using fetta::mapping;

contraction_settings settings_of_layout(tensor_layout layout)
{
    contraction_settings settings;
    settings.layout = layout;
    return settings;
}

// The plan that the closed form alone chooses.
contraction_plan ideal_plan(const contraction& p, const device_limits& g, contraction_settings settings)
{
    auto ideal = settings;
    ideal.layout = tensor_layout::ideal;
    const auto choice = plan_contraction(p, g, ideal).choice;
    settings.request.mapping = choice.mapping;
    settings.request.split = choice.split;
    return plan_contraction(p, g, settings);
}

std::uint64_t replayed_conflicts(const contraction_plan& plan)
{
    std::uint64_t conflicts = 0;
    for (const auto& step : plan.steps()) {
        const auto command = plan.command(step);
        conflicts += test::bank_replay(command, plan.limits, plan.choice.split).conflicts();
    }
    return conflicts;
}

// Of the engines.
std::uint64_t replayed_cycles(const contraction_plan& plan) { return plan.tcu_cycles + replayed_conflicts(plan); }

std::uint64_t least_replayed(const contraction& p, const device_limits& g, contraction_settings settings)
{
    std::uint64_t least = ~std::uint64_t{0};
    flat_extents e{p.extent(p.batch), p.extent(p.contracted), p.extent(p.a_free), p.extent(p.b_free)};
    for (const auto& c : mapping_candidates(e, g, settings.costs, {})) {
        settings.request.mapping = c.mapping;
        settings.request.split = c.split;
        least = std::min(least, replayed_cycles(plan_contraction(p, g, settings)));
    }
    return least;
}

TEST(layout_search_test, tiny_conflicted_contraction_gets_the_best_of_all_mappings)
{
    std::mt19937 random(31);
    const device_limits g;
    int closed_form_is_worse = 0;
    for (int i = 0; i < 25; ++i) {
        const contraction p =
            i == 0 ? parse_einsum("ik,kj->ij", "i=16,k=16,j=16") : test::random_contraction(random, 12, 1000);
        const auto settings = settings_of_layout(tensor_layout::conflicted);
        const auto plan = plan_contraction(p, g, settings);
        EXPECT_EQ(plan.choice.conflict_cycles, replayed_conflicts(plan));
        const std::uint64_t least = least_replayed(p, g, settings);
        ASSERT_EQ(replayed_cycles(plan), least) << p.a << "," << p.b << "->" << p.c;
        closed_form_is_worse += replayed_cycles(ideal_plan(p, g, settings)) > least ? 1 : 0;
    }
    EXPECT_GT(closed_form_is_worse, 5); // else the test shows nothing
}

TEST(layout_search_test, conflicted_choice_is_never_worse_than_that_of_the_closed_form)
{
    const device_limits g;
    const auto settings = settings_of_layout(tensor_layout::conflicted);
    int better = 0;
    for (const auto& [einsum, sizes] : {std::pair{"ik,kj->ij", "i=64,k=64,j=64"},
                                        {"ik,kj->ij", "i=96,k=40,j=72"},
                                        {"ki,kj->ij", "i=64,k=100,j=30"},
                                        {"ik,jk->ij", "i=100,k=64,j=64"},
                                        {"bik,kj->bij", "b=8,i=30,j=50,k=33"},
                                        {"abc,cd->abd", "a=8,b=8,c=32,d=32"},
                                        {"abc,db->adc", "a=16,b=16,c=16,d=16"},
                                        {"ab,ab->a", "a=64,b=128"},
                                        {"abcd,cd->ab", "a=9,b=31,c=5,d=16"},
                                        {"ik,kj->ij", "i=600,k=20,j=20"}}) {
        const contraction p = parse_einsum(einsum, sizes);
        const auto plan = plan_contraction(p, g, settings);
        const auto chosen = replayed_cycles(plan), by_closed_form = replayed_cycles(ideal_plan(p, g, settings));
        EXPECT_LE(chosen, by_closed_form) << einsum << " " << sizes;
        better += chosen < by_closed_form ? 1 : 0;
    }
    EXPECT_GE(better, 5);
}

TEST(layout_search_test, estimate_from_a_sample_is_near_a_replay)
{
    const device_limits g;
    auto settings = settings_of_layout(tensor_layout::conflicted);
    for (const auto m : {mapping::ws_v, mapping::ws_h, mapping::is_v, mapping::is_h, mapping::os_1, mapping::os_2}) {
        settings.request.mapping = m;
        settings.request.split = engine_split{1, 4, 2, 2};
        settings.overlap = false;
        const auto plan = plan_contraction(parse_einsum("ki,kj->ij", "i=52,k=200,j=64"), g, settings);
        const auto command = plan.command(plan.steps().front());
        fetta::linear_accesses accesses(command, g);
        ASSERT_GT(accesses.cycles(), 600u);
        const auto replayed = static_cast<double>(test::bank_replay(command, g, plan.choice.split).conflicts());
        EXPECT_NEAR(static_cast<double>(accesses.estimate(300).conflict_cycles), replayed, 0.1 * replayed)
            << static_cast<int>(m);
    }
}

TEST(layout_search_test, row_major_matrices_get_a_mapping_whose_rows_do_not_wait)
{
    const auto plan = plan_contraction(parse_einsum("ik,kj->ij", "i=64,k=64,j=64"), device_limits{},
                                       settings_of_layout(tensor_layout::conflicted));
    EXPECT_EQ(replayed_conflicts(plan), 0u);
    EXPECT_EQ(plan.choice.conflict_cycles, 0u);
}

TEST(layout_search_test, ideal_layout_is_at_least_as_good_as_the_choice_of_the_closed_form)
{
    std::mt19937 random(32);
    for (int i = 0; i < 100; ++i) {
        const contraction p = test::random_contraction(random, 30, 100000);
        auto settings = settings_of_layout(tensor_layout::ideal);
        const auto plan = plan_contraction(p, device_limits{}, settings);
        const flat_extents e{p.extent(p.batch), p.extent(p.contracted), p.extent(p.a_free), p.extent(p.b_free)};
        const auto of_closed_form = search_mapping(e, device_limits{}, mapping_costs(), {});
        settings.request.mapping = of_closed_form.mapping;
        settings.request.split = of_closed_form.split;
        EXPECT_LE(plan.estimated_cycles, plan_contraction(p, device_limits{}, settings).estimated_cycles);
        EXPECT_EQ(plan.choice.conflict_cycles + plan.choice.reorder_cycles, 0u);
    }
}

TEST(layout_search_test, offchip_prefers_what_needs_no_permutation)
{
    const contraction p = parse_einsum("bik,kj->bij", "b=8,i=30,j=50,k=33");
    const auto settings = settings_of_layout(tensor_layout::offchip);
    const auto plan = plan_contraction(p, device_limits{}, settings), ideal = ideal_plan(p, device_limits{}, settings);
    EXPECT_LE(plan.choice.reorder_cycles, ideal.choice.reorder_cycles);
    EXPECT_LE(plan.estimated_cycles, ideal.estimated_cycles);
}

// The device's cycles are near the estimate: testbench_devices compares them.
TEST(layout_search_test, tiny_offchip_contraction_gets_the_best_estimate_of_all_mappings)
{
    std::mt19937 random(34);
    const device_limits g;
    int closed_form_is_worse = 0;
    for (int i = 0; i < 15; ++i) {
        const contraction p = test::random_contraction(random, 12, 1000);
        auto settings = settings_of_layout(tensor_layout::offchip);
        const auto chosen = plan_contraction(p, g, settings).estimated_cycles;
        closed_form_is_worse += ideal_plan(p, g, settings).estimated_cycles > chosen ? 1 : 0;
        const flat_extents e{p.extent(p.batch), p.extent(p.contracted), p.extent(p.a_free), p.extent(p.b_free)};
        std::uint64_t least = ~std::uint64_t{0};
        for (const auto& c : mapping_candidates(e, g, settings.costs, {})) {
            settings.request.mapping = c.mapping;
            settings.request.split = c.split;
            least = std::min(least, plan_contraction(p, g, settings).estimated_cycles);
        }
        EXPECT_EQ(chosen, least) << p.a << "," << p.b << "->" << p.c;
    }
    EXPECT_GT(closed_form_is_worse, 5);
}

TEST(layout_search_test, energy_decides_where_it_is_asked_for)
{
    costs::energy_model model;
    model.events = fetta::events;
    model.costs.resize(fetta::event_count);
    for (const auto e : {fetta::event::ia_row_read, fetta::event::ib_row_read}) {
        model.costs[static_cast<std::size_t>(e)].pj = 1;
    }
    const device_limits g;
    std::mt19937 random(33);
    int differ = 0;
    for (int i = 0; i < 10; ++i) {
        const contraction p = test::random_contraction(random, 12, 1000);
        auto settings = settings_of_layout(tensor_layout::conflicted);
        const auto rows_of = [&](const contraction_plan& plan) {
            test::fetta_reference machine(g);
            const auto ran = run_contraction(machine, plan, test::random_elements(random, p.extent(p.a)),
                                             test::random_elements(random, p.extent(p.b)));
            const auto counts = ran.total().counts;
            return counts[fetta::event::ia_row_read] + counts[fetta::event::ib_row_read];
        };
        const auto fastest = rows_of(plan_contraction(p, g, settings));
        settings.costs = mapping_costs(model, 1);
        settings.request.objective = mapping_objective::energy;
        const auto thriftiest = rows_of(plan_contraction(p, g, settings));
        EXPECT_LE(thriftiest, fastest);
        differ += thriftiest < fastest ? 1 : 0;
    }
    EXPECT_GT(differ, 2);
}

} // namespace
} // namespace tensorloom::workloads
