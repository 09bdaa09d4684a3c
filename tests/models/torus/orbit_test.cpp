// ORBIT over the bus: the bits of the order of its sums, the same log in both fidelities, the cycles of the golden
// file.
#include <map>
#include <gtest/gtest.h>
#include "models/torus/isa/golden_torus.h"
#include "models/torus/orbit_bench.h"
#include "support/sim_test.h"

namespace tensorloom::test {
namespace {

using torus::event;

class orbit_test : public sim_test {};

constexpr std::array<std::array<unsigned, 3>, 6> orders{
    {{3, 1, 2}, {3, 2, 1}, {1, 2, 3}, {1, 3, 2}, {2, 1, 3}, {2, 3, 1}}};

/// 1 to `most` elements along each mode.
shape3 random_sizes(std::mt19937& random, std::uint32_t most)
{
    shape3 sizes{};
    for (auto& s : sizes) { s = 1 + random() % most; }
    return sizes;
}

// All vectors, both ways, all orders, with no, one and two modes left out, half of them affine; blocks of 1 to 3
// elements, not all full.
template <class T>
void expect_same_bits_and_logs(torus::overlap_kind overlap = torus::overlap_kind::operand, unsigned ports = 1)
{
    constexpr std::uint32_t side = 3, block = 3;
    std::mt19937 random(5);
    std::vector<std::unique_ptr<orbital_case<T>>> cases;
    for (const auto& vector : all_vectors()) {
        for (const auto way : {direction::forward, direction::inverse}) {
            const auto& order = orders[cases.size() % orders.size()];
            const std::size_t summed = 1 + (cases.size() + cases.size() / orders.size()) % 3;
            const auto n = random_sizes(random, side * block);
            auto k = random_sizes(random, side * block);
            for (std::size_t i = summed; i < 3; ++i) { k[order[i] - 1] = n[order[i] - 1]; }
            cases.push_back(std::make_unique<orbital_case<T>>(side, n, k, way, random));
            cases.back()->problem.vector = vector;
            cases.back()->problem.order = order;
            for (std::size_t i = summed; i < 3; ++i) { cases.back()->problem.matrices[order[i] - 1] = nullptr; }
            if (cases.size() % 2 == 0) { cases.back()->start_anywhere(random); }
            if (!std::is_integral_v<T>) { continue; }
            for (std::size_t stage = 0; stage < summed; ++stage) {
                const std::size_t at = way == direction::forward ? stage : 3 - summed + stage;
                cases.back()->problem.shifts[at] = 8 + static_cast<unsigned>(random() % 4);
            }
        }
    }
    std::map<fidelity, std::vector<orbit_bench::outcome_type>> outcomes;
    std::map<fidelity, std::vector<std::vector<T>>> results;
    const auto program = [&](orbit_bench& b) {
        const auto modelled = b.device().settings().fidelity;
        for (const auto& c : cases) {
            outcomes[modelled].emplace_back();
            results[modelled].push_back(b.transformed(*c, &outcomes[modelled].back()));
        }
    };
    auto config = torus_config(side, block, base::element_type_of<T>);
    config.overlap = overlap;
    config.dma_ports = ports;
    orbit_bench fast("fast", config, program);
    config.fidelity = fidelity::detailed;
    orbit_bench detailed("detailed", config, program);
    run_to_end(fast, detailed);
    for (std::size_t i = 0; i < cases.size(); ++i) {
        SCOPED_TRACE(i);
        const auto& one = outcomes[fidelity::fast][i];
        const auto& other = outcomes[fidelity::detailed][i];
        EXPECT_TRUE(same_bits(results[fidelity::fast][i], ordered_transform(cases[i]->problem).data));
        EXPECT_TRUE(same_bits(results[fidelity::detailed][i], results[fidelity::fast][i]));
        EXPECT_EQ(one.result.cycles, other.result.cycles);
        EXPECT_EQ(one.logged_cycles(), one.result.cycles);
        EXPECT_TRUE(one.rows == other.rows);
        EXPECT_TRUE(one.counts == other.counts);
        EXPECT_TRUE(one.window == one.counts);
    }
}

TEST_F(orbit_test, f64_has_the_bits_of_its_order) { expect_same_bits_and_logs<double>(); }
TEST_F(orbit_test, f32_has_the_bits_of_its_order) { expect_same_bits_and_logs<float>(); }
TEST_F(orbit_test, c128_has_the_bits_of_its_order) { expect_same_bits_and_logs<std::complex<double>>(); }
TEST_F(orbit_test, c64_has_the_bits_of_its_order) { expect_same_bits_and_logs<std::complex<float>>(); }
TEST_F(orbit_test, several_dma_ports_give_the_same_bits_in_both_fidelities)
{
    expect_same_bits_and_logs<float>(torus::overlap_kind::operand, 7);
}
TEST_F(orbit_test, bf16_has_the_bits_of_its_order) { expect_same_bits_and_logs<arithmetic::bfloat16>(); }

TEST_F(orbit_test, int8_has_the_bits_of_its_order) { expect_same_bits_and_logs<std::int8_t>(); }
TEST_F(orbit_test, f64_has_the_bits_of_its_order_with_shared_sums)
{
    expect_same_bits_and_logs<double>(torus::overlap_kind::shared);
}
TEST_F(orbit_test, bf16_has_the_bits_of_its_order_with_shared_sums)
{
    expect_same_bits_and_logs<arithmetic::bfloat16>(torus::overlap_kind::shared);
}

// Sums are written into shared memory instead of sent: the words, wires and multiply-adds of rolling, fewer accesses to
// memory, no block of sums, and the cycles of multiply-adds alone (the example of the report's claim, with b = 4).
TEST_F(orbit_test, shared_sums_take_the_cycles_of_their_multiply_adds)
{
    constexpr std::uint32_t side = 4, block = 4, n = side * block;
    std::mt19937 random(9);
    const orbital_case<double> c(side, {n, n, n}, {n, n, n}, direction::forward, random);
    std::array<orbit_bench::outcome_type, 2> outcomes;
    std::array<std::vector<double>, 2> results;
    const auto program = [&](unsigned i) {
        return [&, i](orbit_bench& b) { results[i] = b.transformed(c, &outcomes[i]); };
    };
    auto config = torus_config(side, block, base::element_type::f64);
    orbit_bench rolling("rolling", config, program(0));
    config.overlap = torus::overlap_kind::shared;
    orbit_bench sharing("sharing", config, program(1));
    run_to_end(rolling, sharing);
    EXPECT_TRUE(same_bits(results[0], results[1]));
    auto expected = outcomes[0].counts;
    const std::uint64_t words = std::uint64_t{n} * n * n * side; // of the sums of a stage; X1, X2, X3 along S, Q, R
    expected[event::roll_block] -= 3u * side * side * side * side;
    expected[event::block_read] -= 3 * words;
    expected[event::block_write] -= 3 * words;
    for (const auto along : {torus::axis::q, torus::axis::r, torus::axis::s}) {
        expected[torus::roll_word(along)] -= words;
        expected[torus::share_word(along)] += words;
    }
    expected[event::compute_cycle] = 3u * side * (block * block * block * block + 3);
    expected[event::exposed_roll_cycle] = 0;
    EXPECT_EQ(outcomes[1].counts, expected);
    EXPECT_GT(outcomes[0].counts[event::exposed_roll_cycle], 0u);
}

// Small integers, whose sums are exact in any order: TriADA's meaning of a mask, without a schedule.
TEST_F(orbit_test, any_stages_of_any_order_run)
{
    struct masked_case {
        std::array<unsigned, 3> modes;
        unsigned mask;
        std::unique_ptr<orbital_case<double>> problem;
        std::vector<double> expected;
    };
    std::mt19937 random(28);
    const auto fill = [&](std::vector<double>& numbers) {
        for (auto& x : numbers) { x = static_cast<double>(random() % 9) - 4; }
    };
    std::vector<masked_case> cases;
    for (const auto& modes : orders) {
        for (unsigned mask = 1; mask < 8; ++mask) {
            const shape3 n{3, 5, 4};
            shape3 k{4, 2, 6};
            for (unsigned s = 0; s < 3; ++s) {
                if ((mask >> s & 1) == 0) { k[modes[s] - 1] = n[modes[s] - 1]; }
            }
            const auto way = cases.size() % 2 == 0 ? direction::forward : direction::inverse;
            auto c = std::make_unique<orbital_case<double>>(2, n, k, way);
            fill(c->input.data);
            auto sizes = way == direction::forward ? n : k;
            auto values = c->input.data;
            for (unsigned s = 0; s < 3; ++s) {
                const unsigned m = modes[s] - 1;
                fill(c->matrices[m]);
                if ((mask >> s & 1) == 0) {
                    c->problem.matrices[m] = nullptr;
                    continue;
                }
                auto made = sizes;
                made[m] = way == direction::forward ? k[m] : n[m];
                std::vector<double> next(isa::volume_of(made));
                const std::size_t inner = m == 2 ? 1 : m == 1 ? sizes[2] : std::size_t{sizes[1]} * sizes[2];
                for (std::size_t i = 0; i < values.size(); ++i) {
                    const std::size_t from = i / inner % sizes[m], outer = i / inner / sizes[m];
                    for (std::size_t to = 0; to < made[m]; ++to) {
                        const std::size_t at = way == direction::forward ? from * k[m] + to : to * k[m] + from;
                        next[(outer * made[m] + to) * inner + i % inner] += values[i] * c->matrices[m][at];
                    }
                }
                sizes = made;
                values = std::move(next);
            }
            cases.push_back({modes, mask, std::move(c), std::move(values)});
        }
    }
    std::vector<std::vector<double>> found;
    orbit_bench bench("bench", torus_config(2, 3, base::element_type::f64), [&](orbit_bench& b) {
        for (const auto& c : cases) {
            b.restart();
            auto command = b.place(*c.problem);
            std::array<std::uint8_t, 3> modes{};
            for (unsigned s = 0; s < 3; ++s) { modes[s] = static_cast<std::uint8_t>(c.modes[s]); }
            command.run_stages(modes, c.mask);
            EXPECT_TRUE(b.run({command}).result.done);
            found.push_back(b.fetch<double>(command));
        }
    });
    run_to_end(bench);
    for (std::size_t i = 0; i < cases.size(); ++i) { EXPECT_EQ(found[i], cases[i].expected) << i; }
}

// Three diagonal matrices of 100: what saturates when a stage takes it, and when Y leaves.
TEST_F(orbit_test, int8_sums_are_shifted_saturated_and_counted)
{
    orbital_case<std::int8_t> c(2, {2, 1, 4}, {2, 1, 4}, direction::forward);
    for (std::size_t i = 0; i < c.input.data.size(); ++i) { c.input.data[i] = static_cast<std::int8_t>(i); }
    for (unsigned m = 0; m < 3; ++m) {
        for (std::uint32_t i = 0; i < c.n[m]; ++i) { c.matrices[m][i * c.k[m] + i] = 100; }
    }
    c.problem.shifts = {1, 2, 3};
    const std::vector<std::int8_t> expected{0, 127, 127, 127, 127, 127, 127, 127};
    std::array<orbit_bench::outcome_type, 2> outcomes;
    std::array<std::vector<std::int8_t>, 2> results;
    std::array<std::vector<std::int32_t>, 2> sums;
    const auto program = [&](orbit_bench& b) {
        const unsigned f = b.device().settings().fidelity == fidelity::fast ? 0 : 1;
        results[f] = b.transformed(c, &outcomes[f]);
        auto command = b.place(c);
        command.y = isa::dense_descriptor(b.reserve(4 * 8), base::element_type::int32, {2, 1, 4});
        b.run({command});
        sums[f] = b.fetch<std::int32_t>(command);
    };
    auto config = torus_config(2, 2, base::element_type::int8);
    orbit_bench fast("fast", config, program);
    config.fidelity = fidelity::detailed;
    orbit_bench detailed("detailed", config, program);
    run_to_end(fast, detailed);
    // Stage I: 100 n >> 1 = 50 n becomes 0, 50, 100, 127 x 5. Stage II: times 25. Stage III: times 12.5.
    EXPECT_EQ(results[0], expected);
    EXPECT_EQ(sums[0], (std::vector<std::int32_t>{0, 1588, 1588, 1588, 1588, 1588, 1588, 1588}));
    EXPECT_EQ(outcomes[0].counts[event::operand_saturated], 5u + 7u + 7u);
    EXPECT_EQ(results[1], results[0]);
    EXPECT_EQ(sums[1], sums[0]);
    EXPECT_TRUE(outcomes[0].rows == outcomes[1].rows);
}

TEST_F(orbit_test, int8_sum_that_overflows_ends_the_program)
{
    orbital_case<std::int8_t> c(3, {3, 3, 6}, {3, 3, 6}, direction::forward);
    std::fill(c.input.data.begin(), c.input.data.end(), std::int8_t{1});
    for (auto& m : c.matrices) { std::fill(m.begin(), m.end(), std::int8_t{1}); }
    c.initial = workloads::tensor<std::int32_t>({3, 3, 6});
    c.problem.initial = &c.initial;
    // The last stage adds 18 three times.
    c.initial.data[0] = std::numeric_limits<std::int32_t>::max() - 54; // in range
    c.initial.data[1] = std::numeric_limits<std::int32_t>::max() - 53; // leaves it at the last term
    c.initial.data[7] = std::numeric_limits<std::int32_t>::max();      // leaves it at the first one, and stays outside
    std::array<orbit_bench::outcome_type, 2> outcomes;
    const auto program = [&](orbit_bench& b) {
        outcomes[b.device().settings().fidelity == fidelity::fast ? 0 : 1] = b.run({b.place(c)});
    };
    auto config = torus_config(3, 2, base::element_type::int8);
    orbit_bench fast("fast", config, program);
    config.fidelity = fidelity::detailed;
    orbit_bench detailed("detailed", config, program);
    run_to_end(fast, detailed);
    EXPECT_FALSE(outcomes[0].result.done);
    EXPECT_EQ(outcomes[0].result.error, isa::error_code::accumulator_overflow);
    EXPECT_EQ(outcomes[0].counts[event::mac_overflowed], 2u); // a sum that has wrapped is in range again
    EXPECT_EQ(outcomes[0].counts[event::element_unload], 0u);
    EXPECT_TRUE(outcomes[0].rows == outcomes[1].rows);
}

TEST_F(orbit_test, sums_of_bfloat16_may_leave_as_they_are)
{
    using arithmetic::bfloat16;
    std::mt19937 random(6);
    orbital_case<bfloat16> c(2, {4, 4, 4}, {4, 4, 4}, direction::forward, random);
    std::vector<bfloat16> elements;
    std::vector<float> sums;
    std::uint64_t read = 0, read_as_elements = 0;
    orbit_bench bench("bench", torus_config(2, 2, base::element_type::bf16), [&](orbit_bench& b) {
        orbit_bench::outcome_type outcome;
        elements = b.transformed(c, &outcome);
        read_as_elements = outcome.counts[event::block_read];
        auto command = b.place(c);
        command.y = isa::dense_descriptor(b.reserve(4 * 64), base::element_type::f32, {4, 4, 4});
        read = b.run({command}).counts[event::block_read];
        sums = b.fetch<float>(command);
    });
    run_to_end(bench);
    bool any_rounded = false;
    for (std::size_t i = 0; i < sums.size(); ++i) {
        EXPECT_EQ(static_cast<float>(bfloat16(sums[i])), static_cast<float>(elements[i])) << i;
        any_rounded |= sums[i] != static_cast<float>(elements[i]);
    }
    EXPECT_TRUE(any_rounded);
    EXPECT_EQ(read, read_as_elements + 64); // a sum is two words
}

// The rows of the golden table of cycles that a device of few nodes and small blocks has, through the device.
TEST_F(orbit_test, stages_take_the_golden_cycles)
{
    struct golden_run {
        nlohmann::json row;
        std::array<std::map<std::string, std::uint64_t>, 2> cycles; // of forward and inverse stages
        std::unique_ptr<orbit_bench> bench;
    };
    std::vector<golden_run> runs;
    for (const auto& row : golden_torus("timing")) {
        if (row[0].get<unsigned>() <= 4 && row[1].get<unsigned>() <= 4) { runs.push_back({row, {}, nullptr}); }
    }
    ASSERT_GE(runs.size(), 5u);
    std::mt19937 random(7);
    for (auto& run : runs) {
        const std::uint32_t side = run.row[0], block = run.row[1], n = side * block;
        auto config = torus_config(side, block, base::element_type::f64);
        config.macs_per_cycle = run.row[2];
        config.mac_latency = run.row[3];
        config.words_per_cycle = run.row[4];
        const double hop = run.row[5];
        config.cycles_per_pitch = side == 1 ? 0 : hop / static_cast<double>(torus::longest_link(side, true));
        config.overlap = run.row[6] == "none"      ? torus::overlap_kind::none
                         : run.row[6] == "operand" ? torus::overlap_kind::operand
                                                   : torus::overlap_kind::sliced;
        config.slices = run.row[6].is_number() ? run.row[6].get<unsigned>() : 0;
        run.bench = std::make_unique<orbit_bench>(
            "bench_" + std::to_string(&run - runs.data()), config, [&run, side, n, &random](orbit_bench& b) {
                for (const auto way : {direction::forward, direction::inverse}) {
                    const orbital_case<double> c(side, {n, n, n}, {n, n, n}, way, random);
                    orbit_bench::outcome_type outcome;
                    b.transformed(c, &outcome);
                    for (const auto& r : outcome.rows) { run.cycles[static_cast<unsigned>(way)][r.phase] += r.cycles; }
                }
            });
    }
    sc_core::sc_start();
    for (auto& run : runs) {
        for (unsigned way = 0; way < 2; ++way) {
            for (unsigned s = 0; s < 3; ++s) {
                const std::string stage = std::string("stage_") + torus::stage_names[s];
                EXPECT_EQ(run.cycles[way][stage], run.row[7 + 2 * way][s].get<std::uint64_t>())
                    << run.row.dump() << stage;
            }
        }
    }
}

// Every golden case of a forward transform that a device of up to 3 nodes along a side does: steps, multiply-adds,
// words.
TEST_F(orbit_test, counts_are_the_golden_ones)
{
    std::vector<std::unique_ptr<orbit_bench>> benches;
    std::mt19937 random(8);
    for (const auto& row : golden_torus("cases")) {
        const std::uint32_t side = row["P"];
        if (side > 3) { continue; }
        const auto n = row["N"].get<shape3>(), k = row["K"].get<shape3>();
        const std::uint32_t block = std::max({n[0], n[1], n[2], k[0], k[1], k[2]});
        benches.push_back(std::make_unique<orbit_bench>(
            "bench_" + std::to_string(benches.size()), torus_config(side, block, base::element_type::f64),
            [=, &random](orbit_bench& b) {
                orbital_case<double> c(side, n, k, golden_direction(row["dir"]), random);
                c.problem.vector = *torus::scheduling_vector_of(row["schedule"]);
                orbit_bench::outcome_type outcome;
                b.transformed(c, &outcome);
                SCOPED_TRACE(row.dump());
                const auto& counts = outcome.counts;
                EXPECT_EQ(counts[event::step], row["steps"].get<std::uint64_t>());
                EXPECT_EQ(counts[event::mac], row["macs"].get<std::uint64_t>());
                std::array<std::uint64_t, 5> rolled{};
                for (const auto& roll : row["rolls"]) {
                    rolled[0] += roll[3].get<std::uint64_t>();
                    const auto along = std::string("QRS").find(roll[2].get<std::string>()[1]);
                    rolled[1 + along] += roll[4].get<std::uint64_t>();
                    rolled[4] += roll[5].get<std::uint64_t>();
                }
                EXPECT_EQ(counts[event::roll_block], rolled[0]);
                EXPECT_EQ(counts[event::roll_word_q], rolled[1]);
                EXPECT_EQ(counts[event::roll_word_r], rolled[2]);
                EXPECT_EQ(counts[event::roll_word_s], rolled[3]);
                EXPECT_EQ(counts[event::wrap_word], rolled[4]);
            }));
    }
    ASSERT_GE(benches.size(), 10u);
    sc_core::sc_start();
    for (const auto& b : benches) { EXPECT_TRUE(b->finished()); }
}

} // namespace
} // namespace tensorloom::test
