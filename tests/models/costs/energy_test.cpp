#include <tensorloom/models/costs/energy.h>

#include <cmath>
#include <stdexcept>
#include <gtest/gtest.h>

namespace {

using namespace tensorloom::base;
using namespace tensorloom::costs;

constexpr event_definition definitions[] = {{"a", "one", "."}, {"free", "", "."}, {"b", "two", "."}, {"c", "one", "."}};

energy_model model_of(std::vector<event_cost> costs)
{
    energy_model model;
    model.events = make_event_table(definitions);
    model.costs = std::move(costs);
    return model;
}

TEST(add_energy, charges_each_count_to_its_component_in_order_of_appearance)
{
    std::vector<component_energy> energies;
    const std::uint64_t counts[] = {2, 1000, 3, 5};
    add_energy(energies, model_of({{10, false}, {7, false}, {100, false}, {1, false}}), counts, 0);
    ASSERT_EQ(energies.size(), 2u);
    EXPECT_EQ(energies[0].component, "one");
    EXPECT_EQ(energies[0].pj, 25);
    EXPECT_EQ(energies[1].component, "two");
    EXPECT_EQ(energies[1].pj, 300);
    EXPECT_EQ(total_pj(energies), 325);
}

TEST(add_energy, leakage_is_power_times_time)
{
    auto model = model_of({{}, {}, {}, {}});
    model.leakage = {{"leakage", 2.5, false, "one"}, {"two", 1, false, "two"}};
    std::vector<component_energy> energies;
    const std::uint64_t counts[4] = {};
    add_energy(energies, model, counts, 8);
    ASSERT_EQ(energies.size(), 3u);
    EXPECT_EQ(energies[1].pj, 8);
    EXPECT_EQ(energies[2].component, "leakage");
    EXPECT_EQ(energies[2].pj, 20);
}

TEST(add_energy, components_without_counts_appear_as_zero)
{
    std::vector<component_energy> energies;
    const std::uint64_t counts[4] = {};
    add_energy(energies, model_of({{1, true}, {}, {1, true}, {1, true}}), counts, 0);
    ASSERT_EQ(energies.size(), 2u);
    EXPECT_EQ(energies[0].pj, 0);
    EXPECT_EQ(energies[1].pj, 0);
}

TEST(add_energy, models_of_several_modules_share_components)
{
    std::vector<component_energy> energies;
    const auto model = model_of({{1, false}, {}, {1, false}, {1, false}});
    const std::uint64_t counts[] = {1, 0, 2, 3};
    add_energy(energies, model, counts, 0);
    add_energy(energies, model, counts, 0);
    ASSERT_EQ(energies.size(), 2u);
    EXPECT_EQ(energies[0].pj, 8);
    EXPECT_EQ(energies[1].pj, 4);
}

TEST(add_energy, an_estimate_marks_the_component_it_enters_and_no_other)
{
    std::vector<component_energy> energies;
    const std::uint64_t counts[] = {1, 1, 1, 1};
    add_energy(energies, model_of({{1, false}, {1, true}, {1, false}, {1, true}}), counts, 0);
    EXPECT_TRUE(energies[0].estimate);
    EXPECT_FALSE(energies[1].estimate);
}

TEST(add_energy, an_estimate_that_nothing_was_charged_by_marks_nothing)
{
    auto model = model_of({{1, false}, {}, {1, true}, {1, true}});
    model.leakage = {{"leakage", 1, true, "one"}};
    std::vector<component_energy> energies;
    const std::uint64_t counts[] = {1, 0, 0, 0};
    add_energy(energies, model, counts, 0);
    for (const auto& energy : energies) { EXPECT_FALSE(energy.estimate) << energy.component; }
    add_energy(energies, model, counts, 1);
    EXPECT_TRUE(energies[2].estimate);
}

TEST(add_energy, a_mark_stays_when_exact_energy_is_added)
{
    std::vector<component_energy> energies;
    const std::uint64_t counts[] = {1, 0, 0, 0};
    add_energy(energies, model_of({{1, true}, {}, {}, {}}), counts, 0);
    add_energy(energies, model_of({{1, false}, {}, {}, {}}), counts, 0);
    EXPECT_TRUE(energies[0].estimate);
}

TEST(add_energy, a_model_with_a_missing_cost_is_refused)
{
    std::vector<component_energy> energies;
    const std::uint64_t counts[4] = {};
    EXPECT_THROW(add_energy(energies, model_of({{1, false}}), counts, 0), std::invalid_argument);
}

TEST(total_pj, does_not_lose_small_terms_beside_large_ones)
{
    std::vector<component_energy> energies(100001, {"small", 1e-3, false});
    energies.front() = {"large", 1e15, false};
    EXPECT_EQ(total_pj(energies), 1e15 + 100);
}

TEST(total_pj, of_nothing_is_zero) { EXPECT_EQ(total_pj({}), 0); }

} // namespace
