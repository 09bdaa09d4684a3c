// When results leave a contraction engine and what they are, tile after tile, with the enables of its rows and without.
#include <ostream>
#include <string>
#include <gtest/gtest.h>
#include "models/fetta/engine_case.h"
#include "support/sim_test.h"

namespace tensorloom::test {
namespace {

using base::element_type;
using fetta::engine_dataflow;

struct path_and_psum {
    engine_dataflow path;
    element_type psum;

    friend std::ostream& operator<<(std::ostream& out, const path_and_psum& p)
    {
        constexpr const char* names[] = {"vertical", "horizontal", "output_stationary"};
        return out << names[static_cast<unsigned>(p.path)] << (p.psum == element_type::f32 ? "_f32" : "_bf16");
    }
};

constexpr path_and_psum every_path[] = {
    {engine_dataflow::stationary_vertical, element_type::f32},
    {engine_dataflow::stationary_vertical, element_type::bf16},
    {engine_dataflow::stationary_horizontal, element_type::f32},
    {engine_dataflow::stationary_horizontal, element_type::bf16},
    {engine_dataflow::output_stationary, element_type::f32},
    {engine_dataflow::output_stationary, element_type::bf16},
};

class contraction_engine_timing : public sim_test_with_param<path_and_psum> {
protected:
    void expect_schedule(fetta::contraction_engine& engine, const engine_case& c)
    {
        const auto tiles = c.random_tiles(m_random);
        const auto outputs = c.run(engine, tiles);
        ASSERT_EQ(outputs.size(), c.tiles * (c.is_output_stationary() ? c.side : c.steps));
        EXPECT_EQ(outputs, c.expected(tiles)) << c.tiles << " tiles of " << c.steps << " steps, side " << c.side;
        EXPECT_EQ(outputs.back().cycle + 1, c.cycles());
    }
    fetta::contraction_engine_config settings(unsigned side, bool enables = true) const
    {
        return {side, GetParam().psum, enables};
    }
    engine_case of(unsigned side, std::size_t tiles, std::size_t steps, std::int64_t apart) const
    {
        return {GetParam().path, side, GetParam().psum, tiles, steps, apart};
    }
    std::mt19937 m_random{17};
};

TEST_P(contraction_engine_timing, tiles_of_a_4x4_engine_follow_each_other_after_4_cycles_or_their_steps)
{
    fetta::contraction_engine engine("engine", settings(4));
    for (std::size_t tiles = 1; tiles <= 8; ++tiles) {
        for (std::size_t steps = 1; steps <= 9; ++steps) {
            expect_schedule(engine, of(4, tiles, steps, tile_distance(steps, 4)));
        }
    }
}

TEST_P(contraction_engine_timing, other_sides_follow_the_same_formulas)
{
    for (const unsigned side : {2u, 8u, 16u}) {
        const std::string name = "engine" + std::to_string(side);
        fetta::contraction_engine engine(name.c_str(), settings(side));
        for (const std::size_t steps : {1u, 2u, 3u, 7u, 8u, 15u, 16u, 17u, 40u}) {
            expect_schedule(engine, of(side, 3, steps, tile_distance(steps, side)));
        }
    }
}

TEST_P(contraction_engine_timing, tiles_further_apart_than_they_must_be_are_right_too)
{
    fetta::contraction_engine engine("engine", settings(4));
    for (std::int64_t apart = 4; apart <= 20; ++apart) { expect_schedule(engine, of(4, 4, 3, apart)); }
}

TEST_P(contraction_engine_timing, sums_pass_a_row_or_return_to_their_pe_in_the_cycles_of_a_multiply_add)
{
    for (const unsigned latency : {2u, 3u, 7u, 64u}) {
        for (const unsigned side : {2u, 4u, 16u}) {
            const std::string name = "engine" + std::to_string(side) + "_" + std::to_string(latency);
            auto config = settings(side);
            config.mac_latency = latency;
            fetta::contraction_engine engine(name.c_str(), config);
            for (const std::size_t steps : {1u, 2u, 5u, 16u, 17u}) {
                auto c = of(side, 4, steps, 0);
                c.latency = latency;
                c.apart = tile_distance(c.is_output_stationary() ? latency * steps : steps, side);
                expect_schedule(engine, c);
                c.apart += 5;
                expect_schedule(engine, c);
            }
        }
    }
}

// A step that comes too early adds to the sums of the step before the last one.
TEST_P(contraction_engine_timing, steps_closer_than_a_multiply_add_lose_products_of_output_stationary_sums)
{
    auto config = settings(4);
    config.mac_latency = 3;
    fetta::contraction_engine engine("engine", config);
    auto c = of(4, 1, 6, 6);
    const auto tiles = c.random_tiles(m_random);
    const auto early = c.run(engine, tiles);
    c.latency = 3;
    const auto expected = c.expected(tiles);
    ASSERT_EQ(early.size(), expected.size());
    for (std::size_t n = 0; n < early.size(); ++n) {
        EXPECT_EQ(early[n].row == expected[n].row, !c.is_output_stationary()) << n;
    }
}

TEST_P(contraction_engine_timing, tiles_of_different_lengths_follow_each_other)
{
    fetta::contraction_engine engine("engine", settings(4));
    for (int trial = 0; trial < 50; ++trial) {
        engine_bench bench({&engine}, 4);
        engine.configure(GetParam().path);
        std::vector<engine_output> expected;
        std::int64_t ended = 0; // the cycle after the last step of the tile before
        std::int64_t free = 0;  // of a stationary engine: a tile may start; OS: one may finish
        for (int n = 0; n < 6; ++n) {
            auto tile = of(4, 1, 1 + m_random() % 9, 0);
            const auto steps = static_cast<std::int64_t>(tile.steps);
            tile.later = std::max(ended, tile.is_output_stationary() ? free - steps : free);
            ended = tile.later + steps;
            free = (tile.is_output_stationary() ? ended : tile.later) + 4;
            const auto rows = tile.random_tiles(m_random);
            tile.put(bench, rows);
            const auto outputs = tile.expected(rows);
            expected.insert(expected.end(), outputs.begin(), outputs.end());
        }
        ASSERT_EQ(bench.run()[0], expected) << trial;
    }
}

TEST_P(contraction_engine_timing, without_enables_tiles_less_than_7_cycles_apart_are_wrong)
{
    fetta::contraction_engine engine("engine", settings(4, false));
    for (std::size_t steps = 1; steps <= 9; ++steps) {
        for (std::int64_t apart = tile_distance(steps, 4); apart <= 9; ++apart) {
            const auto c = of(4, 3, steps, apart);
            const auto tiles = c.random_tiles(m_random);
            const auto outputs = c.run(engine, tiles);
            const auto expected = c.expected(tiles);
            if (apart >= 7) {
                EXPECT_EQ(outputs, expected) << steps << " steps, " << apart << " apart";
            } else {
                EXPECT_NE(outputs, expected) << steps << " steps, " << apart << " apart";
            }
        }
    }
}

TEST_P(contraction_engine_timing, without_enables_the_distance_grows_to_twice_the_side_less_1)
{
    fetta::contraction_engine engine("engine", settings(8, false));
    for (std::int64_t apart = 8; apart <= 16; ++apart) {
        const auto c = of(8, 2, 5, apart);
        const auto tiles = c.random_tiles(m_random);
        EXPECT_EQ(c.run(engine, tiles) == c.expected(tiles), apart >= 15) << apart;
    }
}

INSTANTIATE_TEST_SUITE_P(paths, contraction_engine_timing, ::testing::ValuesIn(every_path),
                         ::testing::PrintToStringParamName());

} // namespace
} // namespace tensorloom::test
