#include <tensorloom/workloads/gemt_check.h>

#include <limits>

#include <gmock/gmock.h>

#include <tensorloom/models/arithmetic/mac.h>

#include "gemt_case.h"
#include "support/message_of.h"

namespace tensorloom::test {
namespace {

using arithmetic::accumulator_of;
using arithmetic::bfloat16;
using testing::Each;
using testing::ElementsAre;
using testing::HasSubstr;
using workloads::check_gemt;
using workloads::check_result;
using workloads::compute_reference;
using workloads::gemt_problem;
using workloads::tensor;

const std::pair<workloads::shape3, workloads::shape3> shapes[] = {
    {{1, 1, 1}, {1, 1, 1}}, {{6, 7, 5}, {6, 7, 5}}, {{2, 9, 4}, {6, 3, 1}}, {{8, 1, 3}, {3, 5, 8}}};

bfloat16 bf16(float x) { return bfloat16(x); }

// How a sum becomes an operand.
template <class T> T to_nearest(accumulator_of<T> sum, unsigned shift)
{
    return arithmetic::narrowed<T>(sum, shift).value;
}
bfloat16 toward_zero(float sum, unsigned)
{
    const bfloat16 nearest(sum);
    bfloat16 result = nearest;
    if (std::fabs(static_cast<float>(nearest)) > std::fabs(sum)) { --result.bits; }
    return result;
}

// One cell after the other, one multiply-add after the other: what a device does. Operands that are small do not count.
template <class T, class Round>
tensor<accumulator_of<T>> device_result(const gemt_problem<T>& p, const workloads::shape3& k, bool rows_backward,
                                        Round round)
{
    workloads::shape3 n{p.x->shape[0], p.x->shape[1], p.x->shape[2]};
    std::vector<T> x = p.x->data;
    tensor<accumulator_of<T>> y;
    const auto runs = [&](std::size_t stage) { return stage < 3 && p.matrices[p.order[stage] - 1] != nullptr; };
    for (std::size_t stage = 0; stage < 3; ++stage) {
        if (!runs(stage)) { continue; }
        const bool is_last = !runs(stage + 1) && !runs(stage + 2);
        const std::size_t mode = p.order[stage] - 1;
        auto m = n;
        m[mode] = k[mode];
        y = is_last && p.initial ? *p.initial : tensor<accumulator_of<T>>({m[0], m[1], m[2]});
        for (std::size_t at = 0; at < y.data.size(); ++at) {
            std::array<std::size_t, 3> cell{at / (m[1] * m[2]), at / m[2] % m[1], at % m[2]};
            const std::size_t column = cell[mode];
            for (std::size_t t = 0; t < n[mode]; ++t) {
                const std::size_t row = rows_backward ? n[mode] - 1 - t : t;
                cell[mode] = row;
                const T operand = x[(cell[0] * n[1] + cell[1]) * n[2] + cell[2]];
                if (arithmetic::counts_as_zero(operand, p.threshold)) { continue; }
                y.data[at] = arithmetic::mac(y.data[at], operand, (*p.matrices[mode])[row * k[mode] + column]);
            }
        }
        n = m;
        x.resize(y.data.size());
        std::transform(y.data.begin(), y.data.end(), x.begin(), [&](auto sum) { return round(sum, p.shifts[stage]); });
    }
    if (p.rounds_result) {
        std::transform(x.begin(), x.end(), y.data.begin(), arithmetic::widened<T>);
    } else if constexpr (std::is_integral_v<T>) {
        const unsigned shift = p.shifts[runs(2) ? 2 : runs(1) ? 1 : 0]; // of the last stage
        for (auto& sum : y.data) { sum = static_cast<std::int32_t>(arithmetic::shifted_to_nearest(sum, shift)); }
    }
    return y;
}

template <class T> check_result check(const gemt_problem<T>& problem, const tensor<accumulator_of<T>>& result)
{
    return check_gemt(result, compute_reference(problem));
}

template <class T> class low_precision : public testing::Test {};
using low_precision_types = testing::Types<bfloat16, std::int8_t>;
TYPED_TEST_SUITE(low_precision, low_precision_types);

TYPED_TEST(low_precision, what_a_device_computes_passes)
{
    unsigned seed = 0;
    for (const auto& [n, k] : shapes) {
        const gemt_case<TypeParam> values(n, k, ++seed);
        for (const auto& order : mode_orders) {
            for (int variant = 0; variant < 8; ++variant) {
                auto problem = values.problem(order, variant % 2 == 1);
                problem.rounds_result = variant / 2 % 2 == 1;
                if (std::is_integral_v<TypeParam>) { problem.shifts = {7, 8, 5}; }
                const auto result = device_result(problem, k, variant >= 4, to_nearest<TypeParam>);
                const auto checked = check(problem, result);
                ASSERT_TRUE(checked.passed) << checked.max_abs_error << " of " << checked.bound;
                ASSERT_EQ(checked.compared, result.data.size());
            }
        }
    }
}

TYPED_TEST(low_precision, modes_that_are_not_summed_take_no_stage_and_no_rounding)
{
    for (const auto& order : mode_orders) {
        for (unsigned summed = 1; summed < 7; ++summed) {
            const workloads::shape3 n{6, 7, 5};
            workloads::shape3 k = n;
            for (unsigned m = 0; m < 3; ++m) { k[m] -= (summed >> m & 1u) != 0 ? 2 : 0; }
            const gemt_case<TypeParam> values(n, k, summed);
            for (int variant = 0; variant < 4; ++variant) {
                auto problem = values.problem(order, variant % 2 == 1);
                problem.rounds_result = variant / 2 == 1;
                for (unsigned s = 0; s < 3; ++s) {
                    const unsigned mode = order[s] - 1;
                    if ((summed >> mode & 1u) == 0) {
                        problem.matrices[mode] = nullptr;
                    } else if (std::is_integral_v<TypeParam>) {
                        problem.shifts[s] = 6 + s;
                    }
                }
                const auto result = device_result(problem, k, false, to_nearest<TypeParam>);
                const auto checked = check(problem, result);
                ASSERT_TRUE(checked.passed) << checked.max_abs_error << " of " << checked.bound;
                ASSERT_EQ(checked.compared, result.data.size());
            }
        }
    }
}

TYPED_TEST(low_precision, operands_up_to_the_threshold_are_zero)
{
    const gemt_case<TypeParam> values({6, 7, 5}, {6, 7, 5});
    auto problem = values.problem();
    if (std::is_integral_v<TypeParam>) { problem.shifts = {7, 8, 5}; }
    const auto kept = device_result(problem, values.k, false, to_nearest<TypeParam>);
    problem.threshold = std::is_integral_v<TypeParam> ? 30 : 0.3;
    const auto dropped = device_result(problem, values.k, false, to_nearest<TypeParam>);
    EXPECT_TRUE(check(problem, dropped).passed);
    EXPECT_FALSE(check(problem, kept).passed);
    problem.threshold = 0;
    EXPECT_FALSE(check(problem, dropped).passed);
}

// ---- bfloat16

class bfloat16_check : public testing::Test {
protected:
    gemt_case<bfloat16> m_values{{12, 10, 11}, {12, 10, 11}};
    gemt_problem<bfloat16> m_problem = m_values.problem();
    tensor<float> m_result = device_result(m_problem, m_values.k, false, to_nearest<bfloat16>);
};

TEST_F(bfloat16_check, the_bound_is_a_small_part_of_a_rounding_of_the_result)
{
    const auto reference = compute_reference(m_problem);
    double sum = 0, largest = 0;
    for (std::size_t i = 0; i < reference.uncertainty.size(); ++i) {
        sum += reference.uncertainty[i];
        largest = std::max(largest, static_cast<double>(std::abs(reference.values.data[i])));
    }
    EXPECT_LT(sum / static_cast<double>(reference.uncertainty.size()), largest * 0x1p-9);
}

TEST_F(bfloat16_check, sums_that_were_not_rounded_in_between_fail)
{
    tensor<float> result({12, 10, 11});
    const auto exact = m_values.direct<long double>(false);
    std::transform(exact.data.begin(), exact.data.end(), result.data.begin(), [](auto y) { return float(y); });
    EXPECT_FALSE(check(m_problem, result).passed);
}

TEST_F(bfloat16_check, operands_rounded_toward_zero_fail)
{
    EXPECT_FALSE(check(m_problem, device_result(m_problem, m_values.k, false, toward_zero)).passed);
}

TEST_F(bfloat16_check, one_wrong_element_fails)
{
    const auto reference = compute_reference(m_problem);
    for (std::size_t wrong : {0u, 77u, 1319u}) {
        auto result = m_result;
        result.data[wrong] += static_cast<float>(2.1 * reference.uncertainty[wrong]);
        const auto checked = check_gemt(result, reference);
        EXPECT_FALSE(checked.passed) << wrong; // whatever the bounds of the others are
        EXPECT_LT(checked.max_abs_error, 0.5);
    }
    m_result.data[5] = std::numeric_limits<float>::quiet_NaN();
    EXPECT_FALSE(check(m_problem, m_result).passed);
}

TEST_F(bfloat16_check, a_result_in_elements_must_be_the_nearest_one)
{
    m_problem.rounds_result = true;
    EXPECT_TRUE(check(m_problem, device_result(m_problem, m_values.k, false, to_nearest<bfloat16>)).passed);
    EXPECT_FALSE(check(m_problem, m_result).passed); // the sums themselves
}

// 1 + 2^-8 + 2^-30 is just above the tie of 1 and 1 + 2^-7; float drops the 2^-30, and then the tie goes to the even 1.
TEST(bfloat16_tie, either_neighbour_passes_where_float_reaches_a_tie)
{
    gemt_case<bfloat16> values({1, 1, 3}, {1, 1, 1});
    values.x.data = {bf16(1), bf16(0x1p-8f), bf16(0x1p-30f)};
    values.c[0] = values.c[1] = {bf16(1)};
    values.c[2] = {bf16(1), bf16(1), bf16(1)};
    const auto problem = values.problem({3, 1, 2});
    const auto reference = compute_reference(problem);
    EXPECT_EQ(reference.values.data[0], 1 + 0x1p-7L);
    EXPECT_NEAR(reference.uncertainty[0], 0x1p-7, 0x1p-20);

    const auto result = device_result(problem, values.k, false, to_nearest<bfloat16>);
    ASSERT_EQ(result.data[0], 1);
    EXPECT_TRUE(check_gemt(result, reference).passed);

    values.x.data[2] = bf16(0x1p-12f); // too far from the tie for float
    EXPECT_LT(compute_reference(problem).uncertainty[0], 0x1p-20);
    EXPECT_FALSE(check(problem, result).passed);
}

TEST(bfloat16_bound, follows_its_formula)
{
    gemt_case<bfloat16> values({1, 1, 4}, {1, 1, 1});
    values.x.data = {bf16(1), bf16(-2), bf16(4), bf16(0.5f)};
    values.c[0] = {bf16(1)};
    values.c[1] = {bf16(-0.5f)};
    values.c[2] = {bf16(1), bf16(1), bf16(-1), bf16(2)};
    values.initial.data = {16};
    const auto gamma = [](double n) { return 1.001 * n * 0x1p-24 / (1 - n * 0x1p-24); };
    // -4 after the first stage and the second, no tie near: 1 term each; the first has moduli 1 + 2 + 4 + 1.
    EXPECT_DOUBLE_EQ(compute_reference(values.problem({3, 1, 2}, true)).uncertainty[0], gamma(1) * (2 + 16) + 0x1p-149);
    // Last comes the sum of four, each halved before.
    EXPECT_DOUBLE_EQ(compute_reference(values.problem({1, 2, 3}, true)).uncertainty[0],
                     gamma(4) * (4 + 16) + 4 * 0x1p-149);
}

TEST(bfloat16_threshold, an_operand_that_may_be_dropped_or_not_passes_both_ways)
{
    gemt_case<bfloat16> values({1, 1, 3}, {1, 1, 1});
    values.x.data = {bf16(2), bf16(2), bf16(2)};
    values.c[0] = values.c[1] = {bf16(1)};
    values.c[2] = {bf16(0.5f), bf16(0x1p-9f), bf16(0x1p-31f)}; // the sum becomes 1 in float, exact 1 + 2^-7
    auto problem = values.problem({3, 1, 2});
    tensor<float> result({1, 1, 1});
    const auto passes = [&](float y) {
        result.data = {y};
        return check(problem, result).passed;
    };
    problem.threshold = 1;
    ASSERT_EQ(device_result(problem, values.k, false, to_nearest<bfloat16>).data[0], 0);
    EXPECT_TRUE(passes(0));
    EXPECT_TRUE(passes(1 + 0x1p-7f));
    for (double elsewhere : {0.99, 1.02}) {
        problem.threshold = elsewhere;
        EXPECT_EQ(passes(0), elsewhere > 1);
        EXPECT_EQ(passes(1), elsewhere < 1);
    }
}

TEST(bfloat16_range, what_float_may_not_hold_is_not_compared)
{
    gemt_case<bfloat16> values({1, 1, 2}, {1, 1, 2});
    values.c[0] = values.c[1] = {bf16(1)};
    values.c[2] = {bf16(1), bf16(0), bf16(0), bf16(1)};
    values.x.data = {bf16(3e38f), bf16(1)};
    EXPECT_THAT(compute_reference(values.problem()).comparable, ElementsAre(0, 1));
    values.x.data = {bf16(std::nanf("")), bf16(1)}; // NaN x 0 spreads
    EXPECT_THAT(compute_reference(values.problem()).comparable, Each(0));
    EXPECT_EQ(compute_reference(values.problem()).comparable.size(), 2u);
    values.x.data = {bf16(3e37f), bf16(1)};
    EXPECT_TRUE(compute_reference(values.problem()).comparable.empty());
    values.x.data = {bf16(0x1p-133f), bf16(0x1p-130f)}; // subnormal
    const auto problem = values.problem();
    const auto tiny = device_result(problem, values.k, false, to_nearest<bfloat16>);
    EXPECT_EQ(tiny.data[0], 0x1p-133f);
    EXPECT_TRUE(check(problem, tiny).passed);
}

TEST(bfloat16_float64, the_error_is_against_sums_that_were_not_rounded)
{
    gemt_case<bfloat16> values({1, 1, 1}, {1, 1, 1});
    const float x = 1 + 0x1p-7f;
    values.x.data = {bf16(1)};
    values.c[0] = values.c[1] = {bf16(x)};
    values.c[2] = {bf16(x)};
    auto problem = values.problem({3, 1, 2}); // x, then x^2 = 1 + 2^-6 + 2^-14 rounded to 1 + 2^-6, then that times x
    tensor<float> result({1, 1, 1});
    result.data = {(1 + 0x1p-6f) * x};
    const auto checked = check(problem, result);
    EXPECT_TRUE(checked.passed);
    EXPECT_EQ(checked.max_abs_error, 0);
    EXPECT_DOUBLE_EQ(checked.max_abs_error_against_float64, 0x1p-14 * x);
    EXPECT_DOUBLE_EQ(checked.max_rel_error_against_float64, 0x1p-14 / (static_cast<double>(x) * x));
}

TEST(bfloat16_size, what_float_cannot_bound_is_refused)
{
    gemt_case<bfloat16> values({1, 1, (1 << 23) + 1}, {1, 1, 1});
    EXPECT_THAT(message_of([&] { compute_reference(values.problem()); }), HasSubstr("8388609 found"));
}

// ---- int8

TEST(int8_reference, shifts_round_to_nearest_even)
{
    gemt_case<std::int8_t> values({1, 1, 1}, {1, 1, 11});
    values.x.data = {1};
    values.c[0] = values.c[1] = {1};
    values.c[2] = {2, 6, 10, -2, -6, 3, 5, 4, -5, -4, 0};
    auto problem = values.problem({3, 1, 2});
    problem.shifts = {2, 0, 0};
    EXPECT_THAT(compute_reference(problem).values.data, ElementsAre(0, 2, 2, 0, -2, 1, 1, 1, -1, -1, 0));
    problem.shifts = {0, 0, 2};
    EXPECT_THAT(compute_reference(problem).values.data, ElementsAre(0, 2, 2, 0, -2, 1, 1, 1, -1, -1, 0));
    problem.shifts = {1, 0, 1}; // twice rounded
    EXPECT_THAT(compute_reference(problem).values.data, ElementsAre(0, 2, 2, 0, -2, 1, 1, 1, -1, -1, 0));
    problem.shifts = {31, 0, 0};
    EXPECT_THAT(compute_reference(problem).values.data, Each(0));
}

TEST(int8_reference, operands_and_results_in_elements_saturate_and_sums_do_not)
{
    gemt_case<std::int8_t> values({1, 1, 1}, {1, 1, 3});
    values.x.data = {100};
    values.c[2] = {-2, 1, 2};
    values.c[0] = {1};
    values.c[1] = {3};
    auto problem = values.problem({3, 1, 2}); // -200, 100, 200; limited; times 3
    auto reference = compute_reference(problem);
    EXPECT_THAT(reference.values.data, ElementsAre(-384, 300, 381));
    EXPECT_EQ(reference.saturated, 2u);
    problem.rounds_result = true;
    reference = compute_reference(problem);
    EXPECT_THAT(reference.values.data, ElementsAre(-128, 127, 127));
    EXPECT_EQ(reference.saturated, 5u);
    EXPECT_EQ(reference.overflowed, 0u);
    problem.shifts = {1, 0, 2}; // -100, 50, 100; -75, 37.5, 75
    reference = compute_reference(problem);
    EXPECT_THAT(reference.values.data, ElementsAre(-75, 38, 75));
    EXPECT_EQ(reference.saturated, 0u);
}

TEST(int8_reference, sums_beyond_32_bits_are_counted_and_never_pass)
{
    gemt_case<std::int8_t> values({1, 1, 1}, {1, 1, 2});
    values.x.data = {1};
    values.c[0] = values.c[1] = {1};
    values.c[2] = {1, -1};
    values.initial.data = {2147483647, -2147483647};
    const auto problem = values.problem({3, 1, 2}, true);
    const auto reference = compute_reference(problem);
    EXPECT_EQ(reference.overflowed, 1u); // -2147483648 is there
    EXPECT_THAT(reference.values.data, ElementsAre(2147483648.0L, -2147483648.0L));
    const auto wrapped = device_result(problem, values.k, false, to_nearest<std::int8_t>);
    EXPECT_EQ(check_gemt(wrapped, reference).overflowed, 1u);
    EXPECT_FALSE(check_gemt(wrapped, reference).passed);
}

TEST(int8_reference, more_rows_than_32_bits_hold)
{
    constexpr std::size_t rows = 200000;
    gemt_case<std::int8_t> values({1, 1, rows}, {1, 1, 1});
    std::fill(values.x.data.begin(), values.x.data.end(), std::int8_t{-128});
    std::fill(values.c[2].begin(), values.c[2].end(), std::int8_t{-128});
    values.c[0] = values.c[1] = {1};
    const auto last = compute_reference(values.problem({1, 2, 3}));
    EXPECT_EQ(last.values.data[0], 16384.0L * rows); // 1.5 x 2^31
    EXPECT_EQ(last.overflowed, 1u);
    values.c[0] = {0}; // so that the result is right whatever the overflow makes of its operand
    const auto problem = values.problem({3, 1, 2});
    EXPECT_EQ(check(problem, tensor<std::int32_t>({1, 1, 1})).max_abs_error, 0);
    EXPECT_FALSE(check(problem, tensor<std::int32_t>({1, 1, 1})).passed);
    values.c[0] = {1};
    std::fill(values.c[2].begin(), values.c[2].begin() + rows / 2, std::int8_t{0});
    EXPECT_EQ(compute_reference(values.problem({1, 2, 3})).values.data[0], 16384.0L * rows / 2);
    EXPECT_EQ(compute_reference(values.problem({1, 2, 3})).overflowed, 0u);
}

TEST(int8_check, must_be_exact)
{
    const gemt_case<std::int8_t> values({6, 7, 5}, {6, 7, 5});
    auto problem = values.problem();
    problem.shifts = {7, 7, 0};
    auto result = device_result(problem, values.k, false, to_nearest<std::int8_t>);
    EXPECT_TRUE(check(problem, result).passed);
    EXPECT_EQ(check(problem, result).bound, 0);
    EXPECT_EQ(check(problem, result).max_abs_error, 0);
    EXPECT_GT(check(problem, result).saturated, 0u);
    ++result.data[100];
    EXPECT_FALSE(check(problem, result).passed);
    EXPECT_EQ(check(problem, result).max_abs_error, 1);
    problem.shifts[1] = 6;
    EXPECT_FALSE(check(problem, device_result(values.problem(), values.k, false, to_nearest<std::int8_t>)).passed);
}

TEST(int8_float64, the_error_counts_shifts_and_saturation_in_units_of_the_sums)
{
    gemt_case<std::int8_t> values({1, 1, 1}, {1, 1, 1});
    values.x.data = {5};
    values.c[0] = values.c[1] = values.c[2] = {1};
    values.initial.data = {3};
    auto problem = values.problem({3, 1, 2}, true);
    problem.shifts = {1, 1, 1}; // 2.5 -> 2, 1, 1 + 3 = 4 -> 2
    tensor<std::int32_t> result({1, 1, 1});
    result.data = {2};
    auto checked = check(problem, result);
    EXPECT_TRUE(checked.passed);
    EXPECT_EQ(checked.max_abs_error_against_float64, 1); // 2 x 8 against 5 + 3 x 4
    EXPECT_DOUBLE_EQ(checked.max_rel_error_against_float64, 1.0 / 17);

    problem.shifts = {0, 0, 0};
    problem.rounds_result = true;
    values.initial.data = {200};
    result.data = {127};
    checked = check(problem, result);
    EXPECT_TRUE(checked.passed);
    EXPECT_EQ(checked.max_abs_error_against_float64, 205 - 127);
}

TEST(int8_arguments, shifts_beyond_31_are_refused)
{
    const gemt_case<std::int8_t> values({2, 3, 4}, {2, 3, 4});
    auto problem = values.problem();
    problem.shifts = {0, 32, 0};
    EXPECT_THAT(message_of([&] { compute_reference(problem); }), HasSubstr("32 bits found, expected at most 31"));
}

} // namespace
} // namespace tensorloom::test
