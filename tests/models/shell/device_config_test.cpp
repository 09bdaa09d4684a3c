// What every device can be configured with, by name; a clock that the simulation cannot show.
#include <string>
#include <gtest/gtest.h>
#include "models/shell/shell_bench.h"
#include "support/sim_test.h"

namespace tensorloom::test {
namespace {

std::string listed(const shell::device_config& config, const std::string& name)
{
    for (const auto& [field, value] : base::list(config)) {
        if (field == name) { return value; }
    }
    return "not there";
}

TEST(device_config_test, use_of_direct_pointers_is_off_on_or_hinted)
{
    shell::device_config c;
    EXPECT_EQ(listed(c, "use-dmi"), "off");
    EXPECT_EQ(base::set(c, "use-dmi", "hinted"), std::nullopt);
    EXPECT_EQ(c.dma.use_dmi, bus::dmi_use::hinted);
    EXPECT_EQ(listed(c, "use-dmi"), "hinted");
    EXPECT_EQ(base::set(c, "use-dmi", "yes"), "use-dmi is 'yes', expected one of off, on, hinted");
}

TEST(device_config_test, time_out_is_a_number_of_cycles_of_the_non_blocking_transport)
{
    shell::device_config c;
    EXPECT_EQ(listed(c, "timeout-cycles"), "0");
    EXPECT_EQ(base::set(c, "timeout-cycles", "4294967295"), std::nullopt);
    EXPECT_EQ(dma_settings(c).timeout_cycles, 4294967295u);
    EXPECT_NE(bus::validate(dma_settings(c)).value_or("").find("timeout_cycles"), std::string::npos);
    EXPECT_EQ(base::set(c, "transport", "non_blocking"), std::nullopt);
    EXPECT_EQ(bus::validate(dma_settings(c)), std::nullopt);
    EXPECT_EQ(base::set(c, "timeout-cycles", "4294967296"),
              "timeout-cycles is '4294967296', expected an integer from 0 to 4294967295");
}

class coarse_time_test : public sim_test {
protected:
    void SetUp() override
    {
        sim_test::SetUp();
        if (!IsSkipped()) { sc_core::sc_set_time_resolution(1, sc_core::SC_NS); }
    }
};

TEST_F(coarse_time_test, clock_that_is_finer_is_refused_by_its_name)
{
    auto config = shell_bench::settings();
    config.clock_period = ns(0.4);
    const std::string told = "clock_period is 0, or finer than the time resolution of 1 ns";
    EXPECT_EQ(bus::validate(dma_settings(config)), told);
    expected_report report("/tensorloom/shell/config");
    try {
        toil_device device("device", config, nullptr);
        ADD_FAILURE() << "taken";
    } catch (const sc_core::sc_report& r) {
        EXPECT_EQ(r.get_msg(), "device: " + told);
    }
}

TEST_F(coarse_time_test, clock_is_set_and_listed_in_what_there_is)
{
    shell::device_config c;
    EXPECT_EQ(listed(c, "clock-period"), "1000");
    EXPECT_EQ(base::set(c, "clock-period", "400"),
              "clock-period is '400', expected an integer from 1000 to 1000000000");
    EXPECT_EQ(base::set(c, "clock-period", "1500"), "clock-period is '1500', expected a multiple of 1000");
    EXPECT_EQ(base::set(c, "clock-period", "3000"), std::nullopt);
    EXPECT_EQ(c.clock_period, ns(3));
}

} // namespace
} // namespace tensorloom::test
