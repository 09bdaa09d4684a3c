#include <tensorloom/models/torus/isa/timing.h>
#include <algorithm>
#include <random>
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
    EXPECT_EQ(cycles(overlap_kind::shared), 98'376u); // 24 steps of 4096 + 3 cycles
    timing.sync_cycles = 10;
    EXPECT_EQ(cycles(overlap_kind::shared), 98'376u + 24 * 10);
    EXPECT_EQ(ideal, 98'304u);
}

// When the next node can begin a step, from the definition: every sum is done mac_latency cycles after its last term
// has begun, its words cross the link in order, at most W in a cycle, and it must be there before the next node begins
// its first term of that sum.
std::uint64_t shared_step(std::uint64_t sums, std::uint64_t depth, std::uint64_t words_of_sum, std::uint64_t operand,
                          const timing_parameters& t)
{
    std::uint64_t begun = 0, last_round = 0, links_free = 0, used = 0, start = 0; // cycles; words in the last one
    const std::uint64_t round = (sums + t.macs_per_cycle - 1) / t.macs_per_cycle;
    for (std::uint64_t d = 1; d < depth; ++d) { last_round += round < t.mac_latency ? t.mac_latency : round; }
    for (std::uint64_t sum = 0; sum < sums; ++sum) {
        begun = last_round + sum / t.macs_per_cycle;
        const std::uint64_t done = begun + t.mac_latency;
        for (std::uint64_t w = 0; w < words_of_sum; ++w) {
            if (done > links_free || used == t.words_per_cycle) {
                links_free = done > links_free ? done : links_free + 1;
                used = 0;
            }
            ++used;
        }
        const std::uint64_t there = links_free + 1 + t.hop_cycles, needed = sum / t.macs_per_cycle;
        if (there > needed) { start = std::max(start, there - needed); }
        start = std::max(start, done); // nodes begin a step when all have ended the one before
    }
    const std::uint64_t rolled =
        operand == 0 ? 0 : (operand + t.words_per_cycle - 1) / t.words_per_cycle + t.hop_cycles;
    return std::max(start, rolled) + t.sync_cycles;
}

TEST(torus_timing, shared_sums_wait_for_their_words_and_no_longer)
{
    std::mt19937 random(8);
    const auto any = [&](std::uint32_t most) { return static_cast<std::uint32_t>(1 + random() % most); };
    unsigned hidden = 0, waited = 0;
    for (unsigned i = 0; i < 4000; ++i) {
        timing_parameters timing{any(9), any(6), any(7), any(5), overlap_kind::shared, 0};
        timing.sync_cycles = any(3) - 1;
        const block_sizes sizes{{any(5), any(5), any(5)}, {any(5), any(5), any(5)}};
        const std::uint64_t words_of_sum = any(2);
        const auto way = i % 2 == 0 ? direction::forward : direction::inverse;
        for (const auto& stage : stages_of(way, {}, 3)) {
            const auto profile = profile_of(stage, sizes, words_of_sum);
            if (profile.accumulator == 0) { // as with `operand`: sums stay
                auto rolling = timing;
                rolling.overlap = overlap_kind::operand;
                EXPECT_EQ(step_ends(profile, 3, timing), step_ends(profile, 3, rolling));
                continue;
            }
            const auto step =
                shared_step(profile.sums, profile.depth, words_of_sum, profile.operands.at(0).words, timing);
            EXPECT_EQ(step_ends(profile, 3, timing), (std::vector<std::uint64_t>{step, 2 * step, 3 * step}));
            (step - timing.sync_cycles == step_compute_cycles(profile, timing) ? hidden : waited) += 1;
        }
    }
    EXPECT_GT(hidden, 1000u);
    EXPECT_GT(waited, 1000u);
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
