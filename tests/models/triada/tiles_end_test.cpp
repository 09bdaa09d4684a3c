// How commands end whose products are larger than the mesh: with matrices kept, a completion word, a bus error, an
// overflow.
#include <cstdint>
#include <tuple>
#include <vector>
#include <gtest/gtest.h>
#include "models/triada/triada_bench.h"
#include "models/triada/mesh_config.h"
#include "models/triada/random_case.h"
#include "support/sim_test.h"

namespace {

using namespace tensorloom;
using namespace tensorloom::test;

class tiles_end : public sim_test {
protected:
    /// 5 x 6 x 7 on 3 x 3 x 3.
    static gemt_case<double> some_case(bool double_buffer)
    {
        case_maker maker(4);
        gemt_case<double> g;
        g.shape = {5, 6, 7};
        g.x = maker.numbers<double>(g.volume(), case_maker::specials::none);
        g.initial = maker.numbers<double>(g.volume(), case_maker::specials::none);
        for (unsigned m = 0; m < 3; ++m) {
            g.matrices[m] = maker.numbers<double>(std::size_t{g.shape[m]} * g.shape[m], case_maker::specials::none);
        }
        g.double_buffer = double_buffer;
        return g;
    }
};

TEST_F(tiles_end, kept_matrices_serve_tiled_and_untiled_products_alike)
{
    auto g = some_case(true);
    triada::config config = mesh_config({3, 3, 3}, base::element_type::f64);
    std::vector<double> y;
    isa::program_result result, without;
    triada_bench bench("bench", config, [&](triada_bench& b) {
        const auto first = b.place(g);
        auto again = first;
        again.flags |= triada::gemt_command::flag_keep_matrices;
        again.matrix = {};
        again.y.base = b.reserve(g.volume() * sizeof(double));
        result = b.run({first, again}).result;
        b.fetch(again, y, g.volume());
        again.y.size[2] = 6; // C3 is 7 x 7
        again.initial_y.size[2] = 6;
        without = b.run({again}).result;
    });
    run_to_end(bench);
    EXPECT_TRUE(result.done);
    EXPECT_TRUE(same_bits(y, oracle_result(g)));
    EXPECT_EQ(without.error, isa::error_code::not_resident);
}

TEST_F(tiles_end, one_matrix_may_be_kept_while_a_stage_with_another_runs)
{
    auto whole = some_case(false);
    auto one = whole; // loads C1 alone
    one.mask = 2;
    one.initial.clear();
    std::vector<double> y;
    isa::program_result result;
    triada_bench bench("bench", mesh_config({3, 3, 3}, base::element_type::f64), [&](triada_bench& b) {
        const auto first = b.place(whole);
        const auto y_of_one = b.reserve(one.volume() * sizeof(double));
        auto second = first;
        second.flags = triada::gemt_command::flag_esop;
        second.stage_mask = 2;
        second.initial_y = {};
        second.matrix[1] = second.matrix[2] = {};
        second.y.base = y_of_one;
        auto third = first;
        third.flags |= triada::gemt_command::flag_keep_matrices;
        third.matrix = {};
        result = b.run({first, second, third}).result;
        b.fetch(third, y, whole.volume());
    });
    run_to_end(bench);
    EXPECT_TRUE(result.done);
    EXPECT_TRUE(same_bits(y, oracle_result(whole)));
}

TEST_F(tiles_end, completion_word_comes_after_the_last_block)
{
    const auto g = some_case(true);
    std::uint32_t word = 0;
    std::vector<triada_row> rows;
    triada_bench bench("bench", mesh_config({3, 3, 3}, base::element_type::f64), [&](triada_bench& b) {
        auto c = b.place(g);
        c.flags |= triada::gemt_command::flag_completion;
        c.completion_address = b.reserve(16);
        rows = b.run({c}).rows;
        word = b.cpu().read_word(c.completion_address);
    });
    run_to_end(bench);
    EXPECT_EQ(word, 1u);
    EXPECT_EQ(rows.back().phase, "completion");
    EXPECT_EQ(rows.back().cause, "unload");
}

/// Where a bus error strikes, in both fidelities.
struct failing {
    triada_bench::outcome_type failed;
    gemt_outcome<double> next;
};

class tiles_bus_error : public sim_test_with_param<std::tuple<bool, int, int>> {};

TEST_P(tiles_bus_error, ends_the_command_in_the_same_way_in_both_fidelities)
{
    const auto [double_buffer, where, layout] = GetParam();
    using command = triada::gemt_command;
    constexpr std::uint16_t layouts[] = {0, command::flag_x_tiles | command::flag_y_tiles | command::flag_work_tiles,
                                         command::flag_convert_x | command::flag_convert_y | command::flag_work_tiles};
    case_maker maker(4);
    gemt_case<double> g;
    g.layouts = layouts[layout];
    g.partials = static_cast<unsigned>(layout);
    g.shape = {5, 6, 7};
    g.x = maker.numbers<double>(g.volume(), case_maker::specials::none);
    for (unsigned m = 0; m < 3; ++m) {
        g.matrices[m] = maker.numbers<double>(std::size_t{g.shape[m]} * g.shape[m], case_maker::specials::none);
    }
    g.double_buffer = double_buffer;
    const std::uint64_t end = testbench::memory_base + triada_bench::memory_bytes;
    failing sides[2];
    std::vector<std::unique_ptr<triada_bench>> benches;
    for (unsigned f = 0; f < 2; ++f) {
        auto config = mesh_config({3, 3, 3}, base::element_type::f64);
        config.fidelity = f == 0 ? triada::fidelity::fast : triada::fidelity::detailed;
        benches.push_back(std::make_unique<triada_bench>("bench_" + std::to_string(f), config, [&, f](triada_bench& b) {
            auto c = b.place(g);
            // All of it lies in memory but the last 40 or so elements.
            auto& tensor = where == 0 ? c.x : where == 1 ? c.workspace : c.y;
            tensor.base = end - (tensor.elements() - 40) * sizeof(double);
            sides[f].failed = b.run({c});
            sides[f].next = b.run(g);
        }));
    }
    sc_core::sc_start();
    for (unsigned f = 0; f < 2; ++f) {
        ASSERT_TRUE(benches[f]->finished());
        EXPECT_EQ(sides[f].failed.result.error, isa::error_code::bus_error);
        if (layout == 0) { EXPECT_EQ(sides[f].failed.result.error_address, end); }
        EXPECT_GE(sides[f].failed.result.error_address, end);
        EXPECT_TRUE(same_bits(sides[f].next.y, oracle_result(g)));
        EXPECT_EQ(sides[f].failed.logged_cycles(), sides[f].failed.result.cycles);
        if (layout == 0) { EXPECT_NE(sides[f].failed.rows.back().cause, "compute"); } // no pass began afterwards
    }
    EXPECT_EQ(sides[0].failed.result.cycles, sides[1].failed.result.cycles);
    EXPECT_TRUE(sides[0].failed.rows == sides[1].failed.rows);
}

INSTANTIATE_TEST_SUITE_P(places, tiles_bus_error,
                         ::testing::Combine(::testing::Bool(), ::testing::Values(0, 1, 2), ::testing::Values(0, 1, 2)));

// All of Y lies in memory but its last element.
TEST_F(tiles_end, elements_of_a_transfer_that_fails_do_not_count)
{
    gemt_case<double> g;
    g.shape = {2, 3, 4};
    g.x.assign(g.volume(), 1);
    for (unsigned m = 0; m < 3; ++m) { g.matrices[m].assign(std::size_t{g.shape[m]} * g.shape[m], 1); }
    triada_bench::outcome_type outcome;
    triada_bench bench("bench", mesh_config({4, 4, 4}, base::element_type::f64), [&](triada_bench& b) {
        auto c = b.place(g);
        c.y.base = testbench::memory_base + triada_bench::memory_bytes - (g.volume() - 1) * sizeof(double);
        outcome = b.run({c});
    });
    run_to_end(bench);
    EXPECT_EQ(outcome.result.error, isa::error_code::bus_error);
    EXPECT_EQ(outcome.window[triada::event::element_load], g.volume());
    EXPECT_EQ(outcome.window[triada::event::element_unload], 0u);
}

// ---- overflow ----

class accumulator_overflow : public sim_test_with_param<std::tuple<bool, bool, bool>> {};

TEST_P(accumulator_overflow, ends_the_command_before_the_result_is_written)
{
    const auto [tiled, double_buffer, detailed] = GetParam();
    gemt_case<std::int8_t> g;
    g.shape = {2, 3, 4};
    g.x.assign(g.volume(), 127);
    for (unsigned m = 0; m < 3; ++m) { g.matrices[m].assign(std::size_t{g.shape[m]} * g.shape[m], 127); }
    g.initial.assign(g.volume(), 0);
    g.initial.back() = INT32_MAX - 2 * 127 * 127; // three products of saturated operands are added
    g.double_buffer = double_buffer;
    g.sums_wanted = true;
    const std::vector<std::int32_t> untouched(g.volume(), 0x5a5a5a5a);
    auto config = mesh_config(tiled ? shape3{1, 2, 3} : g.shape, base::element_type::int8);
    config.fidelity = detailed ? triada::fidelity::detailed : triada::fidelity::fast;
    triada_bench::outcome_type failed;
    std::vector<std::int32_t> y;
    gemt_outcome<std::int8_t> next;
    triada_bench bench("bench", config, [&](triada_bench& b) {
        const auto c = b.place(g);
        b.cpu().write_block(c.y.base, untouched.data(), untouched.size() * sizeof(std::int32_t));
        failed = b.run({c});
        b.fetch(c, y, g.volume());
        g.initial.back() -= 127 * 127; // now they fit, just
        next = b.run(g);
    });
    run_to_end(bench);
    EXPECT_FALSE(failed.result.done);
    EXPECT_EQ(failed.result.error, isa::error_code::accumulator_overflow);
    EXPECT_EQ(failed.window[triada::event::mac_overflowed], 1u);
    EXPECT_EQ(y.back(), untouched.back());
    if (!tiled) { EXPECT_EQ(y, untouched); }
    EXPECT_TRUE(next.result.done);
    EXPECT_EQ(next.sums.back(), INT32_MAX);
    EXPECT_TRUE(same_bits(next.sums, oracle_result_sums(g)));
}

INSTANTIATE_TEST_SUITE_P(runs, accumulator_overflow,
                         ::testing::Combine(::testing::Bool(), ::testing::Bool(), ::testing::Bool()));

} // namespace
