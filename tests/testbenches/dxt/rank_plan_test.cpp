#include "dxt/ranks/rank_plan.h"

#include <gmock/gmock.h>

#include "support/message_of.h"

namespace tensorloom::test {
namespace {

using testbench::gemt_job;
using testbench::plan_ranks;
using testbench::range_of;

gemt_job job_of(const workloads::shape3& shape, const std::array<unsigned, 3>& order, const char* transforms)
{
    gemt_job job;
    job.shape = shape;
    job.order = order;
    for (std::size_t m = 0; m < 3; ++m) {
        job.transforms[m] = workloads::parse_transform(transforms[m] == 'x' ? "dct" : "none");
    }
    return job;
}

std::vector<unsigned> splits_of(const gemt_job& job, unsigned ranks)
{
    std::vector<unsigned> modes;
    for (const auto& stage : plan_ranks(job, ranks).stages) { modes.push_back(stage.split + 1); }
    return modes;
}

TEST(rank_plan, parts_of_a_mode_follow_each_other_and_differ_by_at_most_one)
{
    for (const std::uint32_t size : {1u, 7u, 12u}) {
        for (unsigned ranks = 1; ranks <= size; ++ranks) {
            std::uint32_t next = 0;
            for (unsigned rank = 0; rank < ranks; ++rank) {
                const auto part = range_of(size, ranks, rank);
                EXPECT_EQ(part.first, next);
                EXPECT_GE(part.size, size / ranks);
                EXPECT_LE(part.size, (size + ranks - 1) / ranks);
                next += part.size;
            }
            EXPECT_EQ(next, size);
        }
    }
}

TEST(rank_plan, no_stage_sums_the_mode_along_which_it_is_cut)
{
    for (const char* transforms : {"xxx", "xx-", "x-x", "-xx", "x--", "-x-", "--x"}) {
        for (const auto& order :
             {std::array{1u, 2u, 3u}, {1u, 3u, 2u}, {2u, 1u, 3u}, {2u, 3u, 1u}, {3u, 1u, 2u}, {3u, 2u, 1u}}) {
            const auto plan = plan_ranks(job_of({7, 5, 6}, order, transforms), 2);
            unsigned exchanges = 0;
            for (std::size_t s = 0; s < plan.stages.size(); ++s) {
                EXPECT_NE(plan.stages[s].split, plan.stages[s].mode);
                exchanges += s > 0 && plan.stages[s].split != plan.stages[s - 1].split ? 1 : 0;
            }
            EXPECT_EQ(exchanges, plan.stages.size() == 3 ? 1u : 0u) << transforms;
        }
    }
}

TEST(rank_plan, the_longest_modes_are_cut)
{
    EXPECT_THAT(splits_of(job_of({8, 8, 8}, {3, 1, 2}, "xxx"), 4), testing::ElementsAre(2, 2, 1));
    EXPECT_THAT(splits_of(job_of({7, 5, 3}, {1, 2, 3}, "xxx"), 4), testing::ElementsAre(2, 1, 1));
    EXPECT_THAT(splits_of(job_of({7, 5, 3}, {3, 1, 2}, "--x"), 4), testing::ElementsAre(1));
}

TEST(rank_plan, an_exchange_is_made_where_a_mode_is_too_short_for_the_ranks)
{
    const auto job = job_of({8, 9, 2}, {1, 2, 3}, "xx-"); // mode 3 can be cut for both stages, in two
    EXPECT_THAT(splits_of(job, 2), testing::ElementsAre(3, 3));
    EXPECT_THAT(splits_of(job, 3), testing::ElementsAre(2, 1));
}

TEST(rank_plan, more_ranks_than_rows_are_refused)
{
    const auto job = job_of({7, 5, 3}, {3, 1, 2}, "xxx");
    EXPECT_EQ(plan_ranks(job, 5).rows(), 5u);
    EXPECT_EQ(message_of([&] { plan_ranks(job, 6); }),
              "--ranks: found 6, expected at most 5, the rows that can be shared");
}

} // namespace
} // namespace tensorloom::test
