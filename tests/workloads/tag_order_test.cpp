#include <tensorloom/workloads/gemt_order.h>

#include <map>

#include <gmock/gmock.h>

#include "support/message_of.h"

namespace tensorloom::test {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using workloads::row_order;
using workloads::tag_kind;

TEST(tag_order, diagonal_and_reverse)
{
    EXPECT_THAT(row_order(tag_kind::diagonal, 4, 1), ElementsAre(0, 1, 2, 3));
    EXPECT_THAT(row_order(tag_kind::reverse, 4, 1), ElementsAre(3, 2, 1, 0));
}

TEST(tag_order, random_is_the_same_everywhere)
{
    // From a second implementation of generator and shuffle (another language); they must never change.
    EXPECT_THAT(row_order(tag_kind::random, 10, 7), ElementsAre(0, 7, 4, 9, 3, 1, 2, 8, 6, 5));
    EXPECT_THAT(row_order(tag_kind::random, 10, 8), ElementsAre(6, 4, 3, 7, 5, 1, 8, 0, 2, 9));
}

TEST(tag_order, every_permutation_is_equally_likely)
{
    std::map<std::vector<std::uint32_t>, int> seen;
    for (std::uint64_t seed = 0; seed < 6000; ++seed) { ++seen[row_order(tag_kind::random, 3, seed)]; }
    EXPECT_EQ(seen.size(), 6u);
    for (const auto& [order, times] : seen) {
        EXPECT_THAT(order, testing::UnorderedElementsAre(0, 1, 2));
        EXPECT_NEAR(times, 1000, 150); // 5 standard deviations
    }
}

TEST(tag_order, none_and_one_row)
{
    for (auto kind : {tag_kind::diagonal, tag_kind::reverse, tag_kind::random}) {
        EXPECT_THAT(row_order(kind, 0, 1), ElementsAre());
        EXPECT_THAT(row_order(kind, 1, 1), ElementsAre(0));
    }
}

TEST(tag_order, too_many_rows_are_refused)
{
    EXPECT_THAT(message_of([] { row_order(tag_kind::diagonal, (std::size_t{1} << 32) + 1, 0); }),
                HasSubstr("4294967297 rows found"));
}

TEST(tag_order, names_are_read)
{
    EXPECT_EQ(workloads::parse_tags("diagonal"), tag_kind::diagonal);
    EXPECT_EQ(workloads::parse_tags("reverse"), tag_kind::reverse);
    EXPECT_EQ(workloads::parse_tags("random"), tag_kind::random);
    EXPECT_THAT(message_of([] { workloads::parse_tags("diag"); }),
                HasSubstr("'diag' found, expected one of diagonal, reverse, random"));
}

} // namespace
} // namespace tensorloom::test
