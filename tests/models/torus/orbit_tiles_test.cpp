// Transforms larger than the torus: their bits are those of sums in tiles, which come in ascending order, in each tile
// blocks in the order of the schedule; passes, transfers and counts are those of section 7 of the specification. With
// double buffering all of that is the same, and the time is that of a simulation of port and passes written apart.
#include <gtest/gtest.h>
#include <tensorloom/models/arithmetic/mac.h>
#include "models/torus/orbit_bench.h"
#include "models/torus/summed_block.h"
#include "support/sim_test.h"

namespace tensorloom::test {
namespace {

using torus::event;

/// A case in tiles of P blocks of these sizes, element by element.
template <class T> std::vector<T> tiled_transform(const orbital_case<T>& c, const torus::block_sizes& blocks)
{
    const auto& p = c.problem;
    const bool back = p.way == direction::inverse;
    const std::array<unsigned, 3> mode{p.order[1] - 1, p.order[2] - 1, p.order[0] - 1}; // by role
    shape3 size = back ? c.k : c.n, block = back ? blocks.out_block : blocks.in_block;
    std::vector<T> values = c.input.data;
    for (unsigned stage = 0; stage < 3; ++stage) {
        const unsigned role = back ? std::array{1u, 0u, 2u}[stage] : std::array{2u, 0u, 1u}[stage];
        const unsigned m = mode[role];
        const std::uint32_t summed = size[m], depth = block[m], tile = depth * p.side;
        const shape3 from = size;
        size[m] = back ? c.n[m] : c.k[m];
        block[m] = back ? blocks.in_block[m] : blocks.out_block[m];
        std::vector<T> next;
        shape3 at{};
        for (at[0] = 0; at[0] < size[0]; ++at[0]) {
            for (at[1] = 0; at[1] < size[1]; ++at[1]) {
                for (at[2] = 0; at[2] < size[2]; ++at[2]) {
                    std::array<std::int64_t, 3> place{};
                    for (unsigned r = 0; r < 3; ++r) { place[r] = at[mode[r]] / block[mode[r]] % p.side; }
                    arithmetic::accumulator_of<T> sum{};
                    if (stage == 2 && p.initial != nullptr) {
                        sum = p.initial->data[(std::size_t{at[0]} * size[1] + at[1]) * size[2] + at[2]];
                    }
                    for (std::uint32_t first = 0; first < summed; first += tile) {
                        for (std::int64_t t = 0; t < p.side; ++t) {
                            const std::int64_t side = p.side;
                            const auto b = (summed_block(p.way, stage, p.vector, place, t) % side + side) % side;
                            for (std::uint32_t j = 0; j < depth; ++j) {
                                const std::uint32_t n = first + static_cast<std::uint32_t>(b) * depth + j;
                                shape3 x = at;
                                x[m] = n;
                                const bool inside = n < summed;
                                T coefficient{};
                                if (inside && back) {
                                    coefficient = c.matrices[m][std::size_t{at[m]} * summed + n];
                                    if constexpr (arithmetic::number_format<T>::parts == 2) {
                                        coefficient = std::conj(coefficient);
                                    }
                                } else if (inside) {
                                    coefficient = c.matrices[m][std::size_t{n} * size[m] + at[m]];
                                }
                                const T operand =
                                    inside ? values[(std::size_t{x[0]} * from[1] + x[1]) * from[2] + x[2]] : T{};
                                sum = arithmetic::mac(sum, operand, coefficient);
                            }
                        }
                    }
                    next.push_back(arithmetic::narrowed<T>(sum, p.shifts[stage]).value);
                }
            }
        }
        values = std::move(next);
    }
    return values;
}

class orbit_tiles : public sim_test {};

template <class T> void expect_bits_of_tiles()
{
    constexpr std::uint32_t side = 3;
    std::mt19937 random(21);
    std::vector<std::unique_ptr<orbital_case<T>>> cases;
    const auto some_sizes = [&] {
        shape3 sizes{};
        for (auto& s : sizes) { s = 1 + random() % 15; }
        return sizes;
    };
    constexpr std::array<std::array<unsigned, 3>, 6> orders{
        {{3, 1, 2}, {3, 2, 1}, {1, 2, 3}, {1, 3, 2}, {2, 1, 3}, {2, 3, 1}}};
    for (unsigned i = 0; i < 12; ++i) {
        const auto n = some_sizes();
        cases.push_back(std::make_unique<orbital_case<T>>(
            side, n, some_sizes(), i % 2 == 0 ? direction::forward : direction::inverse, random));
        cases.back()->problem.vector = all_vectors()[i % 8];
        cases.back()->problem.order = orders[i / 2];
        if (i % 4 >= 2) { cases.back()->start_anywhere(random); }
        if (std::is_integral_v<T>) { cases.back()->problem.shifts = {10, 9, 8}; }
    }
    std::array<std::vector<orbit_bench::outcome_type>, 2> outcomes, buffered; // fast, detailed
    std::array<std::vector<std::vector<T>>, 2> results, buffered_results;
    std::vector<torus::block_sizes> blocks;
    const auto program = [&](orbit_bench& b) {
        const unsigned f = b.device().settings().fidelity == fidelity::fast ? 0 : 1;
        for (const auto& c : cases) {
            outcomes[f].emplace_back();
            results[f].push_back(b.transformed(*c, &outcomes[f].back()));
            auto again = b.place(*c); // an initial Y is there again
            again.flags |= orbit_command::flag_double_buffer;
            buffered[f].push_back(b.run({again}));
            buffered_results[f].push_back(b.template fetch<T>(again));
            if (f == 0) { blocks.push_back(again.blocks); }
        }
    };
    auto config = torus_config(side, 2, base::element_type_of<T>);
    config.block = {2, 1, 2};
    orbit_bench fast("fast", config, program);
    config.fidelity = fidelity::detailed;
    orbit_bench detailed("detailed", config, program);
    run_to_end(fast, detailed);
    for (std::size_t i = 0; i < cases.size(); ++i) {
        SCOPED_TRACE(i);
        EXPECT_TRUE(same_bits(results[0][i], tiled_transform(*cases[i], blocks[i])));
        EXPECT_TRUE(same_bits(results[1][i], results[0][i]));
        EXPECT_TRUE(outcomes[0][i].rows == outcomes[1][i].rows);
        EXPECT_EQ(outcomes[0][i].logged_cycles(), outcomes[0][i].result.cycles);
        EXPECT_TRUE(same_bits(buffered_results[0][i], results[0][i]));
        EXPECT_TRUE(same_bits(buffered_results[1][i], results[0][i]));
        EXPECT_TRUE(buffered[0][i].rows == buffered[1][i].rows);
        EXPECT_EQ(buffered[0][i].logged_cycles(), buffered[0][i].result.cycles);
        EXPECT_LE(buffered[0][i].result.cycles, outcomes[0][i].result.cycles);
        for (const auto e : {event::step, event::mac, event::element_load, event::element_unload, event::block_read}) {
            EXPECT_EQ(buffered[0][i].counts[e], outcomes[0][i].counts[e]);
        }
    }
}

TEST_F(orbit_tiles, f64_has_the_bits_of_tiles) { expect_bits_of_tiles<double>(); }
TEST_F(orbit_tiles, c64_has_the_bits_of_tiles) { expect_bits_of_tiles<std::complex<float>>(); }
TEST_F(orbit_tiles, bf16_has_the_bits_of_tiles) { expect_bits_of_tiles<arithmetic::bfloat16>(); }
TEST_F(orbit_tiles, int8_has_the_bits_of_tiles) { expect_bits_of_tiles<std::int8_t>(); }

// M = 3 tiles along each mode of a cube, P = 2: 3 M^4 passes of P steps, an operand tile loaded for each, M^3 results
// of a stage unloaded.
TEST_F(orbit_tiles, passes_and_transfers_are_those_of_the_specification)
{
    constexpr std::uint32_t tiles = 3, side = 2, block = 2, n = tiles * side * block;
    std::mt19937 random(22);
    orbital_case<double> c(side, {n, n, n}, {n, n, n}, direction::forward, random);
    orbit_bench::outcome_type outcome;
    std::vector<double> twice;
    orbit_bench bench("bench", torus_config(side, block, base::element_type::f64), [&](orbit_bench& b) {
        b.transformed(c, &outcome);
        auto stream = b.place(c); // twice the same, one after the other
        stream.x = isa::dense_descriptor(stream.x.base, base::element_type::f64, {2, n, n, n});
        stream.x.stride[0] = 0;
        stream.y = isa::dense_descriptor(b.reserve(2 * n * n * n * 8), base::element_type::f64, {2, n, n, n});
        const auto run = b.run({stream});
        EXPECT_EQ(run.counts[event::step], 2 * outcome.counts[event::step]);
        EXPECT_EQ(run.counts[event::overlapped_cycle], 0u);
        twice = b.fetch<double>(stream);
    });
    run_to_end(bench);
    constexpr std::uint64_t passes = 3 * tiles * tiles * tiles * tiles;
    constexpr std::uint64_t tile = side * side * side * block * block * block;
    EXPECT_EQ(outcome.counts[event::step], passes * side);
    EXPECT_EQ(outcome.counts[event::element_load], passes * tile);
    EXPECT_EQ(outcome.counts[event::element_unload], 3 * tiles * tiles * tiles * tile);
    EXPECT_EQ(outcome.counts[event::mac], 3ull * n * n * n * n);
    std::uint64_t loads = 0, unloads = 0;
    std::uint32_t last_step = 0;
    for (const auto& r : outcome.rows) {
        loads += r.phase == "load" ? 1 : 0;
        unloads += r.phase == "unload" ? 1 : 0;
        if (r.phase == "stage_III") { last_step = r.id; }
    }
    EXPECT_EQ(loads, passes);
    EXPECT_EQ(unloads, 3 * tiles * tiles * tiles);
    EXPECT_EQ(last_step, passes / 3 * side - 1);
    const auto expected = tiled_transform(c, {{block, block, block}, {block, block, block}});
    for (unsigned half = 0; half < 2; ++half) {
        EXPECT_TRUE(same_bits(
            std::vector<double>(twice.begin() + half * n * n * n, twice.begin() + (half + 1) * n * n * n), expected));
    }
}

/// Cycles of a stage in which passes and one memory port work at the same time: two buffers of operands and of sums.
/// `loads` by pass, `unloads` by result; `passes_of_result` passes of `pass` cycles each.
std::uint64_t buffered_stage(const std::vector<std::uint64_t>& loads, const std::vector<std::uint64_t>& unloads,
                             std::size_t passes_of_result, std::uint64_t pass)
{
    std::uint64_t port = 0, nodes = 0;
    std::vector<std::uint64_t> ended;
    const auto leaves = [&](std::size_t q) { // the sums that pass q completes
        if ((q + 1) % passes_of_result == 0) { port = std::max(port, ended[q]) + unloads[q / passes_of_result]; }
    };
    for (std::size_t q = 0; q < loads.size(); ++q) {
        if (q >= 2) { port = std::max(port, ended[q - 2]); }
        port += loads[q];
        const std::uint64_t operand = port;
        if (q >= 2) { leaves(q - 2); }
        const bool opens = q % passes_of_result == 0;
        nodes = std::max(nodes, opens ? port : operand) + pass;
        ended.push_back(nodes);
    }
    for (std::size_t q = loads.size() < 2 ? 0 : loads.size() - 2; q < loads.size(); ++q) { leaves(q); }
    return std::max(port, nodes);
}

TEST_F(orbit_tiles, double_buffers_take_the_time_of_port_and_passes_side_by_side)
{
    constexpr std::uint32_t tiles = 2, side = 2, block = 3, n = tiles * side * block;
    std::mt19937 random(24);
    orbital_case<double> c(side, {n, n, n}, {n, n, n}, direction::forward, random);
    std::array<orbit_bench::outcome_type, 2> outcomes; // without, with
    orbit_bench bench("bench", torus_config(side, block, base::element_type::f64), [&](orbit_bench& b) {
        auto command = b.place(c);
        outcomes[0] = b.run({command});
        command.flags = orbit_command::flag_double_buffer;
        outcomes[1] = b.run({command});
    });
    run_to_end(bench);
    std::uint64_t expected = 0;
    for (std::uint32_t stage = 0; stage < 3; ++stage) {
        std::vector<std::uint64_t> loads, unloads;
        std::uint64_t pass = 0;
        const std::string steps = std::array{"stage_I", "stage_II", "stage_III"}[stage];
        for (const auto& r : outcomes[1].rows) {
            const std::uint64_t cycles = r.cycles + r.counts[event::overlapped_cycle];
            if (r.phase == "load" && r.detail == stage) { loads.push_back(cycles); }
            if (r.phase == "unload" && r.detail == stage) { unloads.push_back(cycles); }
            if (r.phase == steps && r.id < side) { pass += r.cycles; }
        }
        ASSERT_EQ(loads.size(), std::size_t{tiles} * tiles * tiles * tiles);
        expected += buffered_stage(loads, unloads, tiles, pass);
    }
    std::uint64_t found = 0;
    for (const auto& r : outcomes[1].rows) {
        if (r.phase != "fetch" && r.phase != "matrices") { found += r.cycles; }
    }
    EXPECT_EQ(found, expected);
    EXPECT_GT(outcomes[1].counts[event::overlapped_cycle], 0u);
    EXPECT_LT(outcomes[1].result.cycles, outcomes[0].result.cycles);
}

TEST_F(orbit_tiles, kept_matrices_serve_larger_tensors)
{
    std::mt19937 random(23);
    orbital_case<float> c(2, {5, 3, 4}, {6, 4, 3}, direction::forward, random);
    std::vector<float> y;
    isa::program_result held;
    orbit_bench bench("bench", torus_config(2, 2, base::element_type::f32), [&](orbit_bench& b) {
        const auto first = b.place(c);
        auto second = first;
        second.flags = orbit_command::flag_keep_matrices;
        second.matrix = {};
        second.y.base = b.reserve(6 * 4 * 3 * 4);
        EXPECT_TRUE(b.run({first, second}).result.done);
        y = b.fetch<float>(second);
        second.flags = orbit_command::flag_keep_matrices | orbit_command::flag_hold_result;
        second.y = {};
        held = b.run({second}).result;
    });
    run_to_end(bench);
    EXPECT_TRUE(same_bits(y, tiled_transform(c, {{2, 2, 2}, {2, 2, 2}})));
    EXPECT_EQ(held.error, isa::error_code::bad_field);
}

} // namespace
} // namespace tensorloom::test
