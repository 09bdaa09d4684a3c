// When every element leaves a systolic array, in both fidelities, and what it is: section 2.2 of (m,l)-TCU with
// corrected cycle numbers.
#define SC_INCLUDE_DYNAMIC_PROCESSES // sc_spawn
#include <algorithm>
#include <cstdint>
#include <memory>
#include <random>
#include <string>
#include <vector>
#include <gtest/gtest.h>
#include "models/blocks/array_bench.h"
#include "support/sim_test.h"

namespace {

using namespace tensorloom;
using namespace tensorloom::test;

class systolic_schedule_test : public sim_test_with_param<blocks::fidelity> {
protected:
    blocks::systolic_array& make_array(unsigned side, unsigned in_words = 0, unsigned out_words = 0,
                                       unsigned pipeline_depth = 1)
    {
        blocks::systolic_array_config c;
        c.side = side;
        c.in_words = in_words;
        c.out_words = out_words;
        c.pipeline_depth = pipeline_depth;
        c.model = GetParam();
        c.clock_period = array_period();
        const std::string name = "array_" + std::to_string(m_arrays.size());
        m_arrays.push_back(blocks::make_systolic_array(name.c_str(), c, m_stop));
        return *m_arrays.back();
    }
    array_job<double> random_job(unsigned side, std::uint64_t rows)
    {
        return array_job<double>::whole(side, rows, m_random, ordinary_element<double, std::mt19937_64>);
    }

    /// Calls outcome = run(), whose cycles must have passed.
    template <class Run> auto timed(const Run& run)
    {
        const sc_core::sc_time start = sc_core::sc_time_stamp();
        const auto outcome = run();
        EXPECT_EQ((sc_core::sc_time_stamp() - start).value(), outcome.cycles * array_period().value());
        EXPECT_FALSE(outcome.stopped);
        return outcome;
    }

