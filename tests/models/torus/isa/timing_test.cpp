#include <tensorloom/models/torus/isa/timing.h>
#include <gtest/gtest.h>
#include "models/torus/isa/golden_torus.h"

namespace tensorloom::test {
namespace {

using namespace torus;

std::uint64_t transform_cycles(direction way, std::uint32_t side, const block_sizes& sizes,
                               const timing_parameters& timing)
{
    std::uint64_t sum = 0;
    for (const auto& stage : stages_of(way, {}, side)) { sum += stage_cycles(stage, sizes, timing); }
    return sum;
}

TEST(torus_timing, golden_cycles)
{
    const auto table = golden_torus("timing");
    ASSERT_EQ(table.size(), 40u);
    for (const auto& row : table) {
        const std::uint32_t side = row[0];
        const auto sizes = cubic_blocks(row[1]);
        timing_parameters timing{row[2], row[3], row[4], row[5], overlap_kind::none, 0};
        if (row[6].is_number()) {
            timing.overlap = overlap_kind::sliced;
            timing.slices = row[6];
        } else if (row[6] == "operand") {
            timing.overlap = overlap_kind::operand;
        }
        for (const auto way : {direction::forward, direction::inverse}) {
            const std::size_t column = way == direction::forward ? 7 : 9;
            const auto stages = stages_of(way, {}, side);
            for (std::size_t s = 0; s < stages.size(); ++s) {
                EXPECT_EQ(stage_cycles(stages[s], sizes, timing), row[column][s]) << row << " stage " << s;
            }
            EXPECT_EQ(transform_cycles(way, side, sizes, timing), row[column + 1]) << row;
        }
    }
}

// The claim that movement is hidden: not by operands alone, nearly by slices. Ideal: 3 P b^4 / M.
TEST(torus_timing, what_hides_movement)
{
    timing_parameters timing{1, 4, 1, 2, overlap_kind::none, 0};
    const auto cycles = [&](overlap_kind overlap) {
        timing.overlap = overlap;
        return transform_cycles(direction::forward, 8, cubic_blocks(8), timing);
    };
    const std::uint64_t ideal = 3 * 8 * 8 * 8 * 8 * 8;
    EXPECT_EQ(cycles(overlap_kind::none), 110'712u);
    EXPECT_EQ(cycles(overlap_kind::operand), 110'712u);
    EXPECT_EQ(cycles(overlap_kind::sliced), 98'511u);
    EXPECT_EQ(ideal, 98'304u);
}

TEST(torus_timing, slices_that_keep_multipliers_busy)
{
    timing_parameters timing{1, 4, 1, 1, overlap_kind::sliced, 0};
    const auto stage = stages_of(direction::forward, {}, 4)[0];
    EXPECT_EQ(slices_of(stage, cubic_blocks(8), timing), 8u);
    EXPECT_EQ(slices_of(stage, cubic_blocks(1), timing), 1u);
    timing.macs_per_cycle = 64; // 512 sums: slices of 64 and more in 4 cycles
    EXPECT_EQ(slices_of(stage, cubic_blocks(8), timing), 2u);
    timing.slices = 16; // as many as there are planes
    EXPECT_EQ(slices_of(stage, cubic_blocks(8), timing), 8u);
    timing.overlap = overlap_kind::operand;
    EXPECT_EQ(slices_of(stage, cubic_blocks(8), timing), 1u);
}

TEST(torus_timing, links_fold)
{
    EXPECT_EQ(longest_link(1, false), 0u);
    EXPECT_EQ(longest_link(2, true), 1u);
    EXPECT_EQ(longest_link(8, false), 7u);
    EXPECT_EQ(longest_link(8, true), 2u);
    EXPECT_EQ(hop_cycles(8, false, 0.5), 4u);
    EXPECT_EQ(hop_cycles(8, true, 0.25), 1u);
    EXPECT_EQ(hop_cycles(1, false, 3), 1u);
}

} // namespace
} // namespace tensorloom::test
