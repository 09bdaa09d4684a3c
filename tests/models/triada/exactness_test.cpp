// The corners in which skipping a zero and multiplying by it differ, and NaN bits.
#include <cmath>
#include <limits>
#include <gtest/gtest.h>
#include "models/triada/triada_bench.h"
#include "support/sim_test.h"

namespace {

using namespace tensorloom;
using namespace tensorloom::test;

// Identity but for mode 3, which is summed last, by `row` in column 0: y[0,0,0] = sum_k x[0,0,k] row[k].
gemt_case<double> one_sum(std::vector<double> x, std::vector<double> row, bool esop)
{
    gemt_case<double> g;
    const auto n = static_cast<std::uint32_t>(x.size());
    g.shape = {1, 1, n};
    g.order = {1, 2, 3};
    g.esop = esop;
    g.x = std::move(x);
    g.matrices = {{{1.0}, {1.0}, std::vector<double>(std::size_t{n} * n, 0.0)}};
    for (std::uint32_t k = 0; k < n; ++k) { g.matrices[2][std::size_t{k} * n] = row[k]; }
    return g;
}

class exactness : public sim_test_with_param<triada::fidelity> {
protected:
    std::vector<double> result(const gemt_case<double>& g)
    {
        triada::config config;
        config.mesh = {2, 2, 8};
        config.fidelity = GetParam();
        gemt_outcome<double> outcome;
        triada_bench bench("bench", config, [&](triada_bench& b) { outcome = b.run(g); });
        run_to_end(bench);
        EXPECT_TRUE(same_bits(outcome.y, oracle_result(g)));
        return outcome.y;
    }
};

TEST_P(exactness, minus_zero_of_an_underflow_survives_skipped_zeros)
{
    const auto y = result(one_sum({1e-200, 0, 0}, {-1e-200, 1, 0}, true));
    EXPECT_TRUE(y[0] == 0 && std::signbit(y[0]));
}

TEST_P(exactness, minus_zero_of_an_underflow_is_lost_in_a_dense_sum)
{
    const auto y = result(one_sum({1e-200, 0, 0}, {-1e-200, 1, 0}, false));
    EXPECT_TRUE(y[0] == 0 && !std::signbit(y[0]));
}

TEST_P(exactness, zero_operand_meets_infinite_coefficient_only_when_dense)
{
    EXPECT_EQ(result(one_sum({2, 0}, {3, std::numeric_limits<double>::infinity()}, true))[0], 6);
}

TEST_P(exactness, dense_zero_times_infinity_is_the_canonical_nan)
{
    const auto y = result(one_sum({2, 0}, {3, std::numeric_limits<double>::infinity()}, false));
    EXPECT_TRUE(same_bits(std::vector<double>{y[0]}, {std::numeric_limits<double>::quiet_NaN()}));
}

TEST_P(exactness, initial_minus_zero_survives_without_a_term)
{
    auto g = one_sum({0, 0}, {1, 1}, true);
    g.initial = {-0.0, 5};
    const auto y = result(g);
    EXPECT_TRUE(y[0] == 0 && std::signbit(y[0]));
}

TEST_P(exactness, overflow_of_a_sum_becomes_an_operand_of_the_next_stage)
{
    auto g = one_sum({1e308, 1e308}, {10, 10}, true);
    g.order = {3, 1, 2};
    EXPECT_TRUE(std::isinf(result(g)[0]));
}

TEST_P(exactness, threshold_drops_small_operands)
{
    auto g = one_sum({0.5, 0.25, 1}, {1, 1, 1}, true);
    g.threshold = 0.5;
    EXPECT_EQ(result(g)[0], 1);
}

INSTANTIATE_TEST_SUITE_P(fidelities, exactness, ::testing::Values(triada::fidelity::fast, triada::fidelity::detailed));

} // namespace
