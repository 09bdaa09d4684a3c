// The messages of a device: off by default, raised for one instance or for all below a module.
#include <memory>
#include <string>
#include <vector>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include "models/shell/shell_bench.h"
#include "support/sim_test.h"

namespace tensorloom::test {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

namespace reg = isa::reg;

std::vector<std::string>& told()
{
    static std::vector<std::string> messages;
    return messages;
}

void keep(const sc_core::sc_report& report, const sc_core::sc_actions& actions)
{
    if (report.get_severity() == sc_core::SC_INFO) {
        told().push_back(std::string(report.get_msg_type()) + " " + report.get_msg());
    } else {
        sc_core::sc_report_handler::default_handler(report, actions);
    }
}

class shell_verbosity_test : public sim_test {
protected:
    void SetUp() override
    {
        sim_test::SetUp();
        sc_core::sc_report_handler::set_handler(keep);
        told().clear();
    }

    // Runs two programs side by side on devices first.device and second.device.
    static void run_both(int first_level, int second_level, std::uint32_t cycles = 7)
    {
        const auto work = [cycles](shell_bench& b) { b.run(toil_program(cycles)); };
        shell_bench first("first", work), second("second", work);
        first.device.set_verbosity(first_level);
        second.device.set_verbosity(second_level);
        sc_core::sc_start();
        EXPECT_TRUE(first.finished() && second.finished());
    }
};

TEST_F(shell_verbosity_test, devices_are_silent_by_default)
{
    shell_bench bench("bench", [](shell_bench& b) {
        b.run(toil_program(7));
        b.run(toil_program(toil_device::forbidden_cycles));
        b.write(reg::ctrl, isa::ctrl_reset);
    });
    sc_core::sc_start();
    EXPECT_TRUE(bench.finished());
    EXPECT_THAT(told(), IsEmpty());
}

TEST_F(shell_verbosity_test, only_the_raised_one_of_two_speaks)
{
    run_both(sc_core::SC_NONE, sc_core::SC_MEDIUM);
    // Three writes of 2 ns before the start; 12 cycles of fetch and 7 of the command from there on.
    EXPECT_THAT(told(), ElementsAre("/tensorloom/shell/program second.device: 4 ns: the program at 0x100000000 starts",
                                    "/tensorloom/shell/program second.device: 42 ns: the program is done: 19 cycles"));
}

TEST_F(shell_verbosity_test, commands_are_told_at_high)
{
    run_both(sc_core::SC_HIGH, sc_core::SC_LOW);
    ASSERT_EQ(told().size(), 3u);
    EXPECT_THAT(told()[1], HasSubstr("/tensorloom/shell/command first.device: "));
    EXPECT_THAT(told()[1], HasSubstr(": command 0 toil, execution 0, cycle 12"));
}

TEST_F(shell_verbosity_test, records_are_told_at_full)
{
    run_both(sc_core::SC_FULL, sc_core::SC_NONE);
    ASSERT_EQ(told().size(), 5u);
    EXPECT_THAT(told()[1], HasSubstr("/tensorloom/shell/record first.device: "));
    EXPECT_THAT(told()[1], HasSubstr("command 0, fetch 0: cycles 0 to 12"));
    EXPECT_THAT(told()[3], HasSubstr(": cycles 12 to 19"));
}

TEST_F(shell_verbosity_test, failures_resets_and_lost_starts_are_told_at_low)
{
    shell_bench bench("bench", [](shell_bench& b) {
        b.run(toil_program(toil_device::forbidden_cycles));
        b.run(toil_program(1, 16, 0x40)); // no memory there
        b.start(toil_program(100));
        b.write(reg::ctrl, isa::ctrl_start);
        b.write(reg::ctrl, isa::ctrl_reset);
        EXPECT_TRUE(b.poll_end());
        b.write(reg::ctrl, isa::ctrl_reset);
    });
    bench.device.set_verbosity(sc_core::SC_LOW);
    sc_core::sc_start();
    EXPECT_TRUE(bench.finished());
    const auto of = [](const char* id, const std::string& text) {
        return testing::AllOf(testing::StartsWith(std::string("/tensorloom/shell/") + id + " bench.device: "),
                              HasSubstr(text));
    };
    EXPECT_THAT(told(), ElementsAre(of("program", "at command 0: "), of("program", "(address 0x40)"),
                                    of("program", "START has no effect: busy"), of("reset", "reset, stops the program"),
                                    of("reset", "the program has stopped, cycle "), of("reset", ": reset")));
}

TEST_F(shell_verbosity_test, one_call_sets_all_devices_below_a_name)
{
    struct cluster : sc_core::sc_module {
        shell_bench left{"left", [](shell_bench& b) { b.run(toil_program(7)); }};
        shell_bench right{"right", [](shell_bench& b) { b.run(toil_program(7)); }};

        explicit cluster(sc_core::sc_module_name name) : sc_core::sc_module(name) {}
    } first("first"), second("second");
    EXPECT_EQ(shell::set_verbosity("", sc_core::SC_FULL), 4u);
    EXPECT_EQ(shell::set_verbosity("second", sc_core::SC_NONE), 2u);
    EXPECT_EQ(shell::set_verbosity("first", sc_core::SC_LOW), 2u);
    EXPECT_EQ(shell::set_verbosity("first.left.device", sc_core::SC_MEDIUM), 1u);
    EXPECT_EQ(shell::set_verbosity("first.left.device.regs", sc_core::SC_FULL), 0u);
    EXPECT_EQ(shell::set_verbosity("third", sc_core::SC_FULL), 0u);
    sc_core::sc_start();
    ASSERT_EQ(told().size(), 2u);
    EXPECT_THAT(told()[0], HasSubstr(" first.left.device: "));
}

} // namespace
} // namespace tensorloom::test
