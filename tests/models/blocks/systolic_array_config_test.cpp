// Which configurations of a systolic array are refused, and with what words.
#include <optional>
#include <gtest/gtest.h>
#include <tensorloom/models/blocks/systolic_array.h>
#include "support/sim_test.h"

namespace {

using namespace tensorloom;
using namespace tensorloom::test;

class systolic_array_config_test : public sim_test {};

TEST_F(systolic_array_config_test, is_refused_with_the_first_thing_wrong)
{
    blocks::systolic_array_config c;
    EXPECT_EQ(blocks::validate(c), std::nullopt);
    const auto with = [&](auto change) {
        blocks::systolic_array_config changed = c;
        change(changed);
        return blocks::validate(changed).value_or("");
    };
    EXPECT_EQ(with([](auto& x) { x.side = 0; }), "side is 0, not 1 to 1024");
    EXPECT_EQ(with([](auto& x) { x.side = 1025; }), "side is 1025, not 1 to 1024");
    EXPECT_EQ(with([](auto& x) { x.in_words = 17; }), "in_words is 17, not 0 to side (16)");
    EXPECT_EQ(with([](auto& x) { x.out_words = 99; }), "out_words is 99, not 0 to side (16)");
    EXPECT_EQ(with([](auto& x) { x.pipeline_depth = 0; }), "pipeline_depth is 0, not 1 to 64");
    EXPECT_EQ(with([](auto& x) { x.clock_period = sc_core::SC_ZERO_TIME; }), "clock_period is 0");
    EXPECT_EQ(with([](auto& x) { x.format = base::element_type::c64; }),
              "format is c64, not f64, f32, c128, bf16, f16, int8, int32 or int64");
}

TEST_F(systolic_array_config_test, an_array_of_it_is_an_error)
{
    blocks::systolic_array_config c;
    c.format = base::element_type::c64;
    bus::stop_request stop;
    expected_report report("/tensorloom/systolic_array/config");
    EXPECT_THROW(blocks::make_systolic_array("array", c, stop), sc_core::sc_report);
    EXPECT_EQ(report.last_message(), "array: format is c64, not f64, f32, c128, bf16, f16, int8, int32 or int64");
}

} // namespace
