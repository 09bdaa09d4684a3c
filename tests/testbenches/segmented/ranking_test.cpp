#include "segmented/ranking.h"
#include <gmock/gmock.h>

namespace tensorloom::testbench {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

cost_curve steps_of(const char* name, const std::vector<std::uint64_t>& steps)
{
    cost_curve curve{name, {}};
    std::uint64_t length = 4;
    for (const auto s : steps) {
        curve.points.push_back({length, s, 100 - s, static_cast<double>(s) / 2});
        length *= 4;
    }
    return curve;
}

TEST(crossover, is_where_the_last_stretch_of_wins_begins)
{
    const auto a = steps_of("a", {9, 3, 9, 4, 5});
    const auto b = steps_of("b", {8, 8, 8, 8, 8});
    EXPECT_EQ(crossover(a, b, cost_metric::steps), 256u); // the win at 16 did not last
    EXPECT_EQ(crossover(a, b, cost_metric::energy), 256u);
}

TEST(crossover, goes_by_the_metric)
{
    const auto a = steps_of("a", {9, 9, 1});
    const auto b = steps_of("b", {8, 8, 8});
    EXPECT_EQ(crossover(a, b, cost_metric::steps), 64u);
    EXPECT_EQ(crossover(a, b, cost_metric::cycles), std::nullopt); // 100 - steps
    EXPECT_EQ(crossover(b, a, cost_metric::cycles), 64u);
}

TEST(crossover, of_a_variant_that_always_wins_is_the_first_length)
{
    EXPECT_EQ(crossover(steps_of("a", {1, 1}), steps_of("b", {2, 2}), cost_metric::steps), 4u);
}

TEST(crossover, needs_more_than_a_draw)
{
    const auto a = steps_of("a", {1, 2});
    EXPECT_EQ(crossover(a, steps_of("b", {2, 2}), cost_metric::steps), std::nullopt);
}

TEST(ranking, puts_the_cheapest_first_and_keeps_equals_in_order)
{
    const std::vector<cost_curve> curves{steps_of("a", {5, 5}), steps_of("b", {3, 7}), steps_of("c", {5, 1})};
    EXPECT_THAT(ranking(curves, 0, cost_metric::steps), ElementsAre(1, 0, 2));
    EXPECT_THAT(ranking(curves, 1, cost_metric::steps), ElementsAre(2, 0, 1));
    EXPECT_THAT(ranking(curves, 0, cost_metric::cycles), ElementsAre(0, 2, 1));
}

TEST(ranking, changes_are_found_by_length)
{
    const std::vector<cost_curve> one{steps_of("a", {1, 2, 3}), steps_of("b", {2, 1, 1})};
    const std::vector<cost_curve> two{steps_of("a", {1, 1, 3}), steps_of("b", {2, 2, 1})};
    EXPECT_THAT(changed_rankings(one, two, cost_metric::energy), ElementsAre(16));
    EXPECT_THAT(changed_rankings(one, one, cost_metric::energy), IsEmpty());
}

} // namespace
} // namespace tensorloom::testbench
