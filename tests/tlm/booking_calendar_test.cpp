// Against a line of ticks, each taken or not.
#include <random>
#include <vector>
#include <gtest/gtest.h>
#include <tensorloom/tlm/booking_calendar.h>

namespace tensorloom::test {
namespace {

using bus::booking_calendar;

TEST(booking_calendar, new_one_is_free_for_ever)
{
    const booking_calendar c;
    EXPECT_EQ(c.free_from(7, 100).begin, 7u);
    EXPECT_EQ(c.free_from(7, 100).end, booking_calendar::for_ever);
}

TEST(booking_calendar, finds_the_first_stretch_that_is_free_for_long_enough)
{
    std::mt19937 random(3);
    const auto below = [&](unsigned n) { return std::uniform_int_distribution<unsigned>(0, n - 1)(random); };
    for (int round = 0; round < 200; ++round) {
        booking_calendar calendar;
        std::vector<bool> taken(400, false);
        for (int i = 0; i < 40; ++i) {
            const unsigned length = 1 + below(8);
            const unsigned from = below(150);
            unsigned begin = from;
            for (unsigned free = 0; free < length; ++begin) { free = taken[begin] ? 0 : free + 1; }
            begin -= length;
            unsigned end = begin + length;
            while (end < taken.size() && !taken[end]) { ++end; }

            const auto found = calendar.free_from(from, length);
            ASSERT_EQ(found.begin, begin);
            ASSERT_EQ(found.end, end == taken.size() ? booking_calendar::for_ever : end);
            calendar.book(begin, begin + length);
            for (unsigned t = begin; t < begin + length; ++t) { taken[t] = true; }
        }
    }
}

TEST(booking_calendar, forgets_nothing_from_the_time_on)
{
    booking_calendar c;
    for (std::uint64_t t = 0; t < 100; t += 10) { c.book(t, t + 5); }
    c.forget_before(52);
    EXPECT_EQ(c.free_from(0, 50).begin, 0u); // the past is free
    EXPECT_EQ(c.free_from(52, 1).begin, 55u);
    EXPECT_EQ(c.free_from(52, 6).begin, 95u);
    c.clear();
    EXPECT_EQ(c.free_from(52, 6).begin, 52u);
}

TEST(booking_calendar, keeps_the_latest_when_there_are_too_many)
{
    booking_calendar c;
    constexpr std::uint64_t count = 20 * booking_calendar::limit;
    for (std::uint64_t t = 0; t < count; ++t) { c.book(10 * t, 10 * t + 5); }
    for (std::uint64_t t = count - booking_calendar::limit; t < count; ++t) {
        ASSERT_EQ(c.free_from(10 * t, 1).begin, 10 * t + 5);
    }
}

TEST(booking_calendar, forgets_the_earliest_also_when_gaps_are_booked)
{
    booking_calendar c;
    constexpr std::uint64_t last = 1'000'000;
    c.book(last, last + 1);
    for (std::uint64_t t = 0; t < 20 * booking_calendar::limit; ++t) { c.book(10 * t, 10 * t + 5); }
    EXPECT_EQ(c.free_from(0, 1).begin, 0u); // forgotten
    EXPECT_EQ(c.free_from(last, 1).begin, last + 1);
}

} // namespace
} // namespace tensorloom::test
