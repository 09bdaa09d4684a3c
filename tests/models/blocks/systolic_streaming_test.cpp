// Tiles that stream through a systolic array with two registers per weight: their cycles, every result's cycle, every
// element's registers, and bits; beside the same tiles one by one. Both fidelities.
#define SC_INCLUDE_DYNAMIC_PROCESSES // sc_spawn
#include <algorithm>
#include <cstdint>
#include <limits>
#include <memory>
#include <random>
#include <string>
#include <vector>
#include <gtest/gtest.h>
#include "models/blocks/array_bench.h"
#include "models/blocks/product_bench.h"
#include "models/blocks/tile_bench.h"
#include "support/sim_test.h"

namespace {

using namespace tensorloom;
using namespace tensorloom::test;

blocks::systolic_array_config settings(unsigned side, bool streaming, blocks::fidelity model,
                                       base::element_type format = base::element_type::f64)
{
    blocks::systolic_array_config c;
    c.side = side;
    c.format = format;
    c.streaming = streaming;
    c.model = model;
    c.clock_period = array_period();
    return c;
}

std::uint64_t rounded_up(std::uint64_t a, std::uint64_t b) { return (a + b - 1) / b; }

constexpr product_sizes products[] = {
    {1, 1, 1, 1},   {1, 16, 16, 16}, {3, 16, 32, 16}, {1, 5, 16, 48},  {2, 15, 17, 33}, {1, 17, 15, 31},
    {1, 40, 33, 1}, {5, 1, 16, 20},  {2, 100, 7, 40}, {1, 33, 64, 64}, {4, 16, 1, 17},
};

// ---- 16 x 16 ----

template <class Element> class systolic_streaming_test : public sim_test {
protected:
    blocks::systolic_array& array(bool streaming, blocks::fidelity model)
    {
        const auto c = settings(16, streaming, model, base::element_type_of<Element>);
        m_arrays.push_back(
            blocks::make_systolic_array(("array_" + std::to_string(m_arrays.size())).c_str(), c, m_stop));
        return *m_arrays.back();
    }

    bus::stop_request m_stop;
    std::vector<std::unique_ptr<blocks::systolic_array>> m_arrays;
    std::mt19937_64 m_random{5};
};

using formats = testing::Types<double, float, std::complex<double>, arithmetic::bfloat16, arithmetic::float16,
                               std::int8_t, std::int32_t, std::int64_t>;
TYPED_TEST_SUITE(systolic_streaming_test, formats);

TYPED_TEST(systolic_streaming_test, products_take_the_cycles_of_the_closed_form_and_have_the_bits_of_the_order_of_sums)
{
    for (const auto model : {blocks::fidelity::fast, blocks::fidelity::detailed}) {
        for (const bool streaming : {false, true}) { this->array(streaming, model); }
    }
    simulate([&] {
        for (const auto& s : products) {
            for (const bool odd : {false, true}) {
                product_bench<TypeParam> bench(s, this->m_random,
                                               odd ? odd_element<TypeParam, std::mt19937_64>
                                                   : ordinary_element<TypeParam, std::mt19937_64>);
                std::uint64_t overflowed = 0;
                const auto expected = bench.expected(16, overflowed);
                const std::uint64_t tiles = s.batch * rounded_up(s.depth, 16) * rounded_up(s.columns, 16);
                const std::uint64_t streaming = tiles * std::max<std::uint64_t>(s.rows, 16) + 46;
                const std::uint64_t one_by_one = tiles * (s.rows + 46);
                for (std::size_t a = 0; a < this->m_arrays.size(); ++a) {
                    auto run = bench;
                    const auto before = sc_core::sc_time_stamp();
                    const auto outcome = this->m_arrays[a]->multiply(
                        run.tiles(settings(16, a % 2 == 1, blocks::fidelity::fast, base::element_type_of<TypeParam>)));
                    const auto passed = sc_core::sc_time_stamp() - before;
                    EXPECT_EQ(outcome.cycles, a % 2 == 1 ? streaming : one_by_one) << s.rows << " rows, array " << a;
                    EXPECT_EQ(passed.value(), outcome.cycles * array_period().value());
                    EXPECT_EQ(outcome.overflowed, overflowed) << "array " << a;
                    EXPECT_FALSE(outcome.stopped);
                    ASSERT_TRUE(same_bits(run.result, expected)) << s.rows << " rows, array " << a;
                }
            }
        }
    });
}

// The weights of the next tile descend as the sums do, and no element multiplies with a wrong one.
TYPED_TEST(systolic_streaming_test, pipelined_multiply_adds_delay_the_last_results_alone)
{
    constexpr unsigned side = 5;
    for (const unsigned depth : {2u, 3u, 8u}) {
        for (const auto model : {blocks::fidelity::fast, blocks::fidelity::detailed}) {
            auto c = settings(side, true, model, base::element_type_of<TypeParam>);
            c.pipeline_depth = depth;
            this->m_arrays.push_back(blocks::make_systolic_array(
                ("array_" + std::to_string(this->m_arrays.size())).c_str(), c, this->m_stop));
        }
    }
    simulate([&] {
        for (const auto& s : products) {
            product_bench<TypeParam> bench(s, this->m_random, ordinary_element<TypeParam, std::mt19937_64>);
            std::uint64_t overflowed = 0;
            const auto expected = bench.expected(side, overflowed);
            const std::uint64_t tiles = s.batch * rounded_up(s.depth, side) * rounded_up(s.columns, side);
            for (std::size_t a = 0; a < this->m_arrays.size(); ++a) {
                const std::uint64_t depth = a < 2 ? 2 : a < 4 ? 3 : 8;
                auto run = bench;
                const auto outcome = this->m_arrays[a]->multiply(
                    run.tiles(settings(side, true, blocks::fidelity::fast, base::element_type_of<TypeParam>)));
                EXPECT_EQ(outcome.cycles, tiles * std::max<std::uint64_t>(s.rows, side) + (depth + 2) * side - 2);
                EXPECT_EQ(outcome.overflowed, overflowed) << "array " << a;
                ASSERT_TRUE(same_bits(run.result, expected)) << s.rows << " rows, array " << a;
            }
        }
    });
}

// ---- when ----

struct ports {
    unsigned side, in, out;
};

class systolic_streaming_schedule_test : public sim_test {
protected:
    struct pair {
        std::unique_ptr<blocks::systolic_array> fast, detailed;
    };
    pair make_pair(const ports& p, bool streaming)
    {
        auto c = settings(p.side, streaming, blocks::fidelity::fast);
        c.in_words = p.in;
        c.out_words = p.out;
        const std::string number = std::to_string(m_count++);
        pair made;
        made.fast = blocks::make_systolic_array(("fast_" + number).c_str(), c, m_stop);
        c.model = blocks::fidelity::detailed;
        made.detailed = blocks::make_systolic_array(("detailed_" + number).c_str(), c, m_stop);
        return made;
    }

