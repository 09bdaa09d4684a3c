#include "platform/run/shared_activity.h"
#include <array>
#include <string>
#include <utility>
#include <vector>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <systemc>
#include "support/sim_test.h"

namespace tensorloom::testbench {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::Pair;

constexpr std::size_t large_device = 0, small_device = 1;
constexpr base::event_definition definitions[] = {{"work", "work", "."}, {"rest", "", "."}};
constexpr base::event_table events = base::make_event_table(definitions);

/// Devices "top.large" and "top.small", and a memory "top.ram", driven by hand.
class shared_activity_test : public test::sim_test {
protected:
    shared_activity m_activity{{"top.large", "top.small"}, activity::log_detail::every_record};
    std::array<std::uint64_t, 2> m_counts{}; // live counts of every module

    void attach_all()
    {
        for (const char* name : {"top.ram", "top.large.dma", "top.large", "top.small", "top.larger"}) {
            m_activity.attach(name, events, m_counts.data());
        }
    }
    void at(std::uint64_t ps)
    {
        const sc_core::sc_time time(static_cast<double>(ps), sc_core::SC_PS);
        if (time > sc_core::sc_time_stamp()) { sc_core::sc_start(time - sc_core::sc_time_stamp()); }
    }
    // Cycles by the devices at work: "L" large, "S" small.
    std::vector<std::pair<std::string, std::uint64_t>> intervals(std::uint64_t first, std::uint64_t end,
                                                                 std::uint64_t period_ps) const
    {
        std::vector<std::pair<std::string, std::uint64_t>> all;
        for (const auto& i : m_activity.intervals(first, end, period_ps)) {
            all.emplace_back(std::string(i.busy[large_device] ? "L" : "") + (i.busy[small_device] ? "S" : ""),
                             i.cycles);
        }
        return all;
    }
    void start(const char* device, std::uint64_t ps)
    {
        at(ps);
        m_activity.started(device, ps);
    }
    void finish(const char* device, std::uint64_t ps)
    {
        at(ps);
        m_activity.finished(device, 0);
    }
};

TEST_F(shared_activity_test, nothing_is_idle)
{
    EXPECT_THAT(intervals(0, 10, 1000), ElementsAre(Pair("", 10)));
    EXPECT_THAT(intervals(0, 0, 1000), IsEmpty());
}

TEST_F(shared_activity_test, cycles_are_of_the_devices_that_were_busy)
{
    attach_all();
    start("top.large", 2'000);
    start("top.small", 5'000);
    finish("top.small", 9'000);
    start("top.small", 12'000);
    finish("top.large", 15'000);
    finish("top.small", 21'000);
    EXPECT_THAT(intervals(0, 30, 1000), ElementsAre(Pair("", 2), Pair("L", 3), Pair("LS", 4), Pair("L", 3),
                                                    Pair("LS", 3), Pair("S", 6), Pair("", 9)));
    EXPECT_THAT(intervals(0, 15, 2000), ElementsAre(Pair("", 1), Pair("L", 1), Pair("LS", 2), Pair("L", 2),
                                                    Pair("LS", 1), Pair("S", 3), Pair("", 5)));
    EXPECT_THAT(intervals(4, 13, 1000), ElementsAre(Pair("L", 1), Pair("LS", 4), Pair("L", 3), Pair("LS", 1)));
}

TEST_F(shared_activity_test, times_within_a_cycle_count_for_it)
{
    attach_all();
    start("top.large", 1'900); // in cycle 1
    start("top.small", 3'100);
    finish("top.large", 4'200);
    finish("top.small", 6'999);
    EXPECT_THAT(intervals(0, 8, 1000),
                ElementsAre(Pair("", 1), Pair("L", 2), Pair("LS", 1), Pair("S", 2), Pair("", 2)));
}

TEST_F(shared_activity_test, what_lies_after_the_last_cycle_does_not_count)
{
    attach_all();
    start("top.large", 2'000);
    finish("top.large", 9'000);
    EXPECT_THAT(intervals(0, 5, 1000), ElementsAre(Pair("", 2), Pair("L", 3)));
}

TEST_F(shared_activity_test, modules_below_a_device_are_its_own_and_others_shared)
{
    attach_all();
    start("top.large", 0);
    const auto& modules = m_activity.runs(large_device).all().back().log->modules();
    ASSERT_EQ(modules.size(), 2u);
    EXPECT_EQ(modules[0].object, "top.large");
    EXPECT_EQ(modules[1].object, "top.large.dma");
    ASSERT_EQ(m_activity.shared().size(), 2u);
    EXPECT_EQ(m_activity.shared()[0].object, "top.ram");
    EXPECT_EQ(m_activity.shared()[1].object, "top.larger");
}

TEST_F(shared_activity_test, totals_are_over_all_runs_of_a_device)
{
    attach_all();
    const std::array<std::uint64_t, 2> first{3, 1}, second{4, 0};
    start("top.small", 0);
    m_activity.log("top.small", bus::log_record("load").during(0, 5).with_counts(first.data()));
    finish("top.small", 5'000);
    start("top.small", 6'000);
    m_activity.log("top.small", bus::log_record("load").during(0, 5).with_counts(second.data()));
    finish("top.small", 11'000);
    EXPECT_THAT(m_activity.totals(small_device), ElementsAre(7, 1));
    EXPECT_THAT(m_activity.totals(large_device), ElementsAre(0, 0));
    ASSERT_EQ(m_activity.runs(small_device).all().size(), 2u);
    EXPECT_EQ(m_activity.runs(small_device).all()[1].start_ps, 6'000u);
    EXPECT_EQ(m_activity.runs(small_device).all()[1].end_ps, 11'000u);
    EXPECT_EQ(m_activity.runs(small_device).all()[0].log->records().size(), 1u);
    EXPECT_TRUE(m_activity.runs(large_device).all().empty());
}

TEST_F(shared_activity_test, calls_about_other_devices_are_ignored)
{
    attach_all();
    const std::array<std::uint64_t, 2> counts{3, 1};
    start("top.small", 0);
    start("top.other", 0);
    m_activity.log("top.other", bus::log_record("load").during(0, 5).with_counts(counts.data()));
    finish("top.other", 5'000);
    finish("top.small", 6'000);
    EXPECT_THAT(m_activity.totals(small_device), ElementsAre(0, 0));
    ASSERT_EQ(m_activity.runs(small_device).all().size(), 1u);
    EXPECT_EQ(m_activity.runs(small_device).all()[0].end_ps, 6'000u);
    EXPECT_TRUE(m_activity.runs(large_device).all().empty());
}

} // namespace
} // namespace tensorloom::testbench
