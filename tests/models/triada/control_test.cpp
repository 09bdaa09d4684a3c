// What control and memory port take time for, by hand: rows of zeros that the control passes, and rows of the mesh that
// the port moves without an aligner.
#include <algorithm>
#include <string>
#include <vector>
#include <gtest/gtest.h>
#include "models/triada/random_case.h"
#include "models/triada/triada_bench.h"
#include "support/sim_test.h"

namespace {

using namespace tensorloom;
using namespace tensorloom::test;
using triada::event;
using command = triada::gemt_command;

// ---- look-ahead ----

// A product of 7 x 3 x 4 whose matrices have rows of ones ("1") and of zeros, in the order of the stages.
gemt_case<double> product_of_rows(const std::vector<std::string>& rows)
{
    gemt_case<double> g;
    g.order = {1, 2, 3};
    for (unsigned m = 0; m < 3; ++m) {
        g.shape[m] = g.out[m] = static_cast<std::uint32_t>(rows[m].size());
        for (const char row : rows[m]) {
            g.matrices[m].insert(g.matrices[m].end(), rows[m].size(), row == '1' ? 1 : 0);
        }
    }
    g.x.assign(g.volume(), 1);
    return g;
}

struct look_ahead_case {
    std::uint32_t look_ahead;
    std::uint64_t steps; // of three rows of ones and eleven of zeros
};

void PrintTo(const look_ahead_case& c, std::ostream* to) { *to << c.look_ahead; }

// Runs of 3 and 6 rows of zeros, the second of them in three stages, then 2 at the end.
class look_ahead : public sim_test_with_param<std::tuple<look_ahead_case, triada::fidelity>> {};

TEST_P(look_ahead, takes_a_time_step_for_each_view_of_zeros)
{
    const auto [test, fidelity] = GetParam();
    triada::config config;
    config.mesh = {7, 3, 4};
    config.look_ahead = test.look_ahead;
    config.fidelity = fidelity;
    config.step_cycles = 5;
    const auto g = product_of_rows({"1000100", "000", "0100"});
    gemt_outcome<double> o;
    triada_bench bench("bench", config, [&](triada_bench& b) { o = b.run(g); });
    run_to_end(bench);
    EXPECT_EQ(o.counts[event::step], test.steps);
    EXPECT_EQ(o.counts[event::step_skipped], 14 - test.steps);
    EXPECT_EQ(o.cycles_of("compute"), 5 * test.steps);
    EXPECT_EQ(o.counts[event::coefficient_read], 7u + 7 + 4);
    EXPECT_EQ(o.counts[event::mac] + o.counts[event::mac_skipped], 14u * 84);
    EXPECT_TRUE(same_bits(o.y, std::vector<double>(84)));
}

INSTANTIATE_TEST_SUITE_P(rows, look_ahead,
                         ::testing::Combine(::testing::Values(look_ahead_case{0, 3}, look_ahead_case{1, 3 + 3 + 6 + 1},
                                                              look_ahead_case{2, 3 + 1 + 3},
                                                              look_ahead_case{3, 3 + 1 + 2}, look_ahead_case{5, 3 + 1},
                                                              look_ahead_case{6, 3 + 1}, look_ahead_case{7, 3},
                                                              look_ahead_case{1u << 20, 3}),
                                            ::testing::Values(triada::fidelity::fast, triada::fidelity::detailed)));

class look_ahead_end : public sim_test {};

// The control sees the end of the rows in the time-step before it.
TEST_F(look_ahead_end, a_product_without_a_row_takes_one_view_less)
{
    triada::config config;
    config.mesh = {7, 3, 4};
    config.look_ahead = 7;
    const auto g = product_of_rows({"0000000", "000", "0000"});
    gemt_outcome<double> o;
    triada_bench bench("bench", config, [&](triada_bench& b) { o = b.run(g); });
    run_to_end(bench);
    EXPECT_EQ(o.counts[event::step], 1u);
    EXPECT_EQ(o.cycles_of("compute"), 3u);
}

TEST_F(look_ahead_end, a_dense_stream_sends_every_row)
{
    triada::config config;
    config.mesh = {7, 3, 4};
    config.look_ahead = 1;
    auto g = product_of_rows({"1000100", "000", "0100"});
    g.esop = false;
    gemt_outcome<double> o;
    triada_bench bench("bench", config, [&](triada_bench& b) { o = b.run(g); });
    run_to_end(bench);
    EXPECT_EQ(o.counts[event::step], 14u);
    EXPECT_EQ(o.counts[event::coefficient_read], 7u * 7 + 3 * 3 + 4 * 4);
}

// ---- memory port ----

/// A product and its cycles at the memory port, with an aligner and without.
struct port_case {
    const char* name;
    shape3 mesh, shape, out;
    bool initial;
    std::uint16_t layouts;
    std::uint64_t load[2], unload[2]; // without, with
};

void PrintTo(const port_case& c, std::ostream* to) { *to << c.name; }

class port_cycles : public sim_test_with_param<std::tuple<port_case, bool, triada::fidelity>> {};

// Three elements per cycle; the bus brings 32 of them.
TEST_P(port_cycles, are_those_of_elements_or_of_rows)
{
    const auto& [test, aligner, fidelity] = GetParam();
    triada::config config;
    config.mesh = test.mesh;
    config.format = base::element_type::bf16;
    config.load_elements = 3;
    config.port_aligner = aligner;
    config.fidelity = fidelity;
    config.dma.use_dmi = bus::dmi_use::on; // the SRAM grants it with the time of its beats
    case_maker maker(1);
    gemt_case<arithmetic::bfloat16> g;
    g.shape = test.shape;
    g.out = test.out;
    g.order = {1, 2, 3};
    g.layouts = test.layouts;
    g.x = maker.numbers<arithmetic::bfloat16>(g.volume(), case_maker::specials::none);
    if (test.initial) { g.initial.assign(g.result_volume(), 1); }
    for (unsigned m = 0; m < 3; ++m) {
        g.matrices[m] =
            maker.numbers<arithmetic::bfloat16>(std::size_t{g.shape[m]} * g.out[m], case_maker::specials::none);
    }
    gemt_outcome<arithmetic::bfloat16> o;
    triada_bench bench("bench", config, [&](triada_bench& b) { o = b.run(g); });
    run_to_end(bench);
    EXPECT_EQ(o.counts[event::load_cycle], test.load[aligner ? 1 : 0]);
    EXPECT_EQ(o.counts[event::unload_cycle], test.unload[aligner ? 1 : 0]);
    EXPECT_TRUE(same_bits(o.y, oracle_result(g, config.mesh)));
}

// Tiles: each stage loads and unloads each of eight blocks of 4 x 4 x 5, the load twice, for two results. A copy of X
// loads and stores two blocks of 4 x 4 x 10 at a time.
INSTANTIATE_TEST_SUITE_P(
    products, port_cycles,
    ::testing::Combine(::testing::Values(
                           port_case{"fits", {4, 3, 5}, {4, 3, 5}, {2, 3, 4}, false, 0, {12 * 2, 20}, {6 * 2, 8}},
                           port_case{
                               "initial", {4, 3, 5}, {4, 3, 5}, {2, 3, 4}, true, 0, {12 * 2 + 6 * 2, 28}, {6 * 2, 8}},
                           port_case{"tiles",
                                     {4, 4, 5},
                                     {8, 8, 10},
                                     {8, 8, 10},
                                     false,
                                     command::flag_x_tiles | command::flag_work_tiles | command::flag_y_tiles,
                                     {48 * 16 * 2, 48 * 27},
                                     {24 * 16 * 2, 24 * 27}},
                           port_case{"converted",
                                     {4, 4, 10},
                                     {8, 8, 20},
                                     {8, 8, 20},
                                     false,
                                     command::flag_convert_x | command::flag_work_tiles | command::flag_y_tiles,
                                     {48 * 16 * 4 + 4 * 16 * 8, 48 * 54 + 4 * 107},
                                     {24 * 16 * 4 + 4 * 16 * 8, 24 * 54 + 4 * 107}}),
                       ::testing::Bool(), ::testing::Values(triada::fidelity::fast, triada::fidelity::detailed)));

} // namespace
