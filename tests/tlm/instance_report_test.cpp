// Reports name the instance and hold no path of the build.
#include <string>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <tensorloom/tlm/instance_report.h>
#include <tensorloom/tlm/router.h>
#include "support/sim_test.h"

namespace tensorloom::test {
namespace {

using testing::HasSubstr;
using testing::Not;

constexpr const char* some_id = "/tensorloom/test/some";

TEST(instance_report_test, warning_and_error_show_the_instance_as_text_and_as_file)
{
    expected_report expected(some_id);
    bus::report_warning("top.left", some_id, "is late");
    EXPECT_EQ(expected.last_message(), "top.left: is late");
    try {
        bus::report_error("top.right", some_id, "is lost");
        ADD_FAILURE() << "no exception";
    } catch (const sc_core::sc_report& report) {
        EXPECT_STREQ(report.get_msg(), "top.right: is lost");
        EXPECT_STREQ(report.get_file_name(), "top.right");
        EXPECT_EQ(report.get_line_number(), 0);
        EXPECT_EQ(report.get_severity(), sc_core::SC_ERROR);
    }
}

TEST(instance_report_test, info_is_shown_at_every_level_of_the_simulation)
{
    sc_core::sc_report_handler::set_verbosity_level(sc_core::SC_NONE);
    testing::internal::CaptureStdout();
    bus::report_info("top.left", some_id, "starts");
    EXPECT_THAT(testing::internal::GetCapturedStdout(), HasSubstr("Info: /tensorloom/test/some: top.left: starts\n"));
}

struct named_before : sc_core::sc_module {
    std::string told;

    explicit named_before(sc_core::sc_module_name name) : named_before(name, bus::name_to_be(name)) {}

private:
    named_before(const sc_core::sc_module_name& name, std::string before)
        : sc_core::sc_module(name), told(std::move(before))
    {}
};

struct parent : sc_core::sc_module {
    named_before first{"first"};
    named_before second{"second"};

    explicit parent(sc_core::sc_module_name name) : sc_core::sc_module(name) {}
};

class instance_name_test : public sim_test {};

TEST_F(instance_name_test, is_known_before_the_module_is_constructed)
{
    parent top("top");
    named_before alone("alone");
    EXPECT_EQ(top.first.told, top.first.name());
    EXPECT_EQ(top.second.told, "top.second");
    EXPECT_EQ(alone.told, "alone");
}

struct two_routers : sc_core::sc_module {
    bus::router<> left;
    bus::router<> right;

    two_routers(sc_core::sc_module_name name, const bus::router_config& second)
        : sc_core::sc_module(name), left("left", {}), right("right", second)
    {}
};

class instance_error_test : public sim_test {};

TEST_F(instance_error_test, one_of_two_routers_is_named_and_no_file_of_the_library)
{
    bus::router_config none;
    none.queue_depth = 0;
    expected_report expected("/tensorloom/router/config");
    try {
        two_routers bus("bus", none);
        ADD_FAILURE() << "no exception";
    } catch (const sc_core::sc_report& report) {
        EXPECT_THAT(report.get_msg(), testing::StartsWith("bus.right: router queue of 0 requests"));
        EXPECT_THAT(report.what(), HasSubstr("In file: bus.right:0"));
        EXPECT_THAT(report.what(), Not(HasSubstr(".cpp")));
    }
}

} // namespace
} // namespace tensorloom::test
