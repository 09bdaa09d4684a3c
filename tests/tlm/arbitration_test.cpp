// Who goes next.
#include <gtest/gtest.h>
#include <tensorloom/tlm/arbitration.h>
#include "tlm/payload.h"

namespace tensorloom::test {
namespace {

using bus::arbitration_kind;
using waiting = std::vector<bus::arbitration::candidate>;

// The initiators that are served when these wait all the time.
std::vector<unsigned> served(arbitration_kind kind, const waiting& all, unsigned times)
{
    const auto policy = bus::make_arbitration(kind);
    std::vector<unsigned> order;
    for (unsigned i = 0; i < times; ++i) { order.push_back(all[policy->choose(all)].initiator); }
    return order;
}

TEST(arbitration, round_robin_serves_in_turns)
{
    const waiting all{{0, ns(5)}, {2, ns(1)}, {3, ns(0)}};
    EXPECT_EQ(served(arbitration_kind::round_robin, all, 7), (std::vector<unsigned>{0, 2, 3, 0, 2, 3, 0}));
}

TEST(arbitration, round_robin_goes_on_after_the_one_served_last)
{
    const auto policy = bus::make_arbitration(arbitration_kind::round_robin);
    EXPECT_EQ(policy->choose({{1, ns(0)}, {3, ns(0)}}), 0u);
    EXPECT_EQ(policy->choose({{0, ns(0)}, {1, ns(0)}, {2, ns(0)}}), 2u);
    EXPECT_EQ(policy->choose({{0, ns(0)}, {1, ns(0)}}), 0u);
}

TEST(arbitration, fixed_priority_serves_the_lowest_number)
{
    const waiting all{{1, ns(9)}, {2, ns(1)}};
    EXPECT_EQ(served(arbitration_kind::fixed_priority, all, 3), (std::vector<unsigned>{1, 1, 1}));
}

TEST(arbitration, first_come_serves_who_waits_longest)
{
    EXPECT_EQ(served(arbitration_kind::first_come, {{0, ns(3)}, {1, ns(1)}, {2, ns(2)}}, 1), std::vector<unsigned>{1});
}

TEST(arbitration, first_come_serves_the_lowest_number_of_one_time)
{
    EXPECT_EQ(served(arbitration_kind::first_come, {{1, ns(3)}, {2, ns(3)}}, 1), std::vector<unsigned>{1});
}

TEST(arbitration, names_are_those_of_the_kinds)
{
    for (const auto kind :
         {arbitration_kind::round_robin, arbitration_kind::fixed_priority, arbitration_kind::first_come}) {
        EXPECT_EQ(bus::arbitration_of(bus::arbitration_name(kind)), kind);
    }
    EXPECT_FALSE(bus::arbitration_of("round robin"));
    EXPECT_FALSE(bus::arbitration_of(""));
}

} // namespace
} // namespace tensorloom::test
