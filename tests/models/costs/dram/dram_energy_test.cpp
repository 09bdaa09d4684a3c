// Energies of the shipped DRAM against the published ones, worked out here from the published currents.
#include <tensorloom/models/costs/dram/dram_energy.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <tensorloom/models/costs/dram/dram_config.h>
#include "support/message_of.h"

namespace {

using namespace tensorloom::base;
using namespace tensorloom::costs;

// mW from mA at 1.8 V and twice 1.1 V
constexpr double mw(double vdd1, double vdd2, double vddq) { return 1.8 * vdd1 + 1.1 * vdd2 + 1.1 * vddq; }
constexpr double idd0 = mw(3.5, 45, 0.75), idd2n = mw(2, 27, 0.75), idd3n = mw(2.25, 30, 0.75),
                 idd4r = mw(2.25, 275, 150), idd4w = mw(2.25, 210, 55), idd5 = mw(10, 90, 0.75);
constexpr double tck = 0.625; // ns

class dram_energy_test : public ::testing::Test {
protected:
    event_cost cost(dram_event e) const { return model.costs.at(static_cast<std::size_t>(e)); }

    dram_config config = load_dram("lpddr4-3200");
    energy_model model = dram_energy(config);
};

TEST_F(dram_energy_test, follows_from_the_currents)
{
    EXPECT_NEAR(cost(dram_event::activate).pj, (idd0 * 97 - idd3n * 68 - idd2n * 29) * tck, 1e-6);
    EXPECT_NEAR(cost(dram_event::read_burst).pj, (idd4r - idd3n) * 8 * tck, 1e-6);
    EXPECT_NEAR(cost(dram_event::write_burst).pj, (idd4w - idd3n) * 8 * tck, 1e-6);
    EXPECT_NEAR(cost(dram_event::refresh).pj, (idd5 - idd2n) * 448 * tck, 1e-6);
    EXPECT_NEAR(cost(dram_event::bank_refresh).pj, (idd5 - idd2n) * 448 * tck / 8, 1e-6);
    EXPECT_NEAR(cost(dram_event::active_cycle).pj, (idd3n - idd2n) * tck, 1e-9);
    ASSERT_EQ(model.leakage.size(), 1u);
    EXPECT_NEAR(model.leakage[0].mw, 4 * idd2n, 1e-9);
}

TEST_F(dram_energy_test, is_the_published_one)
{
    EXPECT_NEAR(cost(dram_event::activate).pj, 1200, 5);
    EXPECT_NEAR(cost(dram_event::read_burst).pj, 2170, 5);
    EXPECT_NEAR(cost(dram_event::write_burst).pj, 1290, 5);
    EXPECT_NEAR(cost(dram_event::refresh).pj, 23400, 50);
    EXPECT_NEAR(cost(dram_event::read_burst).pj / 256, 8.5, 0.05); // per bit
    EXPECT_NEAR(cost(dram_event::write_burst).pj / 256, 5.0, 0.05);
    EXPECT_NEAR(dram_power_mw(config, &dram_supply::IDD2N), 34.1, 0.05);
    EXPECT_NEAR(dram_power_mw(config, &dram_supply::IDD3N), 37.9, 0.05);
}

TEST_F(dram_energy_test, only_what_is_charged_costs_and_only_the_share_of_a_bank_is_an_estimate)
{
    ASSERT_EQ(model.costs.size(), dram_event_count);
    for (std::size_t e = 0; e < dram_event_count; ++e) {
        const bool charged = *dram_events.events[e].component != '\0';
        EXPECT_EQ(model.costs[e].pj > 0, charged) << dram_events.events[e].name;
        EXPECT_EQ(model.costs[e].estimate, e == static_cast<std::size_t>(dram_event::bank_refresh))
            << dram_events.events[e].name;
    }
}

TEST_F(dram_energy_test, of_a_channel_that_is_always_active_is_the_active_background)
{
    std::uint64_t counts[dram_event_count] = {};
    counts[static_cast<std::size_t>(dram_event::active_cycle)] = 4 * 1600; // four channels, 1000 ns
    std::vector<component_energy> energies;
    add_energy(energies, model, counts, 1000);
    ASSERT_EQ(energies.size(), 2u);
    EXPECT_EQ(energies[0].component, "dram");
    EXPECT_EQ(energies[0].pj, 0);
    EXPECT_EQ(energies[1].component, "dram_background");
    EXPECT_NEAR(energies[1].pj, 4 * idd3n * 1000, 1e-3);
}

TEST_F(dram_energy_test, parts_sum_to_the_total)
{
    std::uint64_t counts[dram_event_count] = {};
    double expected = 0;
    for (std::size_t e = 0; e < dram_event_count; ++e) {
        counts[e] = 3 + 7 * e;
        expected += static_cast<double>(counts[e]) * model.costs[e].pj;
    }
    std::vector<component_energy> energies;
    add_energy(energies, model, counts, 500);
    EXPECT_NEAR(total_pj(energies), expected + 4 * idd2n * 500, 1e-6 * expected);
}

TEST_F(dram_energy_test, currents_that_make_an_event_give_energy_are_refused)
{
    for (auto& supply : config.supplies) { supply.IDD4R = 0; }
    EXPECT_THAT(tensorloom::test::message_of([&] { dram_energy(config); }), ::testing::HasSubstr("read_burst"));
}

} // namespace
