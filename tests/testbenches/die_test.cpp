// What a die is warned about, by hand.
#include "platform/run/die.h"
#include <gmock/gmock.h>
#include <tensorloom/models/base/values/input_error.h>

namespace tensorloom::test {
namespace {

using namespace testbench;
using testing::ElementsAre;
using testing::HasSubstr;

costs::floor_plan plan_of(const char* component, double mm2, double line_mm = 0, double settling_cycles = 1)
{
    costs::floor_plan plan;
    plan.areas.push_back({component, mm2 * 1e6, true});
    plan.longest_line_um = line_mm * 1e3;
    plan.settling_cycles = settling_cycles;
    return plan;
}

die die_with(const std::vector<costs::floor_plan>& plans) { return die_of(costs::load_technology("45nm"), plans); }

TEST(die, has_each_component_once)
{
    auto second = plan_of("memory", 3);
    second.areas.push_back({"cells", 5e6});
    const auto d = die_with({plan_of("memory", 2), second});
    ASSERT_EQ(d.areas.size(), 2u);
    EXPECT_EQ(d.areas[0].um2, 5e6);
    EXPECT_EQ(d.um2(), 10e6);
}

TEST(die, power_is_of_the_footprint_and_without_the_dram)
{
    auto plan = plan_of("cells", 100);
    plan.areas[0].tiers = 10;
    const std::vector<costs::component_energy> energies = {
        {"mac", 3000}, {"leakage", 1000}, {"sram.leakage", 500}, {"dram", 7000}, {"dram_background", 500}};
    const auto d = die_with({plan});
    const run_power power(energies, 2, d);
    EXPECT_EQ(power.mw, 6000);
    EXPECT_EQ(power.leakage_mw, 750);
    EXPECT_EQ(power.dram_mw, 3750);
    EXPECT_DOUBLE_EQ(power.w_per_mm2, 2.25 / 10);
    const auto json = die_json(d, energies, 2, 1);
    EXPECT_EQ(json["leakage_sensitivity_pJ"]["none"], 10500);
    EXPECT_EQ(json["leakage_sensitivity_pJ"]["twice"], 13500);
    EXPECT_EQ(json["footprint_um2"], 10e6);
}

TEST(die, that_bears_all_has_no_warning)
{
    const auto d = die_with({plan_of("cells", 849, 10)});
    EXPECT_THAT(warnings_of(d, run_power({{"mac", 848e3}}, 1, d), 1), ElementsAre());
}

TEST(die, warns_of_what_air_does_not_cool)
{
    const auto d = die_with({plan_of("cells", 10)});
    EXPECT_THAT(warnings_of(d, run_power({{"mac", 25e3}}, 1, d), 1),
                ElementsAre("2.5 W/mm2 on the die, more than the 1 W/mm2 of air cooling"));
}

TEST(die, warns_of_more_than_a_reticle)
{
    const auto d = die_with({plan_of("cells", 600), plan_of("memory", 251)});
    EXPECT_THAT(warnings_of(d, run_power({}, 1, d), 1),
                ElementsAre("a die of 851 mm2, more than the 850 mm2 of a reticle"));
}

TEST(die, warns_of_a_line_that_is_too_long_for_the_time_that_it_has)
{
    const auto d = die_with({plan_of("cells", 1, 19, 2), plan_of("memory", 1, 12, 1)});
    EXPECT_THAT(warnings_of(d, run_power({}, 1, d), 1),
                ElementsAre("overclocked: a line of 12 mm takes 1.2 ns, more than the clock period of 1 ns"));
    EXPECT_THAT(warnings_of(d, run_power({}, 1, d), 1.2), ElementsAre());
}

TEST(die, warns_of_the_path_with_the_least_time_for_a_gate)
{
    auto slow = plan_of("cells", 1), slower = plan_of("memory", 1);
    slow.path_gates = 108;
    slow.path_cycles = 3;
    slower.path_gates = 60;
    EXPECT_THAT(warnings_of(die_with({slow}), {{}, 1, die_with({slow})}, 1), ElementsAre());
    const auto d = die_with({slow, slower});
    EXPECT_THAT(warnings_of(d, run_power({}, 1, d), 1),
                ElementsAre("overclocked: a path of 60 gates takes 1.2 ns, more than the clock period of 1 ns"));
    EXPECT_THAT(warnings_of(d, run_power({}, 1, d), 1.2), ElementsAre());
}

TEST(die, clock_is_limited_by_what_takes_longest_for_its_cycles)
{
    EXPECT_EQ(clock_limit_of(die_with({plan_of("cells", 1)})).ps, 0) << "nothing limits it";
    auto plan = plan_of("cells", 1, 19, 2);
    EXPECT_NEAR(clock_limit_of(die_with({plan})).ps, 950, 1e-9);
    EXPECT_EQ(clock_limit_of(die_with({plan})).cause, "a line of 19 mm takes 1.9 ns in 2 cycles");
    plan.path_gates = 150;
    plan.path_cycles = 3;
    const auto limit = clock_limit_of(die_with({plan_of("memory", 1), plan}));
    EXPECT_NEAR(limit.ps, 1000, 1e-9);
    EXPECT_EQ(limit.cause, "a path of 150 gates takes 3 ns in 3 cycles");
}

TEST(die, names_the_limit_that_a_technology_misses)
{
    const auto technology = costs::technology::from_text("schema: tensorloom-technology-1\nname: t\nprocess: p\n", "t");
    try {
        die_of(technology, {});
        FAIL();
    } catch (const base::input_error& e) {
        EXPECT_THAT(e.what(), HasSubstr("missing key limit.power_density (W/mm^2)"));
    }
}

} // namespace
} // namespace tensorloom::test