    bus::stop_request m_stop;
    std::vector<std::unique_ptr<blocks::systolic_array>> m_arrays;
    std::mt19937_64 m_random{11};
};

TEST_P(systolic_schedule_test, every_element_leaves_in_its_cycle_with_its_value)
{
    for (unsigned q = 1; q <= 16; ++q) { make_array(q); }
    simulate([&] {
        for (unsigned q = 1; q <= 16; ++q) {
            auto& array = *m_arrays[q - 1];
            for (std::uint64_t n = q; n <= 50; ++n) {
                auto job = random_job(q, n);
                const auto expected = job.expected().first;
                EXPECT_EQ(timed([&] { return job.load(array); }).cycles, q);
                heard_results heard;
                array.listen(&heard);
                EXPECT_EQ(timed([&] { return job.stream(array); }).cycles, n + 2 * q - 2);
                decltype(heard.all) in_order;
                for (std::uint64_t k = 0; k < n + 2 * q - 2; ++k) {
                    for (unsigned j = 0; j < q; ++j) {
                        for (std::uint64_t r = 0; r < n; ++r) {
                            if (k == q - 1 + r + j) { in_order.emplace_back(r, j, k); }
                        }
                    }
                }
                ASSERT_EQ(in_order.size(), n * q);
                ASSERT_EQ(heard.all, in_order) << "q " << q << ", n " << n;
                ASSERT_TRUE(same_bits(job.result, expected)) << "q " << q << ", n " << n;
            }
        }
    });
}

TEST_P(systolic_schedule_test, three_by_three)
{
    auto& array = make_array(3);
    array_job<double> job = random_job(3, 3);
    job.left = {1, 2, 3, 4, 5, 6, 7, 8, 9};
    job.weights = {1, 0, 2, 0, 1, 1, 3, 1, 0};
    heard_results heard;
    array.listen(&heard);
    simulate([&] {
        EXPECT_EQ(timed([&] { return job.load(array); }).cycles, 3u);
        EXPECT_EQ(timed([&] { return job.stream(array); }).cycles, 7u);
    });
    EXPECT_EQ(job.result, (std::vector<double>{10, 5, 4, 22, 11, 13, 34, 17, 22}));
    constexpr std::uint64_t out[3][3] = {{2, 3, 4}, {3, 4, 5}, {4, 5, 6}};
    EXPECT_EQ(heard.all.size(), 9u);
    for (const auto& [row, column, cycle] : heard.all) { EXPECT_EQ(cycle, out[row][column]); }
}

TEST_P(systolic_schedule_test, narrow_ports_and_a_slow_memory_put_bubbles_between_rows)
{
    struct ports {
        unsigned side, in, out;
    };
    std::vector<ports> all;
    for (const unsigned side : {1u, 2u, 5u, 8u, 16u}) {
        for (const unsigned in : {1u, 2u, 3u, 7u, 16u}) {
            for (const unsigned out : {1u, 3u, 4u, 16u}) {
                if (in <= side && out <= side) { all.push_back({side, in, out}); }
            }
        }
    }
    for (const auto& p : all) { make_array(p.side, p.in, p.out); }
    const auto rounded_up = [](std::uint64_t a, std::uint64_t b) { return (a + b - 1) / b; };
    simulate([&] {
        for (std::size_t a = 0; a < all.size(); ++a) {
            const std::uint64_t s = all[a].side;
            const std::uint64_t narrow = std::min(all[a].in, all[a].out);
            for (const std::uint64_t slow : {1u, 2u, 5u}) {
                for (const std::uint64_t rows : {1u, 2u, 13u}) {
                    auto job = random_job(all[a].side, rows);
                    job.row_cycles = job.weight_row_cycles = slow;
                    const auto expected = job.expected().first;
                    const auto load = timed([&] { return job.load(*m_arrays[a]); });
                    EXPECT_EQ(load.cycles, std::max(s * slow, rounded_up(s * s, all[a].in)));
                    heard_results heard;
                    m_arrays[a]->listen(&heard);
                    const auto stream = timed([&] { return job.stream(*m_arrays[a]); });
                    EXPECT_EQ(stream.cycles, std::max({rows * slow, rounded_up(rows * s, all[a].in),
                                                       rounded_up(rows * s, all[a].out)}) +
                                                 2 * s - 2);
                    EXPECT_EQ(heard.all.size(), rows * s);
                    for (const auto& [row, column, cycle] : heard.all) {
                        const std::uint64_t entry =
                            std::max((row + 1) * slow - 1, rounded_up((row + 1) * s, narrow) - 1);
                        ASSERT_EQ(cycle, entry + s - 1 + column) << "side " << s << " row " << row;
                    }
                    ASSERT_TRUE(same_bits(job.result, expected));
                }
            }
        }
    });
}

// An array of 4 x 4 in which operands and sums are registered in every element, as in third-party RTL, delivers M rows
// M + 10 cycles after the first has entered.
TEST_P(systolic_schedule_test, sums_pass_as_many_registers_as_a_multiply_add_has_cycles)
{
    struct pipeline {
        unsigned side, depth;
    };
    const std::vector<pipeline> all{{1, 2}, {1, 5}, {3, 2}, {4, 2}, {4, 7}, {8, 3}, {5, 64}};
    for (const auto& p : all) { make_array(p.side, 0, 0, p.depth); }
    simulate([&] {
        for (std::size_t a = 0; a < all.size(); ++a) {
            const std::uint64_t s = all[a].side, d = all[a].depth;
            for (const std::uint64_t rows : {1u, 2u, 4u, 20u}) {
                auto job = random_job(all[a].side, rows);
                const auto expected = job.expected().first;
                EXPECT_EQ(timed([&] { return job.load(*m_arrays[a]); }).cycles, s);
                heard_results heard;
                m_arrays[a]->listen(&heard);
                const auto cycles = timed([&] { return job.stream(*m_arrays[a]); }).cycles;
                EXPECT_EQ(cycles, rows - 1 + d * s + s - 1);
                if (s == 4 && d == 2) { EXPECT_EQ(cycles, rows + 10); }
                EXPECT_EQ(heard.all.size(), rows * s);
                for (const auto& [row, column, cycle] : heard.all) { ASSERT_EQ(cycle, row + d * s - 1 + column); }
                ASSERT_TRUE(same_bits(job.result, expected));
            }
        }
    });
}

TEST_P(systolic_schedule_test, weights_stay_for_any_number_of_streams)
{
    auto& array = make_array(4);
    simulate([&] {
        auto job = random_job(4, 9);
        job.load(array);
        for (unsigned turn = 0; turn < 3; ++turn) {
            auto next = random_job(4, 5 + turn);
            next.weights = job.weights;
            const auto expected = next.expected().first;
            next.stream(array);
            EXPECT_TRUE(same_bits(next.result, expected));
        }
    });
}

TEST_P(systolic_schedule_test, arrays_work_at_the_same_time_without_disturbing_each_other)
{
    for (const unsigned side : {4u, 4u, 7u}) { make_array(side); }
    std::vector<array_job<double>> jobs;
    unsigned finished = 0;
    for (std::size_t a = 0; a < m_arrays.size(); ++a) { jobs.push_back(random_job(a < 2 ? 4 : 7, 20 + a)); }
    for (std::size_t a = 0; a < m_arrays.size(); ++a) {
        sc_core::sc_spawn([this, a, &jobs, &finished] {
            const auto expected = jobs[a].expected().first;
            sc_core::wait(static_cast<double>(a) * array_period());
            jobs[a].load(*m_arrays[a]);
            jobs[a].stream(*m_arrays[a]);
            EXPECT_TRUE(same_bits(jobs[a].result, expected));
            ++finished;
        });
    }
    sc_core::sc_start();
    EXPECT_EQ(finished, 3u);
}

INSTANTIATE_TEST_SUITE_P(both, systolic_schedule_test,
                         testing::Values(blocks::fidelity::fast, blocks::fidelity::detailed), [](const auto& fidelity) {
                             return fidelity.param == blocks::fidelity::fast ? "fast" : "detailed";
                         });

} // namespace
