// The paper's waiting rule, read literally, multiplies new operands by old coefficients. The strobe of this model does
// not.
#include <gtest/gtest.h>
#include "models/triada/triada_bench.h"
#include "models/triada/random_case.h"
#include "support/sim_test.h"

namespace {

using namespace tensorloom;
using namespace tensorloom::test;

// A cube with half of its data and coefficients zero: cells often keep a coefficient whose operand never came.
gemt_case<double> half_zero_case()
{
    case_maker maker(7);
    gemt_case<double> g;
    g.shape = {8, 8, 8};
    g.x.resize(g.volume());
    for (auto& x : g.x) { x = maker.chance(0.5) ? 0 : 1 + maker.unit(); }
    for (auto& matrix : g.matrices) {
        matrix.resize(64);
        for (auto& c : matrix) { c = maker.chance(0.5) ? 0 : 1 + maker.unit(); }
    }
    return g;
}

gemt_outcome<double> run_with(triada::wait_rule rule)
{
    triada::config config;
    config.mesh = {8, 8, 8};
    config.fidelity = triada::fidelity::detailed;
    config.wait_rule = rule;
    gemt_outcome<double> outcome;
    triada_bench bench("bench", config, [&](triada_bench& b) { outcome = b.run(half_zero_case()); });
    run_to_end(bench);
    return outcome;
}

class wait_rule_test : public sim_test {};

TEST_F(wait_rule_test, strobe_gives_the_right_result)
{
    EXPECT_TRUE(same_bits(run_with(triada::wait_rule::strobe).y, oracle_result(half_zero_case())));
}

TEST_F(wait_rule_test, literal_rule_uses_stale_coefficients)
{
    const auto outcome = run_with(triada::wait_rule::literal);
    const auto right = oracle_result(half_zero_case());
    std::size_t wrong = 0;
    for (std::size_t i = 0; i < right.size(); ++i) { wrong += outcome.y[i] != right[i] ? 1 : 0; }
    EXPECT_GT(wrong, right.size() / 2);
}

} // namespace
