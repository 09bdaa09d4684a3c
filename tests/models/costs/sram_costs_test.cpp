#include <tensorloom/models/costs/sram_costs.h>

#include <cmath>
#include <gtest/gtest.h>

namespace {

using namespace tensorloom::base;
using namespace tensorloom::costs;

// 45 nm: a bank of 8 KiB takes 10 pJ and is sqrt(65536 x 0.346 / (0.4 + 0.2 / 3)) um wide.
const double edge_8k_um = std::sqrt(65536 * 0.346 / (0.4 + 0.2 / 3));
constexpr double leakage_mw_per_um2 = 38.9e-6;

TEST(sram_energy, reads_and_writes_cost_an_access_of_the_size)
{
    const auto model = sram_energy(load_technology("45nm"), {8 << 10});
    EXPECT_EQ(model.events.events, sram_events.events);
    ASSERT_EQ(model.costs.size(), 4u);
    for (const std::size_t access : {0u, 1u}) {
        EXPECT_EQ(model.costs[access].pj, 10);
        EXPECT_FALSE(model.costs[access].estimate);
    }
}

TEST(sram_energy, waiting_for_ports_and_banks_costs_nothing)
{
    const auto model = sram_energy(load_technology("45nm"), {8 << 10});
    for (const std::size_t conflict : {2u, 3u}) {
        EXPECT_EQ(model.costs[conflict].pj, 0);
        EXPECT_FALSE(model.costs[conflict].estimate);
    }
}

TEST(sram_energy, leaks_by_its_area)
{
    const auto model = sram_energy(load_technology("45nm"), {32 << 10});
    ASSERT_EQ(model.leakage.size(), 1u);
    EXPECT_EQ(model.leakage[0].component, "leakage");
    EXPECT_NEAR(model.leakage[0].mw, 262144 * 0.346 / 0.6 * leakage_mw_per_um2, 1e-9);
    EXPECT_EQ(model.leakage[0].part, "memory");
    EXPECT_TRUE(model.leakage[0].estimate);
}

TEST(sram_energy, of_a_large_memory_is_an_estimate)
{
    const auto model = sram_energy(load_technology("45nm"), {16u << 20});
    EXPECT_NEAR(model.costs[0].pj, 400, 1e-9);
    EXPECT_TRUE(model.costs[0].estimate);
}

TEST(sram_energy, of_a_run_by_hand)
{
    const std::uint64_t counts[] = {3, 4, 100, 1000};
    std::vector<component_energy> energies;
    add_energy(energies, sram_energy(load_technology("45nm"), {1 << 20}), counts, 5);
    ASSERT_EQ(energies.size(), 2u);
    EXPECT_EQ(energies[0].component, "memory");
    EXPECT_EQ(energies[0].pj, 700);
    EXPECT_FALSE(energies[0].estimate);
    EXPECT_EQ(energies[1].component, "leakage");
    EXPECT_NEAR(energies[1].pj, 5 * 8388608 * 0.346 / 0.6 * leakage_mw_per_um2, 1e-6);
    EXPECT_TRUE(energies[1].estimate);
}

// 16 banks, and 2 x 16 switches of 0.64 um for each of 64 bits.
const double side_um = std::sqrt(16 * edge_8k_um * edge_8k_um + 2 * 16 * 64 * 0.64 * 0.64);

TEST(sram_energy, banks_of_a_whole_cost_their_own_size_and_the_wires_over_the_whole)
{
    const auto model = sram_energy(load_technology("45nm"), {16 * 8192, 16, 2});
    const double wires = 64 * (side_um + (16 + 2) * 0.64) * 1e-3 * 60e-3;
    for (const std::size_t access : {0u, 1u}) {
        EXPECT_NEAR(model.costs[access].pj, 10 + wires, 1e-9);
        EXPECT_TRUE(model.costs[access].estimate);
    }
    const double um2 = 16 * edge_8k_um * edge_8k_um + 2 * 16 * 64 * (4 * 0.16) * (4 * 0.16);
    EXPECT_NEAR(model.leakage[0].mw, um2 * leakage_mw_per_um2, 1e-9);
}

TEST(sram_energy, banks_have_a_best_number)
{
    const auto access = [](unsigned banks) {
        return sram_energy(load_technology("45nm"), {1u << 20, banks, 1}).costs[0].pj;
    };
    EXPECT_GT(access(1), access(2)) << "one large bank";
    EXPECT_GT(access(16384), access(1024)) << "the switches of all";
}

TEST(sram_wires, are_not_longer_than_half_of_the_circumference)
{
    const auto tech = load_technology("45nm");
    EXPECT_EQ(longest_crossbar_wire_um(tech, {1u << 20}).value, 0) << "a bank has no crossbar";
    EXPECT_NEAR(longest_crossbar_wire_um(tech, {16 * 8192, 16, 2}).value, 2 * side_um, 1e-9);
    for (const unsigned banks : {1u, 16u, 256u, 4096u}) {
        for (const unsigned ports : {2u, 64u, 1024u}) {
            const sram_build build{1u << 20, banks, ports, 1, 32, 4};
            const double half = 2 * std::sqrt(sram_area_um2(tech, build).value);
            EXPECT_LE(crossbar_wire_um(tech, build).value, half * (1 + 1e-12)) << banks << " " << ports;
            EXPECT_NEAR(sram_plan(tech, build).longest_line_um, half, 1e-9 * half) << banks << " " << ports;
        }
    }
    const sram_build wide{8, 1, 1024}; // its row of switches is longer than its side, and is folded
    EXPECT_NEAR(crossbar_wire_um(tech, wide).value, 2 * std::sqrt(sram_area_um2(tech, wide).value), 1e-9);
}

TEST(sram_area, has_every_crossbar)
{
    const auto tech = load_technology("45nm");
    const sram_build one{32 << 10, 8, 4, 1, 64};
    auto four = one;
    four.crossbars = 4;
    EXPECT_NEAR(sram_area_um2(tech, four).value - sram_area_um2(tech, one).value, 3 * 4 * 8 * 64 * 0.64 * 0.64, 1e-6);
}

TEST(sram_energy, second_port_of_a_cell_makes_its_lines_longer_by_the_root_of_two)
{
    const auto tech = load_technology("45nm");
    const auto two = sram_energy(tech, {8 << 10, 1, 2, 2});
    EXPECT_NEAR(two.costs[0].pj, 10 * std::sqrt(2.0), 1e-9);
    EXPECT_TRUE(two.costs[0].estimate);
    EXPECT_NEAR(two.leakage[0].mw, 2 * edge_8k_um * edge_8k_um * leakage_mw_per_um2, 1e-9);
    const auto four = sram_energy(tech, {8 << 10, 1, 4, 4});
    EXPECT_NEAR(four.costs[0].pj, 10 * (1 + 3 * (std::sqrt(2.0) - 1)), 1e-9);
}

TEST(sram_area, second_port_of_a_cell_doubles_it)
{
    const auto tech = load_technology("45nm");
    const double one = sram_area_um2(tech, {8 << 10}).value;
    EXPECT_NEAR(one, edge_8k_um * edge_8k_um, 1e-6);
    EXPECT_NEAR(sram_area_um2(tech, {8 << 10, 1, 2, 2}).value, 2 * one, 1e-6);
    EXPECT_TRUE(sram_area_um2(tech, {8 << 10}).estimate);
}

TEST(sram_area, more_banks_take_more_periphery_and_switches_at_4_wire_pitches)
{
    const auto tech = load_technology("45nm");
    const double one = sram_area_um2(tech, {32 << 10}).value;
    EXPECT_NEAR(one, 262144 * 0.346 / 0.6, 1e-6);
    const double eight = sram_area_um2(tech, {32 << 10, 8, 4, 1, 512}).value; // of 4 KiB each
    EXPECT_NEAR(eight, 262144 * 0.346 / 0.4 + 4 * 8 * 512 * (4 * 0.16) * (4 * 0.16), 1e-6);
}

} // namespace
