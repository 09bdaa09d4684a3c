// Rounding of sums to operands and of results on their way out, saturation and overflow, by numbers that can be worked
// out by hand.
#include <cstring>
#include <vector>
#include <gtest/gtest.h>
#include "models/triada/core_bench.h"
#include "models/triada/core_case.h"
#include "support/sim_test.h"

namespace {

using namespace tensorloom;
using namespace tensorloom::test;

class low_precision_core_test : public sim_test_with_param<triada::fidelity> {};

// Two sums along mode 1 become operands of one step each, times one coefficient each, added to `initial`.
template <class Element>
core_pass two_operands(const std::vector<arithmetic::accumulator_of<Element>>& sums,
                       const std::vector<Element>& coefficients,
                       const std::vector<arithmetic::accumulator_of<Element>>& initial)
{
    core_pass p{};
    p.loads = {{cell_register::second, {2, 1, 1}, true, bytes_of(sums), {{0, 2}}},
               {cell_register::result, {1, 1, 1}, true, bytes_of(initial), {{0, 1}}}};
    p.box = {2, 1, 1};
    p.mode = 0;
    p.x_mode = 2;
    p.source = cell_register::second;
    p.target = cell_register::result;
    p.esop = true;
    p.columns = 1;
    for (std::uint32_t tag = 0; tag < 2; ++tag) {
        p.rows.push_back({tag, bytes_of(std::vector<Element>{coefficients[tag]})});
    }
    p.bursts = {2};
    p.reads = {{cell_register::result, {1, 1, 1}, 0, 1, true, 0}};
    return p;
}

template <class Element> core_record run(const core_pass& pass, triada::fidelity fidelity)
{
    triada::config config;
    config.mesh = {2, 1, 1};
    config.format = base::element_type_of<Element>;
    config.fidelity = fidelity;
    core_bench<Element> bench("bench", config, {pass});
    sc_core::sc_start();
    EXPECT_TRUE(bench.finished());
    return bench.record();
}

template <class V> V value_of(const bytes& b)
{
    V v{};
    EXPECT_EQ(b.size(), sizeof v);
    std::memcpy(&v, b.data(), sizeof v);
    return v;
}

// 510 / 4 = 127.5 is a tie and goes to 128, which saturates at 127; -514 / 4 = -128.5 is one too and goes to -128,
// which does not.
TEST_P(low_precision_core_test, sums_shift_to_nearest_even_and_saturate_when_they_become_operands)
{
    auto pass = two_operands<std::int8_t>({510, -514}, {1, 100}, {5});
    pass.shift = 2;
    const auto record = run<std::int8_t>(pass, GetParam());
    EXPECT_EQ(value_of<std::int32_t>(record.reads[0]), 5 + 127 - 12800);
    EXPECT_EQ(record.steps[0].counts[triada::event::operand_saturated], 1u);
    EXPECT_EQ(record.steps[1].counts[triada::event::operand_saturated], 0u);
}

TEST_P(low_precision_core_test, sum_out_of_range_wraps_and_is_counted)
{
    const auto pass = two_operands<std::int8_t>({100, 1}, {2, -1}, {std::numeric_limits<std::int32_t>::max() - 199});
    const auto record = run<std::int8_t>(pass, GetParam());
    EXPECT_EQ(value_of<std::int32_t>(record.reads[0]), std::numeric_limits<std::int32_t>::max()); // there and back
    EXPECT_EQ(record.steps[0].counts[triada::event::mac_overflowed], 1u);
    EXPECT_EQ(record.steps[1].counts[triada::event::mac_overflowed], 1u);
}

TEST_P(low_precision_core_test, result_is_rounded_to_elements_or_shifted_as_a_sum)
{
    auto pass = two_operands<std::int8_t>({100, 3}, {10, 2}, {0});    // 1006
    pass.reads = {{cell_register::result, {1, 1, 1}, 0, 1, false, 2}, // 251.5, out of range
                  {cell_register::result, {1, 1, 1}, 0, 1, false, 4}, // 62.875
                  {cell_register::result, {1, 1, 1}, 0, 1, true, 2}}; // 251.5, a tie
    const auto record = run<std::int8_t>(pass, GetParam());
    EXPECT_EQ(value_of<std::int8_t>(record.reads[0]), 127);
    EXPECT_EQ(value_of<std::int8_t>(record.reads[1]), 63);
    EXPECT_EQ(value_of<std::int32_t>(record.reads[2]), 252);
    EXPECT_EQ(record.saturated, (std::vector<std::uint64_t>{1, 0, 0}));
}

// 1 + 2^-8 is half-way between 1 and the next bfloat16, and goes to 1; the sum keeps what a bfloat16 would lose.
TEST_P(low_precision_core_test, bfloat16_rounds_operands_but_not_sums)
{
    const arithmetic::bfloat16 one(1.0f);
    auto pass = two_operands<arithmetic::bfloat16>({1.0f + 0x1p-8f, 0x1p-8f}, {one, one}, {0.0f});
    pass.reads.push_back({cell_register::result, {1, 1, 1}, 0, 1, false, 0});
    const auto record = run<arithmetic::bfloat16>(pass, GetParam());
    EXPECT_EQ(value_of<float>(record.reads[0]), 1.0f + 0x1p-8f);
    EXPECT_EQ(value_of<std::uint16_t>(record.reads[1]), 0x3f80);
}

INSTANTIATE_TEST_SUITE_P(fidelities, low_precision_core_test,
                         ::testing::Values(triada::fidelity::fast, triada::fidelity::detailed));

} // namespace
