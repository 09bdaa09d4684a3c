#include <tensorloom/models/activity/energy_report.h>

#include <cmath>
#include <limits>
#include <random>
#include <stdexcept>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include "small_device.h"

namespace {

using namespace tensorloom;
using namespace tensorloom::activity;
using namespace tensorloom::activity::test;
using ::testing::ElementsAre;

energy_report report_of_a_small_job()
{
    small_device d;
    d.start();
    d.record("load", "load", 0, 0, 10, {0, 0, 20}, 7);
    d.record("compute", "stage_1", 0, 0, 3, {1, 50, 4});
    d.finish();
    return energy_report(d.log, 2.0, {{"top.device", device_model()}, {"top.memory", memory_model()}});
}

TEST(energy_report, of_a_small_job_by_hand)
{
    const auto report = report_of_a_small_job();

    ASSERT_EQ(report.records(), 2u);
    std::vector<std::string> names;
    for (const auto& energy : report.totals()) { names.push_back(energy.component); }
    EXPECT_THAT(names, ElementsAre("work", "wires", "leakage", "memory"));
    const double expected[2][4] = {{0, 2.0, 10 * 2.0 * 1.75, 70}, {230, 0.4, 3 * 2.0 * 1.75, 0}};
    for (std::size_t r = 0; r < 2; ++r) {
        for (std::size_t c = 0; c < 4; ++c) {
            EXPECT_NEAR(report.record_pj(r)[c], expected[r][c], 1e-12) << r << names[c];
        }
    }
    EXPECT_NEAR(report.totals()[0].pj, 230, 1e-12);
    EXPECT_NEAR(report.totals()[1].pj, 2.4, 1e-12);
    EXPECT_NEAR(report.totals()[2].pj, 45.5, 1e-12);
    EXPECT_NEAR(report.totals()[3].pj, 70, 1e-12);
    EXPECT_NEAR(report.total_pj(), 347.9, 1e-12);
    EXPECT_NEAR(report.record_total_pj(1), 240.9, 1e-12);
}

TEST(energy_report, lists_the_events_of_every_module_and_its_leakage)
{
    const auto report = report_of_a_small_job();
    double sum = 0;
    std::vector<std::string> names;
    for (const auto& e : report.events()) {
        names.push_back(e.object + " " + e.event + " " + e.component + " " + std::to_string(e.count));
        sum += static_cast<double>(e.count) * e.pj;
    }
    EXPECT_NEAR(sum, 347.9, 1e-12);
    EXPECT_THAT(names, ::testing::Contains(::testing::MatchesRegex("top.device leak[^ ]* leakage 13")));
    EXPECT_THAT(names, ::testing::Contains(::testing::MatchesRegex("top.memory .* memory 7")));
}

TEST(energy_report, marks_the_components_that_estimates_entered)
{
    small_device d;
    d.start();
    d.record("compute", "stage_1", 0, 0, 3, {1, 50, 0}, 5); // no wires
    d.finish();
    const std::vector<module_energy> modules = {{"top.device", device_model()}, {"top.memory", memory_model()}};
    EXPECT_THAT(energy_report(d.log, 1.0, modules).estimated(), ElementsAre("leakage", "total"));
    d.run(3);
    EXPECT_THAT(energy_report(d.log, 1.0, modules).estimated(), ElementsAre("wires", "leakage", "total"));
}

TEST(energy_report, without_estimates_the_total_is_none)
{
    small_device d;
    d.run(3);
    auto exact = device_model();
    exact.costs[2].estimate = false;
    EXPECT_THAT(energy_report(d.log, 1.0, {{"top.device", exact}}).estimated(), ElementsAre());
}

TEST(energy_report, rows_sum_to_totals_and_components_to_the_total)
{
    small_device d;
    std::mt19937 random(7);
    d.start();
    for (std::uint32_t i = 0; i < 100000; ++i) {
        d.record("compute", "stage_1", 0, i, random() % 5, {1, random(), random() % 1000}, random() % 3);
    }
    d.finish();
    const energy_report report(d.log, 0.7, {{"top.device", device_model()}, {"top.memory", memory_model()}});
    long double all = 0;
    for (std::size_t c = 0; c < report.totals().size(); ++c) {
        long double sum = 0;
        for (std::size_t r = 0; r < report.records(); ++r) { sum += report.record_pj(r)[c]; }
        EXPECT_NEAR(static_cast<double>(sum / static_cast<long double>(report.totals()[c].pj)), 1, 1e-12)
            << report.totals()[c].component;
        all += report.totals()[c].pj;
    }
    EXPECT_NEAR(static_cast<double>(all / static_cast<long double>(report.total_pj())), 1, 1e-12);
    long double rows = 0;
    for (std::size_t r = 0; r < report.records(); ++r) { rows += report.record_total_pj(r); }
    EXPECT_NEAR(static_cast<double>(rows / static_cast<long double>(report.total_pj())), 1, 1e-12);
}

TEST(energy_report, a_module_without_a_model_costs_nothing)
{
    small_device d;
    d.run(3);
    const energy_report report(d.log, 1.0, {{"top.memory", memory_model()}});
    ASSERT_EQ(report.totals().size(), 2u);
    EXPECT_EQ(report.totals()[0].component, "memory");
    EXPECT_DOUBLE_EQ(report.totals()[0].pj, 10.0 * (5 + 2 * 64 + 2 * 65));
    EXPECT_EQ(energy_report(d.log, 1.0, {}).total_pj(), 0);
}

TEST(energy_report, of_an_empty_log_is_zero_in_every_component)
{
    small_device d;
    const energy_report report(d.log, 1.0, {{"top.device", device_model()}});
    EXPECT_EQ(report.records(), 0u);
    EXPECT_EQ(report.totals().size(), 3u);
    EXPECT_EQ(report.total_pj(), 0);
    EXPECT_TRUE(report.estimated().empty());
}

TEST(energy_report, misuse_is_an_invalid_argument)
{
    small_device d;
    d.run(1);
    EXPECT_THROW(energy_report(d.log, 1.0, {{"top.nobody", device_model()}}), std::invalid_argument);
    EXPECT_THROW(energy_report(d.log, 1.0, {{"top.memory", device_model()}}), std::invalid_argument);
    EXPECT_THROW(energy_report(d.log, 1.0, {{"top.memory", memory_model()}, {"top.memory", memory_model()}}),
                 std::invalid_argument);
    for (const double period :
         {0.0, -1.0, std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::infinity()}) {
        EXPECT_THROW(energy_report(d.log, period, {}), std::invalid_argument) << period;
    }
}

TEST(energy_report, time_of_a_cycle_is_the_period_of_the_program)
{
    small_device d;
    const std::vector<module_energy> modules = {{"top.device", device_model()}, {"top.memory", memory_model()}};
    d.start();
    EXPECT_THROW(energy_report(d.log, modules), std::invalid_argument); // no period is known
    d.log.clocked("top.other", 7000);
    d.log.clocked("top.device", 2500);
    d.record("load", "load", 0, 0, 10, {0, 0, 0});
    d.finish();
    EXPECT_EQ(d.log.clock_period_ps(), 2500u);
    EXPECT_EQ(energy_report(d.log, modules).clock_period_ns(), 2.5);
    EXPECT_NEAR(energy_report(d.log, modules).total_pj(), 10 * 2.5 * 1.75, 1e-12);
    EXPECT_NEAR(energy_report(d.log, 2.5, modules).total_pj(), 10 * 2.5 * 1.75, 1e-12);
    EXPECT_THROW(energy_report(d.log, 2.0, modules), std::invalid_argument);
    d.start();
    EXPECT_EQ(d.log.clock_period_ps(), 0u);
}

} // namespace
