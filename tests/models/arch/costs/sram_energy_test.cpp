#include <tensorloom/models/arch/costs/sram_energy.h>

#include <cmath>
#include <gtest/gtest.h>

namespace {

using namespace tensorloom::arch;

TEST(sram_energy, reads_and_writes_cost_an_access_of_the_size)
{
    const auto model = sram_energy(load_technology("45nm"), 8 << 10);
    EXPECT_EQ(model.events.events, sram_events.events);
    ASSERT_EQ(model.costs.size(), 4u);
    for (const std::size_t access : {0u, 1u}) {
        EXPECT_EQ(model.costs[access].pj, 10);
        EXPECT_FALSE(model.costs[access].estimate);
    }
}

TEST(sram_energy, waiting_for_ports_and_banks_costs_nothing)
{
    const auto model = sram_energy(load_technology("45nm"), 8 << 10);
    for (const std::size_t conflict : {2u, 3u}) {
        EXPECT_EQ(model.costs[conflict].pj, 0);
        EXPECT_FALSE(model.costs[conflict].estimate);
    }
}

TEST(sram_energy, leaks_a_tenth_of_an_access_per_nanosecond)
{
    const auto model = sram_energy(load_technology("45nm"), 32 << 10);
    ASSERT_EQ(model.leakage.size(), 1u);
    EXPECT_EQ(model.leakage[0].component, "leakage");
    EXPECT_DOUBLE_EQ(model.leakage[0].mw, 2);
    EXPECT_TRUE(model.leakage[0].estimate);
}

TEST(sram_energy, of_a_large_memory_is_an_estimate)
{
    const auto model = sram_energy(load_technology("45nm"), 16u << 20);
    EXPECT_NEAR(model.costs[0].pj, 400, 1e-9);
    EXPECT_TRUE(model.costs[0].estimate);
}

TEST(sram_energy, of_a_run_by_hand)
{
    const std::uint64_t counts[] = {3, 4, 100, 1000};
    std::vector<component_energy> energies;
    add_energy(energies, sram_energy(load_technology("45nm"), 1 << 20), counts, 5);
    ASSERT_EQ(energies.size(), 2u);
    EXPECT_EQ(energies[0].component, "memory");
    EXPECT_EQ(energies[0].pj, 700);
    EXPECT_FALSE(energies[0].estimate);
    EXPECT_EQ(energies[1].component, "leakage");
    EXPECT_DOUBLE_EQ(energies[1].pj, 50);
    EXPECT_TRUE(energies[1].estimate);
}

} // namespace
