#include "support/expected_report.h"
#include <gtest/gtest-spi.h>
#include <gtest/gtest.h>
#include <systemc>
#include "support/sim_test.h"

namespace tensorloom::test {
namespace {

constexpr const char* some_id = "/tensorloom/test/some";
constexpr const char* other_id = "/tensorloom/test/other";

TEST(expected_report_test, unexpected_warning_is_a_failure)
{
    EXPECT_NONFATAL_FAILURE(SC_REPORT_WARNING(some_id, "the text"), "the text");
}

TEST(expected_report_test, unexpected_error_is_a_failure_and_throws)
{
    bool thrown = false;
    const auto report = [&] {
        try {
            SC_REPORT_ERROR(some_id, "the text");
        } catch (const sc_core::sc_report&) {
            thrown = true;
        }
    };
    EXPECT_NONFATAL_FAILURE(report(), "the text");
    EXPECT_TRUE(thrown);
}

TEST(expected_report_test, info_passes) { SC_REPORT_INFO(some_id, "for the reader"); }

TEST(expected_report_test, expected_reports_are_counted)
{
    expected_report expected(some_id);
    EXPECT_EQ(expected.count(), 0u);
    SC_REPORT_WARNING(some_id, "first");
    EXPECT_THROW(SC_REPORT_ERROR(some_id, "second"), sc_core::sc_report);
    EXPECT_EQ(expected.count(), 2u);
    EXPECT_EQ(expected.last_message(), "second");
}

TEST(expected_report_test, expected_fatal_throws_instead_of_aborting)
{
    expected_report expected(some_id);
    EXPECT_THROW(SC_REPORT_FATAL(some_id, "the end"), sc_core::sc_report);
}

TEST(expected_report_test, another_id_stays_unexpected)
{
    expected_report expected(some_id);
    SC_REPORT_WARNING(some_id, "");
    EXPECT_NONFATAL_FAILURE(SC_REPORT_WARNING(other_id, "the text"), "the text");
}

TEST(expected_report_test, report_that_never_came_is_a_failure)
{
    EXPECT_NONFATAL_FAILURE(expected_report{some_id}, some_id);
}

TEST(expected_report_test, expectation_ends_with_its_scope)
{
    {
        expected_report expected(some_id);
        SC_REPORT_WARNING(some_id, "");
    }
    EXPECT_NONFATAL_FAILURE(SC_REPORT_WARNING(some_id, "the text"), "the text");
}

// A thread that throws and one that waits: the handler is called on a process's own stack.
struct complaining_module : sc_core::sc_module {
    explicit complaining_module(sc_core::sc_module_name name) : sc_module(name)
    {
        SC_HAS_PROCESS(complaining_module);
        SC_THREAD(run);
    }
    void run()
    {
        wait(1, sc_core::SC_NS);
        SC_REPORT_ERROR(some_id, "in a thread");
    }
};

class first_simulation : public sim_test {};
class second_simulation : public sim_test {};

TEST_F(first_simulation, report_of_a_process_reaches_sc_start)
{
    expected_report expected(some_id);
    complaining_module module("module");
    EXPECT_THROW(sc_core::sc_start(), sc_core::sc_report);
    EXPECT_EQ(expected.count(), 1u);
    EXPECT_EQ(sc_core::sc_time_stamp(), sc_core::sc_time(1, sc_core::SC_NS));
}

TEST_F(second_simulation, elaborates_in_a_fresh_process_and_is_skipped_otherwise)
{
    EXPECT_EQ(sc_core::sc_get_status(), sc_core::SC_ELABORATION);
    sc_core::sc_signal<bool> signal("signal");
    sc_core::sc_start(1, sc_core::SC_NS);
}

} // namespace
} // namespace tensorloom::test
