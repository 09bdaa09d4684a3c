// Times of CONTRACT: the closed form against a walk over the tiles, which says of every one when it starts and why.
#include <algorithm>
#include <numeric>
#include <vector>
#include <gtest/gtest.h>
#include <tensorloom/models/fetta/isa/schedule.h>
#include "random_contraction.h"

namespace tensorloom::test {
namespace {

using namespace fetta;

std::uint64_t up(std::uint64_t a, std::uint64_t b) { return a / b + (a % b != 0 ? 1 : 0); }
unsigned ones(std::uint32_t mask) { return static_cast<unsigned>(__builtin_popcount(mask)); }
std::uint64_t group_parts(std::uint32_t mask) { return std::uint64_t{1} << ones(mask); }

/// Steps of the pieces, taken off the stream one after the other.
std::vector<std::uint64_t> cut(std::uint64_t steps, std::uint64_t most, std::uint64_t least)
{
    std::vector<std::uint64_t> pieces;
    while (steps > most) {
        const std::uint64_t left = steps - most;
        const std::uint64_t piece = left < least ? most - (least - left) : most;
        pieces.push_back(piece);
        steps -= piece;
    }
    pieces.push_back(steps);
    return pieces;
}

struct walked {
    std::uint64_t tiles = 0, compute = 0, gaps = 0, cycles = 0;
};

/// Every tile of the command in its order. The unit is busy from the first row of IB to the last row of the result.
walked walk(const contract_command& c, const device_limits& g)
{
    const std::uint64_t p = g.side, mac = g.mac_latency;
    unsigned levels = 0;
    for (std::uint32_t n = g.engines; n > 1; n /= 2) { ++levels; }
    const bool whole = (c.flags & (contract_command::flag_accumulate | contract_command::flag_keep)) != 0;
    std::vector<std::uint64_t> steps; // of each tile
    const std::uint64_t gts = up(c.batch, group_parts(c.mask_batch));
    const std::uint64_t fts = up(c.ib_free, group_parts(c.mask_ib) * p);
    if (c.mapping >= 4) {
        const std::uint64_t rts = up(c.ia_free, group_parts(c.mask_ia) * p);
        steps.assign(gts * fts * rts, up(c.contracted, group_parts(c.mask_contracted)));
    } else {
        const std::uint64_t stream = up(c.ia_free, group_parts(c.mask_ia));
        const std::uint64_t kts = up(c.contracted, group_parts(c.mask_contracted) * p);
        const std::uint64_t rows = g.accumulator_bank_bytes / (p * (g.psum == base::element_type::bf16 ? 2 : 4));
        for (std::uint64_t i = 0; i < gts * fts; ++i) {
            for (const std::uint64_t t : cut(stream, whole ? stream : rows, p)) { steps.insert(steps.end(), kts, t); }
        }
    }
    walked w;
    w.tiles = steps.size();
    std::uint64_t now = c.mapping >= 4 ? 0 : p; // stationary: the first IB comes in first
    for (std::size_t i = 0; i < steps.size(); ++i) {
        w.compute += steps[i];
        std::uint64_t busy = steps[i]; // until the next tile may start
        if (c.mapping >= 4) { busy = mac * (steps[i] - 1) + (i + 1 < steps.size() ? mac : 1); } // sums come back
        if (i + 1 < steps.size()) { busy = std::max(busy, p); } // the shadow registers are not full, or not empty
        w.gaps += busy - steps[i];
        now += busy;
    }
    // The last sums: the rest of their last multiply-add and the rows below, or a multiply-add in every row; the
    // reduction network, the accumulator.
    now += (c.mapping >= 4 ? mac - 1 + p - 1 : mac * p - 1) + levels + 1;
    if (c.mapping >= 4) { now += p; } // the sums of the last tile leave row by row
    w.cycles = now;
    return w;
}

TEST(fetta_schedule, closed_form_is_the_walk_over_all_tiles)
{
    random_contraction random(3);
    unsigned with_gaps = 0, several_pieces = 0;
    for (int i = 0; i < 3000; ++i) {
        device_limits g = random.device();
        if (i % 3 == 2) { g.mac_latency = i % 2 == 0 ? 3 : 7; }
        contract_command c = random.sizes(g, i % 7 == 0 ? 3000 : 40);
        if (i % 5 == 0) { c.flags = random.coin() ? contract_command::flag_keep : contract_command::flag_accumulate; }
        const walked w = walk(c, g);
        const contract_loops l = loops_of(c, g);
        const contract_cycles cycles = ideal_cycles(c, g);
        ASSERT_EQ(l.tiles(), w.tiles);
        ASSERT_EQ(cycles.total(), w.cycles) << i;
        ASSERT_EQ(cycles.compute, w.compute);
        ASSERT_EQ(c.mapping >= 4 ? cycles.psum : cycles.reload, w.gaps + (c.mapping >= 4 ? g.side : 0));
        ASSERT_EQ(c.mapping >= 4 ? cycles.reload : cycles.psum, 0u);
        with_gaps += w.gaps != 0;
        several_pieces += l.pieces.size() > 1;
    }
    EXPECT_GT(with_gaps, 100u);
    EXPECT_GT(several_pieces, 20u);
}

TEST(fetta_schedule, formulas_of_the_paper_model_at_its_geometry)
{
    const device_limits g;
    contract_command c; // 16 engines: g_b = 1, g_k = 4, g_a = 2, g_i = 2
    c.mask_contracted = 3;
    c.mask_ia = 4;
    c.mask_ib = 8;
    c.batch = 3;
    c.contracted = 70;
    c.ia_free = 50;
    c.ib_free = 33;
    const std::uint64_t tiles = 3 * 5 * 5, t = 25; // ceil(70/16), ceil(33/8), ceil(50/2)
    EXPECT_EQ(ideal_cycles(c, g).total(), (tiles - 1) * t + t + 4 + 0 + 3 + 4 + 1);
    c.mapping = static_cast<std::uint32_t>(mapping::os_1);
    const std::uint64_t os_tiles = 3 * 7 * 5, k = 18; // ceil(50/8), ceil(33/8), ceil(70/4)
    EXPECT_EQ(ideal_cycles(c, g).total(), (os_tiles - 1) * k + k + 3 + 0 + 4 + 4 + 1);
    c.contracted = 7; // 2 steps: the drain of 4 decides
    EXPECT_EQ(ideal_cycles(c, g).total(), (os_tiles - 1) * 4 + 2 + 3 + 0 + 4 + 4 + 1);
}

TEST(fetta_schedule, latency_of_the_reduction_network_is_its_levels)
{
    device_limits g;
    for (const auto& [engines, levels] : {std::pair{4u, 2u}, {16u, 4u}, {64u, 6u}}) {
        g.engines = engines;
        EXPECT_EQ(latency_of(g).distribution, 0u);
        EXPECT_EQ(latency_of(g).reduction, levels);
        EXPECT_EQ(latency_of(g).accumulation, 1u);
    }
}

TEST(fetta_schedule, next_tile_waits_for_a_load_or_a_drain)
{
    const device_limits g;
    for (const auto how : {mapping::ws_v, mapping::os_1}) {
        EXPECT_EQ(cycles_to_next_tile(how, 1, g), 4u);
        EXPECT_EQ(cycles_to_next_tile(how, 4, g), 4u);
        EXPECT_EQ(cycles_to_next_tile(how, 5, g), 5u);
    }
}

// One tile of every mapping on the paper's device: 16 engines of 4 x 4, a multiply-add of 3 cycles, 6 steps.
TEST(fetta_schedule, one_tile_with_multiply_adds_of_three_cycles)
{
    device_limits g;
    g.mac_latency = 3;
    contract_command c;
    c.mask_batch = 15;
    for (std::uint32_t how = 0; how < mapping_count; ++how) {
        c.mapping = how;
        const bool os = is_output_stationary(c.mapped());
        c.contracted = os ? 6 : 1;
        c.ia_free = os ? 1 : 6;
        const contract_cycles cycles = ideal_cycles(c, g);
        EXPECT_EQ(cycles.compute, 6u);
        if (os) {
            // 18 cycles of steps, 3 of the rows below, 4 of the drain, 4 of the reduction, 1 of the accumulator
            EXPECT_EQ(cycles.total(), 30u);
            EXPECT_EQ(cycles.fill, 10u);
            EXPECT_EQ(cycles.psum, 14u); // between the steps 5 times 2, and the drain
        } else {
            // 4 of the load, 6 of steps, 11 until the last step has passed the column, 4 and 1
            EXPECT_EQ(cycles.total(), 26u);
            EXPECT_EQ(cycles.fill, 20u);
            EXPECT_EQ(cycles.psum, 0u);
        }
        EXPECT_EQ(cycles.reload, 0u);
    }
    EXPECT_EQ(cycles_to_next_tile(mapping::is_h, 5, g), 5u);
    EXPECT_EQ(cycles_to_next_tile(mapping::os_2, 1, g), 4u);
    EXPECT_EQ(cycles_to_next_tile(mapping::os_2, 2, g), 6u);
}

TEST(fetta_pieces, are_cut_off_one_after_the_other)
{
    for (const std::uint64_t least : {1u, 2u, 4u, 16u}) {
        for (std::uint64_t most = least; most < 3 * least + 3; ++most) {
            for (std::uint64_t steps = 1; steps < 5 * most; ++steps) {
                const auto expected = cut(steps, most, least);
                const stream_pieces pieces(steps, most, least);
                ASSERT_EQ(pieces.size(), expected.size()) << steps << " " << most << " " << least;
                std::uint64_t first = 0;
                for (std::size_t i = 0; i < expected.size(); ++i) {
                    ASSERT_EQ(pieces[i], expected[i]) << steps << " " << most << " " << least << " " << i;
                    ASSERT_EQ(pieces.first(i), first);
                    first += expected[i];
                }
                ASSERT_EQ(first, steps);
            }
        }
    }
}

TEST(fetta_pieces, are_no_longer_than_the_accumulators_and_no_remainder_is_shorter_than_a_load)
{
    const device_limits g; // 512 rows
    contract_command c;
    c.mask_contracted = 15;
    for (std::uint32_t steps = 1; steps < 2100; ++steps) {
        c.ia_free = steps;
        const auto pieces = loops_of(c, g).pieces;
        std::uint64_t sum = 0;
        for (std::uint64_t i = 0; i < pieces.size(); ++i) {
            ASSERT_LE(pieces[i], 512u);
            ASSERT_GE(pieces[i], std::min<std::uint64_t>(steps, 4));
            sum += pieces[i];
        }
        ASSERT_EQ(sum, steps);
        ASSERT_EQ(pieces.size(), up(steps, 512));
    }
}

} // namespace
} // namespace tensorloom::test