    bus::stop_request m_stop;
    unsigned m_count = 0;
    std::mt19937_64 m_random{31};
};

TEST_F(systolic_streaming_schedule_test, every_result_leaves_in_its_cycle)
{
    const std::vector<ports> all{{1, 1, 1}, {2, 2, 2}, {5, 5, 5}, {5, 2, 3}, {8, 8, 3}, {16, 16, 16}, {16, 7, 16}};
    std::vector<pair> arrays;
    for (const auto& p : all) { arrays.push_back(make_pair(p, true)); }
    simulate([&] {
        for (std::size_t a = 0; a < all.size(); ++a) {
            const std::uint64_t s = all[a].side;
            const std::uint64_t narrow = std::min(all[a].in, all[a].out);
            for (unsigned count = 1; count <= 6; ++count) {
                random_tiles<double> bench(all[a].side, count, m_random);
                decltype(heard_results::all) expected;
                const auto load = [&](unsigned t) {
                    return std::max(s * bench.jobs[t].weight_row_cycles, rounded_up(s * s, all[a].in));
                };
                std::uint64_t begin = load(0);
                std::uint64_t rows_before = 0;
                for (unsigned t = 0; t < count; ++t) {
                    const auto& job = bench.jobs[t];
                    std::uint64_t entered = 0; // cycles until so many rows have
                    std::uint64_t call = 0;    // when the call began
                    std::uint64_t in_call = 0;
                    for (std::uint64_t r = 0; r < job.rows(); ++r) {
                        if (job.call_rows != 0 && in_call == job.call_rows) {
                            call = std::max(entered, call + job.call_interval);
                            in_call = 0;
                        }
                        ++in_call;
                        entered = call + std::max(in_call * job.row_cycles, rounded_up(in_call * s, narrow));
                        for (unsigned j = 0; j < s; ++j) {
                            expected.emplace_back(rows_before + r, j, begin + entered - 1 + s - 1 + j);
                        }
                    }
                    rows_before += job.rows();
                    begin += std::max({entered, call + job.call_interval, s, t + 1 < count ? call + load(t + 1) : 0});
                }
                const std::uint64_t cycles = begin + 2 * s - 2;
                std::sort(expected.begin(), expected.end(), [](const auto& x, const auto& y) {
                    return std::make_pair(std::get<2>(x), std::get<1>(x)) <
                           std::make_pair(std::get<2>(y), std::get<1>(y));
                });
                for (auto* array : {arrays[a].fast.get(), arrays[a].detailed.get()}) {
                    auto run = bench;
                    heard_results heard;
                    array->listen(&heard);
                    const auto outcome = array->multiply(run.tiles());
                    array->listen(nullptr);
                    EXPECT_EQ(outcome.cycles, cycles) << "side " << s << ", tiles " << count;
                    ASSERT_EQ(heard.all, expected) << "side " << s << ", tiles " << count;
                    for (unsigned t = 0; t < count; ++t) {
                        ASSERT_TRUE(same_bits(run.jobs[t].result, bench.jobs[t].expected().first)) << "tile " << t;
                    }
                }
            }
        }
    });
}

TEST_F(systolic_streaming_schedule_test, results_of_tiles_one_by_one_are_told_with_rows_and_cycles_that_count_on)
{
    const auto arrays = make_pair({4, 4, 4}, false);
    simulate([&] {
        random_tiles<double> bench(4, 3, m_random);
        for (auto& job : bench.jobs) {
            job.row_cycles = job.weight_row_cycles = 1;
            job.call_rows = job.call_interval = 0;
        }
        for (auto* array : {arrays.fast.get(), arrays.detailed.get()}) {
            heard_results heard;
            array->listen(&heard);
            EXPECT_EQ(array->multiply(bench.tiles()).cycles, [&] {
                std::uint64_t cycles = 0;
                for (const auto& job : bench.jobs) { cycles += job.rows() + 3 * 4 - 2; }
                return cycles;
            }());
            std::uint64_t begin = 0;
            std::uint64_t rows_before = 0;
            std::size_t told = 0;
            for (const auto& job : bench.jobs) {
                for (; told < (rows_before + job.rows()) * 4; ++told) {
                    const auto& [row, column, cycle] = heard.all.at(told);
                    EXPECT_EQ(cycle, begin + 4 + (row - rows_before) + 3 + column);
                }
                rows_before += job.rows();
                begin += job.rows() + 10;
            }
            EXPECT_EQ(told, heard.all.size());
        }
    });
}

// Tile t begins at 4 + 6 t: an element swaps its weights as the end of the tile before passes it, and has the next ones
// in its other register by then.
TEST_F(systolic_streaming_schedule_test, the_swap_of_weights_passes_the_elements_as_a_wave)
{
    constexpr unsigned side = 4, count = 4, rows = 6;
    const auto array = blocks::make_systolic_array("array", settings(side, true, blocks::fidelity::detailed), m_stop);
    std::vector<const blocks::element_waveform*> shown;
    for (unsigned i = 0; i < side; ++i) {
        for (unsigned j = 0; j < side; ++j) { shown.push_back(array->watch(i, j)); }
    }
    random_tiles<double> bench(side, 0, m_random);
    for (unsigned t = 0; t < count; ++t) {
        bench.jobs.push_back(array_job<double>::whole(side, rows, m_random, ordinary_element<double, std::mt19937_64>));
    }
    const auto weight = [&](unsigned t, unsigned i, unsigned j) { return bench.jobs[t].weights[i * side + j]; };
    std::uint64_t multiplied = 0;
    const auto check = [&](std::uint64_t cycle) { // that has just ended
        for (unsigned i = 0; i < side; ++i) {
            for (unsigned j = 0; j < side; ++j) {
                const auto& w = *shown[i * side + j];
                // The end of a tile swaps at the end of the cycle in which it passes.
                const bool begun = cycle + 1 >= side + i + j;
                const std::uint64_t since = begun ? cycle + 1 - side - i - j : 0;
                const auto tile = static_cast<unsigned>(since / rows);
                if (begun && tile < count) { EXPECT_EQ(w.weight.re, weight(tile, i, j)) << cycle << " " << i << j; }
                // Those of the next tile come in the first cycles of this one, column j later by j, and stay.
                const bool is_loaded = begun && since % rows + i >= side;
                if (is_loaded && tile + 1 < count) { EXPECT_EQ(w.shadow.re, weight(tile + 1, i, j)) << cycle; }
                const bool valid = cycle >= side + i + j && (cycle - side - i - j) / rows < count;
                ASSERT_EQ(w.valid, valid) << "cycle " << cycle << " element " << i << " " << j;
                if (!valid) { continue; }
                const std::uint64_t row = cycle - side - i - j;
                const auto& job = bench.jobs[row / rows];
                const double* const x = job.left.data() + row % rows * side;
                std::uint64_t none = 0;
                EXPECT_EQ(w.a_out.re, x[i]);
                EXPECT_EQ(w.c_out.re, naive_sum(x, job.weights.data() + j, i + 1, side, none));
                ++multiplied;
            }
        }
    };
    constexpr std::uint64_t cycles = count * rows + 3 * side - 2;
    sc_core::sc_spawn([&] {
        sc_core::wait(sc_core::sc_time(1, sc_core::SC_PS));
        for (std::uint64_t k = 0; k < cycles; ++k) {
            sc_core::wait(array_period());
            check(k);
        }
    });
    simulate([&] { EXPECT_EQ(array->multiply(bench.tiles()).cycles, cycles); });
    EXPECT_EQ(multiplied, count * rows * side * side);
}

TEST_F(systolic_streaming_schedule_test, phase_and_row_are_the_same_in_both_fidelities)
{
    const auto arrays = make_pair({5, 3, 4}, true);
    const auto& a = arrays.fast->watch();
    const auto& b = arrays.detailed->watch();
    random_tiles<double> bench(5, 4, m_random);
    auto other = bench;
    std::uint64_t rows = 0;
    for (const auto& job : bench.jobs) { rows += job.rows(); }
    unsigned finished = 0;
    sc_core::sc_spawn([&] { arrays.fast->multiply(bench.tiles()), ++finished; });
    sc_core::sc_spawn([&] { arrays.detailed->multiply(other.tiles()), ++finished; });
    std::vector<unsigned> phases;
    std::uint64_t most_rows = 0;
    sc_core::sc_spawn([&] {
        sc_core::wait(sc_core::sc_time(1, sc_core::SC_PS));
        for (; finished < 2; sc_core::wait(array_period())) {
            ASSERT_EQ(a.phase, b.phase);
            ASSERT_EQ(a.row, b.row) << phases.size();
            if (phases.empty() || phases.back() != a.phase) { phases.push_back(a.phase); }
            most_rows = std::max(most_rows, a.row);
        }
    });
    sc_core::sc_start();
    EXPECT_EQ(phases, (std::vector<unsigned>{1, 2}));
    EXPECT_EQ(most_rows, rows);
    EXPECT_EQ(a.phase, 0u);
}

// ---- stops ----

TEST_F(systolic_streaming_schedule_test, a_stop_leaves_what_has_left_the_array_and_the_next_work_starts_afresh)
{
    std::vector<pair> arrays;
    for (const bool streaming : {false, true}) { arrays.push_back(make_pair({4, 3, 2}, streaming)); }
    simulate([&] {
        for (const auto& of : arrays) {
            random_tiles<double> bench(4, 3, m_random);
            bench.jobs[1].elements_of_rows = 7; // two rows: the tile after it is in the array with the one before
            const std::uint64_t whole = of.fast->multiply(random_tiles(bench).tiles()).cycles;
            for (std::uint64_t cycle = 0; cycle <= whole; cycle += 1 + cycle % 2) {
                const auto run = [&](blocks::systolic_array& array) {
                    auto done = bench;
                    heard_results heard;
                    array.listen(&heard);
                    m_stop.request(static_cast<double>(cycle) * array_period());
                    const auto outcome = array.multiply(done.tiles());
                    m_stop.clear();
                    array.listen(nullptr);
                    std::uint64_t rows_before = 0;
                    for (std::size_t t = 0; t < bench.jobs.size(); ++t) {
                        const auto has_left = [&](std::uint64_t row, unsigned column) {
                            return std::any_of(heard.all.begin(), heard.all.end(), [&](const auto& h) {
                                return std::get<0>(h) == rows_before + row && std::get<1>(h) == column;
                            });
                        };
                        EXPECT_TRUE(same_bits(done.jobs[t].memory(), bench.jobs[t].expected(has_left).first))
                            << "stopped at " << cycle << ", tile " << t;
                        rows_before += bench.jobs[t].rows();
                    }
                    return std::make_tuple(outcome.cycles, outcome.stopped, heard.all);
                };
                const auto fast = run(*of.fast);
                EXPECT_EQ(fast, run(*of.detailed)) << cycle;
                EXPECT_EQ(std::get<1>(fast), cycle + 1 < whole) << cycle << " of " << whole;
            }
            for (auto* array : {of.fast.get(), of.detailed.get()}) {
                auto job = array_job<double>::whole(4, 9, m_random, ordinary_element<double, std::mt19937_64>);
                const auto expected = job.expected().first;
                job.load(*array);
                job.stream(*array);
                EXPECT_TRUE(same_bits(job.result, expected));
            }
        }
    });
}

TEST_F(systolic_streaming_schedule_test, no_tiles_take_no_time)
{
    const auto arrays = make_pair({4, 4, 4}, true);
    simulate([&] {
        EXPECT_EQ(arrays.fast->multiply({}).cycles, 0u);
        EXPECT_EQ(arrays.detailed->multiply({}).cycles, 0u);
    });
    EXPECT_EQ(sc_core::sc_time_stamp(), sc_core::SC_ZERO_TIME);
}

} // namespace
