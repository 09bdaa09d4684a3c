// What becomes of the phases of a command, and in which order records leave.
#include <string>
#include <gmock/gmock.h>
#include <tensorloom/models/shell/command_log.h>

namespace tensorloom::test {
namespace {

using shell::command_report;
using testing::ElementsAre;

std::string text(const bus::log_record& record)
{
    return std::string(record.cause) + " " + std::to_string(record.start_cycle) + "+" + std::to_string(record.cycles) +
           " " + std::to_string(record.counts[0]) + "/" + std::to_string(record.counts[1]);
}
std::vector<std::string> records(const command_report& report, std::uint64_t waited_from)
{
    std::vector<std::string> all;
    report.for_each_record({}, waited_from, [&](const auto& record) { all.push_back(text(record)); });
    return all;
}

command_report three_phases(std::uint64_t end)
{
    const std::uint64_t counts[] = {3, 4};
    command_report r(2);
    r.add("from before", "", 99, counts);
    r.begin(100);
    r.add("a", "", 10, nullptr);
    r.add("b", "", 20, counts);
    r.add("c", "", 5, counts);
    r.end(end);
    return r;
}

TEST(command_report, phases_follow_each_other)
{
    EXPECT_THAT(records(three_phases(135), 100), ElementsAre("a 100+10 0/0", "b 110+20 3/4", "c 130+5 3/4"));
    EXPECT_EQ(three_phases(135).cycles(), 35u);
}

TEST(command_report, early_end_cuts_phases_off)
{
    EXPECT_THAT(records(three_phases(117), 100), ElementsAre("a 100+10 0/0", "b 110+7 3/4", "c 117+0 3/4"));
}

TEST(command_report, cycles_that_no_phase_covers_are_waiting)
{
    EXPECT_THAT(records(three_phases(137), 100),
                ElementsAre("a 100+10 0/0", "b 110+20 3/4", "c 130+5 3/4", "wait 135+2 0/0"));
}

TEST(command_report, earliest_phases_are_dropped_when_only_the_end_was_waited_for)
{
    EXPECT_THAT(records(three_phases(135), 125), ElementsAre("a 125+0 0/0", "b 125+5 3/4", "c 130+5 3/4"));
    EXPECT_THAT(records(three_phases(135), 135), ElementsAre("a 135+0 0/0", "b 135+0 3/4", "c 135+0 3/4"));
}

TEST(command_report, rows_say_when_the_unit_worked_whatever_was_waited_for)
{
    const auto report = three_phases(135);
    for (const std::uint64_t waited_from : {100, 125, 135}) {
        std::vector<std::pair<std::uint64_t, std::uint64_t>> busy;
        report.for_each_record({}, waited_from, [&](const auto& record) {
            busy.emplace_back(record.busy_start_cycle, record.busy_cycles);
        });
        EXPECT_THAT(busy, ElementsAre(std::pair(100, 10), std::pair(110, 20), std::pair(130, 5)));
    }
}

TEST(row_order, rows_leave_by_start_then_by_program_order)
{
    shell::log_reorder_buffer order(1);
    std::vector<std::string> out;
    const auto release = [&](std::uint64_t before) {
        order.release(before, [&](const bus::log_record& record) {
            out.push_back(std::to_string(record.command) + ":" + record.cause + std::to_string(record.counts[0]));
        });
    };
    const auto add = [&](std::uint64_t number, const char* cause, std::uint64_t start, std::uint64_t count) {
        order.add(
            number,
            bus::log_record(cause).of_command(static_cast<std::uint32_t>(number)).during(start, 0).with_counts(&count));
    };
    add(3, "x", 50, 1);
    add(1, "y", 60, 2);
    add(2, "first", 50, 3);
    add(2, "second", 50, 4);
    release(50);
    EXPECT_THAT(out, ElementsAre());
    release(51);
    EXPECT_THAT(out, ElementsAre("2:first3", "2:second4", "3:x1"));
    add(0, "late", 60, 5);
    release(UINT64_MAX);
    EXPECT_THAT(out, ElementsAre("2:first3", "2:second4", "3:x1", "0:late5", "1:y2"));
}

} // namespace
} // namespace tensorloom::test
