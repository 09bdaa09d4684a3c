// What a contraction engine does with absent rows, results that nobody wants, an abort; and what it is not made for.
#include <cmath>
#include <cstring>
#include <limits>
#include <gtest/gtest.h>
#include "models/fetta/engine_case.h"
#include "support/sim_test.h"

namespace tensorloom::test {
namespace {

using base::element_type;
using fetta::contraction_engine;
using fetta::engine_dataflow;

class contraction_engine_test : public sim_test {
protected:
    static engine_case stationary(std::size_t tiles, std::size_t steps)
    {
        return {engine_dataflow::stationary_vertical, 4, element_type::f32, tiles, steps, tile_distance(steps, 4)};
    }
    static engine_case output_stationary(std::size_t tiles, std::size_t steps)
    {
        return {engine_dataflow::output_stationary, 4, element_type::f32, tiles, steps, tile_distance(steps, 4)};
    }
    static engine_case horizontal(std::size_t tiles, std::size_t steps)
    {
        engine_case c = stationary(tiles, steps);
        c.path = engine_dataflow::stationary_horizontal;
        return c;
    }
    // A command that is given up after this cycle.
    void run_until(std::int64_t stop, contraction_engine& engine, const engine_case& c)
    {
        struct stop_here {};
        engine_bench bench({&engine}, c.side);
        engine.configure(c.path);
        c.put(bench, c.random_tiles(m_random));
        EXPECT_THROW(bench.run([&](std::int64_t cycle) {
            if (cycle == stop) { throw stop_here{}; }
        }),
                     stop_here);
    }
    std::mt19937 m_random{29};
};

TEST_F(contraction_engine_test, a_step_that_leads_to_no_result_leaves_no_valid_row)
{
    contraction_engine engine("engine");
    const auto c = stationary(2, 6);
    auto tiles = c.random_tiles(m_random);
    tiles[0].valid = {true, false, true, true, false, true};
    tiles[1].valid = {false, false, true, false, true, false};
    auto expected = c.expected(tiles);
    for (const std::ptrdiff_t gone : {11, 9, 7, 6, 4, 1}) { expected.erase(expected.begin() + gone); }
    EXPECT_EQ(c.run(engine, tiles), expected);
}

TEST_F(contraction_engine_test, rows_of_a_tile_that_are_no_results_drain_as_invalid_ones)
{
    contraction_engine engine("engine");
    const auto c = output_stationary(3, 2);
    auto tiles = c.random_tiles(m_random);
    tiles[0].valid = {true, true, false, true}; // by row; row 3 drains first
    tiles[1].valid = {false, false, false, false};
    tiles[2].valid = {true, false, false, false};
    auto expected = c.expected(tiles);
    for (const std::ptrdiff_t gone : {10, 9, 8, 7, 6, 5, 4, 1}) { expected.erase(expected.begin() + gone); }
    EXPECT_EQ(c.run(engine, tiles), expected);
}

TEST_F(contraction_engine_test, an_absent_row_counts_as_zeros)
{
    contraction_engine engine("engine");
    for (const auto& c : {stationary(3, 5), output_stationary(3, 5)}) {
        auto tiles = c.random_tiles(m_random);
        auto with_zeros = tiles;
        for (const auto& [n, row] : {std::pair{0u, 1u}, {0u, 3u}, {1u, 0u}, {2u, 2u}}) {
            tiles[n].ia[row].clear();
            with_zeros[n].ia[row].assign(4, 0.0f);
        }
        for (const auto& [n, row] : {std::pair{0u, 0u}, {1u, 1u}, {1u, 2u}, {2u, 3u}}) {
            tiles[n].ib[row].clear();
            with_zeros[n].ib[row].assign(4, 0.0f);
        }
        EXPECT_EQ(c.run(engine, tiles), c.expected(with_zeros));
    }
}

// -2^-100 x 2^-100 rounds to -0, and -0 + 0 x 0 is +0.
TEST_F(contraction_engine_test, multiply_adds_with_zeros_are_executed)
{
    contraction_engine engine("engine");
    const float small = std::ldexp(1.0f, -100);
    engine_tile tile{{{0, 0, 0, -small}, {-small, 0, 0, 0}}, {{small}, {0}, {0}, {small}}, {}};
    for (auto& row : tile.ib) { row.resize(4, row[0]); }
    const auto outputs = stationary(1, 2).run(engine, {tile});
    EXPECT_TRUE(std::signbit(outputs[0].row[0])) << "the last multiply-add of the column rounds to -0";
    EXPECT_FALSE(std::signbit(outputs[1].row[0])) << "and the first one is followed by three with zeros";
}

TEST_F(contraction_engine_test, a_sum_that_is_not_a_number_is_the_canonical_one)
{
    contraction_engine f32("f32");
    contraction_engine bf16("bf16", {4, element_type::bf16});
    const float infinity = std::numeric_limits<float>::infinity();
    const engine_tile tile{{{0, 1, -1, 0}}, {{1, 1, 1, 1}, {infinity, 1, 1, 1}, {infinity, 1, 1, 1}, {1, 1, 1, 1}}, {}};
    for (auto* engine : {&f32, &bf16}) {
        const auto outputs = stationary(1, 1).run(*engine, {tile});
        std::uint32_t bits = 0;
        std::memcpy(&bits, outputs[0].row.data(), sizeof bits);
        EXPECT_EQ(bits, 0x7fc00000u);
        EXPECT_EQ(outputs[0].row[1], 0.0f);
    }
}

TEST_F(contraction_engine_test, registers_change_at_the_end_of_a_cycle)
{
    contraction_engine engine("engine", {2});
    engine.configure(engine_dataflow::output_stationary);
    const float ia[] = {3, 5};
    const float ib[] = {7, 11};
    const auto cycle = [&](const fetta::engine_control& control) {
        engine.evaluate(control, {ia, ib, 3});
        engine.commit();
    };
    cycle({true, true});
    cycle({false, false, false, false, true}); // row 1 multiplies, row 0 finishes
    ASSERT_FALSE(engine.result().valid);
    cycle({});
    ASSERT_TRUE(engine.result().valid);
    EXPECT_EQ(engine.result().row[1], 55.0f);
    engine.evaluate({}, {});
    ASSERT_TRUE(engine.result().valid);
    EXPECT_EQ(engine.result().row[1], 55.0f);
    engine.commit();
    ASSERT_TRUE(engine.result().valid);
    EXPECT_EQ(engine.result().row[1], 33.0f);
    cycle({});
    EXPECT_FALSE(engine.result().valid);
}

TEST_F(contraction_engine_test, nothing_of_a_stopped_command_reaches_the_next_one)
{
    contraction_engine engine("engine");
    for (const auto& stopped : {stationary(3, 5), horizontal(3, 5), output_stationary(3, 5)}) {
        for (const auto& next : {stationary(2, 3), horizontal(2, 3), output_stationary(2, 3)}) {
            for (std::int64_t stop = 0; stop < stopped.cycles(); ++stop) {
                run_until(stop, engine, stopped);
                const auto wanted = next.random_tiles(m_random);
                ASSERT_EQ(next.run(engine, wanted), next.expected(wanted)) << "stopped after cycle " << stop;
            }
        }
    }
}

TEST_F(contraction_engine_test, an_engine_that_is_configured_is_empty)
{
    contraction_engine engine("engine");
    const auto& shown = engine.watch();
    for (const auto& stopped : {stationary(3, 4), horizontal(3, 4), output_stationary(3, 4)}) {
        for (std::int64_t stop = 0; stop < stopped.cycles(); ++stop) {
            run_until(stop, engine, stopped);
            engine.configure(stopped.path);
            EXPECT_FALSE(engine.result().valid);
            for (int idle = 0; idle < 4; ++idle) {
                engine.evaluate({}, {});
                engine.commit();
                ASSERT_EQ(shown.steps | shown.starts | shown.loads | shown.drains, 0u)
                    << "stopped after cycle " << stop;
                ASSERT_FALSE(shown.valid);
            }
        }
    }
}

TEST_F(contraction_engine_test, a_pe_multiplies_once_per_step)
{
    contraction_engine engine("engine");
    const auto first = stationary(3, 5);
    first.run(engine, first.random_tiles(m_random));
    EXPECT_EQ(engine.multiply_adds(), 3u * 5 * 16);
    const auto second = output_stationary(2, 7);
    second.run(engine, second.random_tiles(m_random));
    EXPECT_EQ(engine.multiply_adds(), 3u * 5 * 16 + 2 * 7 * 16);
}

TEST_F(contraction_engine_test, an_impossible_side_psum_or_latency_is_an_error)
{
    expected_report report("/tensorloom/contraction_engine/config");
    EXPECT_THROW(contraction_engine("three", {3}), sc_core::sc_report);
    EXPECT_THROW(contraction_engine("double", {4, element_type::f64}), sc_core::sc_report);
    EXPECT_THROW(
        contraction_engine("at_once", {4, element_type::f32, true, blocks::fidelity::detailed, element_type::f32, 0}),
        sc_core::sc_report);
    EXPECT_THROW(contraction_engine("late_shifts",
                                    {4, element_type::f32, false, blocks::fidelity::detailed, element_type::f32, 2}),
                 sc_core::sc_report);
    EXPECT_EQ(report.count(), 4u);
}

} // namespace
} // namespace tensorloom::test
