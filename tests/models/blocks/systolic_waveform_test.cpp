// What waveforms show of a systolic array: registers of elements, cycle by cycle, and its phase in both fidelities.
#define SC_INCLUDE_DYNAMIC_PROCESSES // sc_spawn
#include <cstdint>
#include <memory>
#include <random>
#include <vector>
#include <gtest/gtest.h>
#include "models/blocks/array_bench.h"
#include "support/sim_test.h"

namespace {

using namespace tensorloom;
using namespace tensorloom::test;

class systolic_waveform_test : public sim_test {
protected:
    static blocks::systolic_array_config settings(unsigned side, blocks::fidelity model)
    {
        blocks::systolic_array_config c;
        c.side = side;
        c.model = model;
        c.clock_period = array_period();
        return c;
    }
    bus::stop_request m_stop;
};

TEST_F(systolic_waveform_test, an_element_shows_the_operand_and_the_sum_of_the_row_that_passes_it)
{
    constexpr unsigned side = 4;
    constexpr std::uint64_t rows = 7;
    const auto array = blocks::make_systolic_array("array", settings(side, blocks::fidelity::detailed), m_stop);
    std::vector<const blocks::element_waveform*> shown;
    for (unsigned i = 0; i < side; ++i) {
        for (unsigned j = 0; j < side; ++j) { shown.push_back(array->watch(i, j)); }
    }
    std::mt19937_64 random(3);
    auto job = array_job<double>::whole(side, rows, random, ordinary_element<double, std::mt19937_64>);
    std::uint64_t seen = 0;
    const auto check = [&](std::uint64_t cycle) { // that has just ended
        for (unsigned i = 0; i < side; ++i) {
            for (unsigned j = 0; j < side; ++j) {
                const auto& w = *shown[i * side + j];
                const bool valid = cycle >= i + j && cycle - i - j < rows;
                ASSERT_EQ(w.valid, valid) << "cycle " << cycle << " element " << i << " " << j;
                EXPECT_EQ(w.weight.re, job.weights[i * side + j]);
                if (!valid) { continue; }
                const double* const x = job.left.data() + (cycle - i - j) * side;
                std::uint64_t none = 0;
                EXPECT_EQ(w.a_out.re, x[i]);
                EXPECT_EQ(w.c_out.re, naive_sum(x, job.weights.data() + j, i + 1, side, none));
                ++seen;
            }
        }
    };
    sc_core::sc_spawn([&] {
        sc_core::wait(static_cast<double>(side) * array_period() + sc_core::sc_time(1, sc_core::SC_PS));
        for (std::uint64_t k = 0; k < rows + 2 * side - 2; ++k) {
            sc_core::wait(array_period());
            check(k);
        }
    });
    simulate([&] {
        job.load(*array);
        job.stream(*array);
    });
    EXPECT_EQ(seen, rows * side * side);
}

TEST_F(systolic_waveform_test, weights_move_down_a_row_in_every_cycle_of_a_load)
{
    constexpr unsigned side = 3;
    const auto array = blocks::make_systolic_array("array", settings(side, blocks::fidelity::detailed), m_stop);
    std::vector<const blocks::element_waveform*> shown;
    for (unsigned i = 0; i < side; ++i) { shown.push_back(array->watch(i, 1)); }
    std::mt19937_64 random(3);
    auto job = array_job<double>::whole(side, 1, random, ordinary_element<double, std::mt19937_64>);
    sc_core::sc_spawn([&] {
        for (unsigned t = 0; t < side; ++t) {
            sc_core::wait(array_period() + sc_core::sc_time(t == 0 ? 1 : 0, sc_core::SC_PS));
            for (unsigned i = 0; i < side; ++i) { // row side-1-t entered last, at the top
                EXPECT_EQ(shown[i]->weight.re, i <= t ? job.weights[(side - 1 - t + i) * side + 1] : 0.0);
            }
        }
    });
    simulate([&] { job.load(*array); });
}

TEST_F(systolic_waveform_test, phase_and_row_are_the_same_in_both_fidelities)
{
    blocks::systolic_array_config c = settings(5, blocks::fidelity::fast);
    c.in_words = 3;
    c.out_words = 4;
    const auto fast = blocks::make_systolic_array("fast", c, m_stop);
    c.model = blocks::fidelity::detailed;
    const auto detailed = blocks::make_systolic_array("detailed", c, m_stop);
    EXPECT_EQ(fast->watch(0, 0), nullptr);
    const auto& a = fast->watch();
    const auto& b = detailed->watch();
    std::mt19937_64 random(3);
    auto job = array_job<double>::whole(5, 6, random, ordinary_element<double, std::mt19937_64>);
    auto other = job;
    unsigned finished = 0;
    const auto work = [&finished](blocks::systolic_array& array, array_job<double>& assigned) {
        assigned.load(array);
        assigned.stream(array);
        ++finished;
    };
    std::vector<std::uint64_t> phases;
    std::vector<std::uint64_t> rows;
    sc_core::sc_spawn([&] { work(*fast, job); });
    sc_core::sc_spawn([&] { work(*detailed, other); });
    sc_core::sc_spawn([&] {
        sc_core::wait(sc_core::sc_time(1, sc_core::SC_PS));
        for (; finished < 2; sc_core::wait(array_period())) {
            EXPECT_EQ(a.phase, b.phase);
            EXPECT_EQ(a.row, b.row);
            phases.push_back(a.phase);
            rows.push_back(a.row);
        }
    });
    sc_core::sc_start();
    // 25 weights through 3 words: rows enter in cycles 1, 3, 4, 6, 8. 30 operands: 1, 3, 4, 6, 8, 9, and 8 cycles to
    // drain.
    EXPECT_EQ(phases, (std::vector<std::uint64_t>{1, 1, 1, 1, 1, 1, 1, 1, 1, 2, 2, 2, 2, 2,
                                                  2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2}));
    EXPECT_EQ(rows, (std::vector<std::uint64_t>{0, 0, 1, 1, 2, 3, 3, 4, 4, 0, 0, 1, 1, 2,
                                                3, 3, 4, 4, 5, 6, 6, 6, 6, 6, 6, 6, 6}));
    EXPECT_EQ(a.phase, 0u);
    EXPECT_TRUE(same_bits(job.result, other.result));
}

} // namespace
