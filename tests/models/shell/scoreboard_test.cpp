// Which command waits for which, and how far a program has come.
#include <gtest/gtest.h>
#include <tensorloom/models/shell/scoreboard.h>

namespace tensorloom::test {
namespace {

using shell::access_set;
using shell::byte_ranges;
using shell::scoreboard;

access_set on(unsigned unit, const byte_ranges& reads = {}, const byte_ranges& writes = {})
{
    return {unit, reads, writes};
}

TEST(byte_range, overlaps_where_a_byte_lies_in_both)
{
    EXPECT_TRUE(shell::overlap({10, 5}, {14, 1}));
    EXPECT_TRUE(shell::overlap({14, 1}, {10, 5}));
    EXPECT_TRUE(shell::overlap({10, 5}, {0, 100}));
    EXPECT_FALSE(shell::overlap({10, 5}, {15, 3}));
    EXPECT_FALSE(shell::overlap({15, 3}, {10, 5}));
    EXPECT_FALSE(shell::overlap({10, 0}, {0, 100}));
    EXPECT_FALSE(shell::overlap({0, 100}, {10, 0}));
    EXPECT_TRUE(shell::overlap({UINT64_MAX - 1, 2}, {UINT64_MAX, 1}));
    EXPECT_FALSE(shell::overlap({UINT64_MAX - 1, 2}, {0, 8}));
}

TEST(scoreboard, command_waits_for_its_unit_and_for_its_operands_the_earliest_first)
{
    scoreboard b(4);
    b.enter(on(2, {{0, 8}}, {{8, 8}}), 1);
    b.enter(on(0, {{100, 8}}, {{200, 8}}), 2);
    EXPECT_EQ(b.blocker(on(1, {{0, 8}})), std::nullopt);
    EXPECT_EQ(b.blocker(on(1, {{15, 1}})), 2u);
    EXPECT_EQ(b.blocker(on(1, {}, {{7, 1}})), 2u);
    EXPECT_EQ(b.blocker(on(1, {}, {{12, 1}})), 2u);
    EXPECT_EQ(b.blocker(on(0)), 0u);
    EXPECT_EQ(b.blocker(on(0, {{8, 1}})), 2u);
    b.leave(2, true);
    EXPECT_EQ(b.blocker(on(0, {{8, 1}})), 0u);
    b.leave(0, true);
    EXPECT_EQ(b.blocker(on(0, {{8, 1}})), std::nullopt);
}

TEST(scoreboard, program_ends_in_order)
{
    scoreboard b(3);
    b.pass(10);
    EXPECT_EQ(b.executed(), 1u);
    b.enter(on(0), 11);
    b.pass(12);
    b.enter(on(1), 13);
    b.pass(14);
    b.enter(on(2), 15);
    EXPECT_EQ(b.issued(), 6u);
    EXPECT_EQ(b.number(1), 3u);
    b.leave(1, true); // 13 and 14 have ended, but 11 has not
    EXPECT_EQ(b.executed(), 1u);
    EXPECT_EQ(b.token(), 10u);
    b.leave(0, true);
    EXPECT_EQ(b.executed(), 5u);
    EXPECT_EQ(b.token(), 14u);
    b.pass(16);
    EXPECT_EQ(b.executed(), 5u);
    b.leave(2, true);
    EXPECT_EQ(b.executed(), 7u);
    EXPECT_EQ(b.token(), 16u);
}

TEST(scoreboard, nothing_overtakes_a_command_that_failed)
{
    scoreboard b(3);
    b.enter(on(0), 1);
    b.enter(on(1, {}, {{0, 4}}), 2);
    b.enter(on(2), 3);
    b.leave(1, false);
    b.leave(2, true);
    EXPECT_TRUE(b.failed(1));
    EXPECT_EQ(b.blocker(on(2, {{0, 1}})), 1u);
    EXPECT_EQ(b.earliest(3), 0u);
    b.leave(0, true);
    EXPECT_EQ(b.executed(), 1u);
    EXPECT_EQ(b.token(), 1u);
    EXPECT_EQ(b.earliest(3), 1u);
    EXPECT_EQ(b.earliest(1), std::nullopt);
    EXPECT_EQ(b.earliest_working(), std::nullopt);
    b.clear();
    EXPECT_EQ(b.blocker(on(1)), std::nullopt);
    EXPECT_EQ(b.issued() + b.executed() + b.token(), 0u);
}

TEST(scoreboard, earliest_of_the_first_commands)
{
    scoreboard b(2);
    b.pass(1);
    b.enter(on(1), 2); // number 1
    b.enter(on(0), 3);
    EXPECT_EQ(b.earliest(1), std::nullopt);
    EXPECT_EQ(b.earliest(2), 1u);
    b.leave(1, true);
    EXPECT_EQ(b.earliest(2), std::nullopt);
    EXPECT_EQ(b.earliest(3), 0u);
}

} // namespace
} // namespace tensorloom::test
