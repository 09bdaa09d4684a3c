// Against a line of ticks, each taken or not.
#include <random>
#include <vector>
#include <gtest/gtest.h>
#include <tensorloom/tlm/reservation_table.h>

namespace tensorloom::test {
namespace {

using bus::reservation_table;

TEST(reservation_table, new_one_is_free_for_ever)
{
    const reservation_table c;
    EXPECT_EQ(c.free_from(7, 100).begin, 7u);
    EXPECT_EQ(c.free_from(7, 100).end, reservation_table::for_ever);
}

TEST(reservation_table, finds_the_first_stretch_that_is_free_for_long_enough)
{
    std::mt19937 random(3);
    const auto below = [&](unsigned n) { return std::uniform_int_distribution<unsigned>(0, n - 1)(random); };
    for (int round = 0; round < 200; ++round) {
        reservation_table calendar;
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
            ASSERT_EQ(found.end, end == taken.size() ? reservation_table::for_ever : end);
            calendar.book(begin, begin + length);
            for (unsigned t = begin; t < begin + length; ++t) { taken[t] = true; }
        }
    }
}

TEST(reservation_table, forgets_nothing_from_the_time_on)
{
    reservation_table c;
    for (std::uint64_t t = 0; t < 100; t += 10) { c.book(t, t + 5); }
    c.forget_before(52);
    EXPECT_EQ(c.free_from(0, 50).begin, 0u); // the past is free
    EXPECT_EQ(c.free_from(52, 1).begin, 55u);
    EXPECT_EQ(c.free_from(52, 6).begin, 95u);
    c.clear();
    EXPECT_EQ(c.free_from(52, 6).begin, 52u);
}

TEST(reservation_table, keeps_the_latest_when_there_are_too_many)
{
    reservation_table c;
    constexpr std::uint64_t count = 20 * reservation_table::limit;
    for (std::uint64_t t = 0; t < count; ++t) { c.book(10 * t, 10 * t + 5); }
    for (std::uint64_t t = count - reservation_table::limit; t < count; ++t) {
        ASSERT_EQ(c.free_from(10 * t, 1).begin, 10 * t + 5);
    }
}

TEST(reservation_table, forgets_the_earliest_also_when_gaps_are_booked)
{
    reservation_table c;
    constexpr std::uint64_t last = 1'000'000;
    c.book(last, last + 1);
    for (std::uint64_t t = 0; t < 20 * reservation_table::limit; ++t) { c.book(10 * t, 10 * t + 5); }
    EXPECT_EQ(c.free_from(0, 1).begin, 0u); // forgotten
    EXPECT_EQ(c.free_from(last, 1).begin, last + 1);
}

} // namespace
} // namespace tensorloom::test
