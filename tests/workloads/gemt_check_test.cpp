#include <tensorloom/workloads/gemt_check.h>

#include <cmath>
#include <limits>

#include <gmock/gmock.h>

#include <tensorloom/workloads/gemt_sums.h>

#include "gemt_case.h"
#include "support/message_of.h"

namespace tensorloom::test {
namespace {

using testing::HasSubstr;
using workloads::check_gemt;
using workloads::check_result;
using workloads::compute_reference;
using workloads::tensor;

template <class T> class gemt_check : public testing::Test {
protected:
    gemt_check()
        : m_values({6, 7, 5}, {6, 7, 5}), m_problem(m_values.problem({3, 1, 2}, true)),
          m_reference(compute_reference(m_problem))
    {}
    check_result check(const tensor<T>& result) const { return check_gemt(result, m_reference); }
    gemt_case<T> m_values;
    workloads::gemt_problem<T> m_problem;
    workloads::gemt_reference<T> m_reference;
};
TYPED_TEST_SUITE(gemt_check, wide_element_types);

TYPED_TEST(gemt_check, a_computation_in_the_format_passes)
{
    const auto result = this->check(this->m_values.template direct<TypeParam>(true));
    EXPECT_TRUE(result.passed);
    EXPECT_TRUE(result.finite);
    EXPECT_EQ(result.compared, 210u);
    EXPECT_GT(result.max_abs_error, 0);
    EXPECT_LT(result.max_abs_error, result.bound);
}

TYPED_TEST(gemt_check, an_error_above_the_bound_fails)
{
    auto result = this->m_values.template direct<TypeParam>(true);
    const double bound = this->check(result).bound;
    result.data[100] += static_cast<TypeParam>(1.5 * bound);
    EXPECT_FALSE(this->check(result).passed);
    EXPECT_NEAR(this->check(result).max_abs_error, 1.5 * bound, 0.2 * bound);
}

TYPED_TEST(gemt_check, a_lost_element_fails)
{
    auto result = this->m_values.template direct<TypeParam>(true);
    result.data[0] = 0;
    const auto check = this->check(result);
    EXPECT_FALSE(check.passed);
    EXPECT_TRUE(check.finite);
}

TYPED_TEST(gemt_check, a_result_that_is_not_finite_where_the_reference_is_fails)
{
    for (float bad : {std::numeric_limits<float>::quiet_NaN(), std::numeric_limits<float>::infinity()}) {
        auto result = this->m_values.template direct<TypeParam>(true);
        result.data[3] = bad;
        const auto check = this->check(result);
        EXPECT_FALSE(check.passed);
        EXPECT_TRUE(check.finite);
        EXPECT_EQ(check.max_abs_error, std::numeric_limits<double>::infinity());
    }
}

// Powers of two all over, so that the formulas can be worked out by hand. One result; the modes are summed 3, 1, 2.
TEST(gemt_check_bound, follows_its_formula)
{
    gemt_case<double> values({2, 1, 4}, {1, 1, 1});
    values.x.data = {1, -2, 4, 1, 0, 0, 0, 8};
    values.initial.data = {-32};
    values.c[0] = {0.5, -2};
    values.c[1] = {0.25};
    values.c[2] = {1, 1, -1, 0.5};
    const double u = 0x1p-53;
    const auto gamma = [u](double n) { return 1.01 * n * u / (1 - n * u); };
    // Stage 1: moduli 1 + 2 + 4 + 1/2 and 4, sums -4.5 and 4. Stage 2: moduli of 2.25 and 8, sum -10.25. Stage 3 has it
    // times 1/4, and the initial number.
    const double p1[] = {7.5, 4}, d1[] = {gamma(4) * p1[0], gamma(4) * p1[1]};
    const double p2 = (4.5 + d1[0]) / 2 + (4 + d1[1]) * 2, d2 = d1[0] / 2 + d1[1] * 2 + gamma(2) * p2;
    const auto d3 = [&](double initial) { return d2 / 4 + gamma(1) * ((10.25 + d2) / 4 + initial); };
    const auto reference = [&](bool accumulate) { return compute_reference(values.problem({3, 1, 2}, accumulate)); };
    EXPECT_NEAR(reference(false).uncertainty[0], d3(0), 1e-12 * d3(0));
    EXPECT_NEAR(reference(true).uncertainty[0], d3(32), 1e-12 * d3(32));

    const auto check = check_gemt(tensor<double>({1, 1, 1}), reference(false));
    EXPECT_DOUBLE_EQ(check.worst_case_bound, reference(false).uncertainty[0]);
    EXPECT_DOUBLE_EQ(check.bound, reference(false).probable[0]);
}

TEST(gemt_check_bound, that_is_probable_follows_its_formula)
{
    gemt_case<double> values({1, 2, 400}, {1, 1, 1});
    std::fill(values.x.data.begin(), values.x.data.end(), 0.5);
    values.c[0] = {3};
    values.c[1] = {1, -2};
    std::fill(values.c[2].begin(), values.c[2].end(), 1.0);
    const auto reference = compute_reference(values.problem({3, 1, 2}));
    // 200 twice; three times that; 600 - 1200 with moduli of 1800. What is known of operands only within d adds 1e-13.
    const double u = 0x1p-53, v1 = 400 * 200.0 * 200.0, v2 = 9 * v1 + 600.0 * 600.0, v3 = 5 * v2 + 2 * 1800.0 * 1800.0;
    const double probable = 1.01 * std::sqrt(2 * std::log(4e6)) * u * std::sqrt(v3 / 3);
    EXPECT_LT(probable, reference.uncertainty[0]);
    EXPECT_NEAR(reference.probable[0], probable, 1e-10 * probable);

    values.x.data.resize(2);
    values.x.shape = {1, 2, 1};
    values.c[2] = {1};
    const auto few = compute_reference(values.problem({3, 1, 2})); // three roundings and one: as large as they can be
    EXPECT_EQ(few.probable[0], few.uncertainty[0]);
}

TEST(gemt_check_bound, of_nothing_is_what_may_vanish)
{
    gemt_case<double> values({2, 1, 4}, {1, 1, 1});
    values.x.data.assign(8, 0.0);
    const auto reference = compute_reference(values.problem());
    EXPECT_GT(reference.uncertainty[0], 0);
    EXPECT_LT(reference.uncertainty[0], 1e-320);
}

TEST(gemt_check_bound, uses_the_roundings_of_the_format)
{
    const auto bound = [](auto one) {
        using T = decltype(one);
        gemt_case<T> values({1, 1, 1}, {1, 1, 1});
        values.x.data = {one};
        values.c[0] = values.c[1] = values.c[2] = {one};
        return check_gemt(tensor<T>({1, 1, 1}), compute_reference(values.problem())).bound;
    };
    EXPECT_NEAR(bound(1.0f), 1.01 * 3 * 0x1p-24, 1e-3 * 0x1p-24);
    EXPECT_NEAR(bound(1.0), 1.01 * 3 * 0x1p-53, 1e-3 * 0x1p-53);
    EXPECT_NEAR(bound(std::complex<float>(1)), std::sqrt(2) * 1.01 * 6 * 0x1p-24, 1e-3 * 0x1p-24);
}

// Every product and sum rounded as in a cell, stage by stage.
template <class T> tensor<T> summed_in_the_format(const gemt_case<T>& values)
{
    std::vector<T> x = values.x.data;
    const auto problem = values.problem();
    const auto stages = workloads::gemt_stages(values.n, values.k, problem.order, problem.matrices);
    for (const auto& stage : stages) {
        std::vector<T> y(stage.results());
        for (std::size_t i = 0; i < y.size(); ++i) {
            const std::size_t inner = i % stage.inner, k = i / stage.inner % stage.columns,
                              outer = i / stage.inner / stage.columns;
            for (std::size_t n = 0; n < stage.rows; ++n) {
                y[i] = std::fma(x[(outer * stage.rows + n) * stage.inner + inner],
                                values.c[stage.mode][n * stage.columns + k], y[i]);
            }
        }
        x = std::move(y);
    }
    tensor<T> result({values.k[0], values.k[1], values.k[2]});
    result.data = std::move(x);
    return result;
}

// A bound by the largest modulus and the largest column sums was 6e4 times what goes wrong here.
TEST(gemt_check_bound, is_near_what_goes_wrong)
{
    for (const unsigned seed : {1u, 2u, 3u}) {
        gemt_case<float> values({32, 32, 32}, {32, 32, 32}, seed);
        for (auto& c : values.c) {
            for (auto& one : c) { one *= 0.3f; } // columns with a length of about 1, as orthonormal ones
        }
        const auto reference = compute_reference(values.problem());
        auto found = summed_in_the_format(values);
        const auto check = check_gemt(found, reference);
        EXPECT_TRUE(check.passed);
        EXPECT_EQ(check.systematic, 0u);
        EXPECT_GT(check.max_abs_error, 0);
        EXPECT_LT(check.worst_case_bound, 500 * check.max_abs_error);
        EXPECT_LT(check.bound, 25 * check.max_abs_error);
        EXPECT_LT(check.worst_of_bound, 1);
        // Within the bound for any roundings, and yet wrong.
        found.data[7] += static_cast<float>(2 * check.bound);
        const auto wrong = check_gemt(found, reference);
        EXPECT_LT(wrong.max_abs_error, check.worst_case_bound);
        EXPECT_FALSE(wrong.passed);
        EXPECT_EQ(wrong.systematic, 0u);
        EXPECT_GT(wrong.worst_of_bound, 1);
    }
}

// Rounding errors of equal numbers have a pattern: all sums round alike. The bound holds, whatever they are.
TEST(gemt_check_bound, holds_for_numbers_that_are_all_equal)
{
    for (const float x : {0.1f, 1.7f, 3e-3f}) {
        gemt_case<float> values({64, 40, 48}, {4, 4, 4});
        std::fill(values.x.data.begin(), values.x.data.end(), x);
        for (auto& c : values.c) { std::fill(c.begin(), c.end(), 0.7f); }
        EXPECT_TRUE(check_gemt(summed_in_the_format(values), compute_reference(values.problem())).passed) << x;
    }
}

// They exceed what independent roundings do; the same sums in the format are off alike.
TEST(gemt_check_bound, of_equal_numbers_is_around_their_sums_in_the_format)
{
    gemt_case<float> values({1, 1, 4096}, {1, 1, 1});
    std::fill(values.x.data.begin(), values.x.data.end(), 0.1f);
    for (auto& c : values.c) { std::fill(c.begin(), c.end(), 1.0f); }
    const auto reference = compute_reference(values.problem());
    auto found = summed_in_the_format(values);
    const auto check = check_gemt(found, reference);
    EXPECT_TRUE(check.passed);
    EXPECT_EQ(check.systematic, 1u);
    EXPECT_GT(check.max_abs_error, check.bound);
    EXPECT_LT(check.max_abs_error, check.worst_case_bound);
    found.data[0] -= static_cast<float>(1.5 * check.bound); // what the pattern does not explain
    EXPECT_FALSE(check_gemt(found, reference).passed);
}

// Squares of 1e-200 times 1e200 vanish.
TEST(gemt_check_bound, of_an_element_far_below_the_others_is_that_of_its_own_sums)
{
    gemt_case<double> values({2, 1, 8}, {2, 1, 1}, 5);
    for (std::size_t i = 0; i < 8; ++i) {
        values.x.data[i] *= 1e200;
        values.x.data[8 + i] *= 1e-100;
    }
    values.c[0] = {1, 0, 0, 1};
    values.c[1] = {1};
    const auto reference = compute_reference(values.problem());
    EXPECT_GT(reference.probable[1], 0);
    EXPECT_LT(reference.probable[1], 1e-113);
    EXPECT_EQ(reference.probable[1], reference.uncertainty[1]);
}

TEST(gemt_check_bound, that_is_not_finite_passes_nothing)
{
    gemt_case<double> values({1, 1, 1}, {1, 1, 1});
    auto reference = compute_reference(values.problem());
    tensor<double> exact({1, 1, 1});
    exact.data = {static_cast<double>(reference.values.data[0])};
    EXPECT_TRUE(check_gemt(exact, reference).passed);
    for (const double bad : {std::numeric_limits<double>::infinity(), std::nan("")}) {
        reference.uncertainty[0] = bad;
        EXPECT_FALSE(check_gemt(exact, reference).passed);
    }
}

TEST(gemt_check_threshold, lets_what_was_dropped_pass)
{
    gemt_case<double> values({2, 1, 1}, {2, 1, 1});
    values.x.data = {1, 0.001};
    values.c[0] = {1, 0, 0, 1};
    values.c[1] = values.c[2] = {1};
    auto problem = values.problem();
    tensor<double> dropped({2, 1, 1});
    dropped.data = {1, 0};
    EXPECT_FALSE(check_gemt(dropped, compute_reference(problem)).passed);
    problem.threshold = 0.001;
    EXPECT_TRUE(check_gemt(dropped, compute_reference(problem)).passed);
}

TEST(gemt_check_errors, are_absolute_and_relative_to_the_largest_reference)
{
    gemt_case<double> values({2, 1, 1}, {2, 1, 1});
    values.x.data = {4, 1};
    values.c[0] = {1, 0, 0, 1};
    values.c[1] = values.c[2] = {1};
    tensor<double> result({2, 1, 1});
    result.data = {4, 2};
    const auto off = check_gemt(result, compute_reference(values.problem()));
    EXPECT_EQ(off.max_abs_error, 1);
    EXPECT_EQ(off.max_rel_error, 0.25);
    EXPECT_EQ(off.max_abs_error_against_float64, 1);
    EXPECT_EQ(off.max_rel_error_against_float64, 0.25);
    values.x.data = result.data = {0, 0};
    const auto nothing = check_gemt(result, compute_reference(values.problem()));
    EXPECT_TRUE(nothing.passed);
    EXPECT_EQ(nothing.max_rel_error, 0);
}

TEST(gemt_check_finite, what_is_not_is_compared_with_the_same)
{
    gemt_case<double> values({3, 1, 1}, {3, 1, 1});
    values.x.data = {1, std::nan(""), 3};
    values.c[0] = {1, 0, 0, 0, 0, 1, 0, 1, 0};
    values.c[1] = values.c[2] = {1};
    for (auto& c : values.c[0]) { c = c == 0 ? 0 : 1; }
    const auto reference = compute_reference(values.problem()); // NaN x 0 is a NaN: nothing is left
    tensor<double> result({3, 1, 1});
    result.data = {1, 3, std::nan("")};
    const auto none = check_gemt(result, reference);
    EXPECT_FALSE(none.passed);
    EXPECT_FALSE(none.finite);
    EXPECT_EQ(none.max_abs_error, std::numeric_limits<double>::infinity());
    EXPECT_EQ(none.max_rel_error, std::numeric_limits<double>::infinity());
    result.data.assign(3, std::nan(""));
    const auto same = check_gemt(result, reference);
    EXPECT_TRUE(same.passed);
    EXPECT_EQ(same.not_finite, 3u);
    EXPECT_EQ(same.max_rel_error, 0);
    auto skipping = values.problem();
    skipping.skips_zeros = true; // NaN x 0 is skipped: elements 0 and 1 stand
    result.data = {1, 3, std::nan("")};
    const auto skipped = check_gemt(result, compute_reference(skipping));
    EXPECT_TRUE(skipped.passed);
    EXPECT_EQ(skipped.not_finite, 1u);

    values.x.data = {1, 2, 3};
    values.c[0] = {1, std::nan(""), 0, 0, 1, 0, 0, 0, 1}; // column 1 is lost, the others stand
    const auto partly = compute_reference(values.problem());
    result.data = {1, std::nan(""), 3};
    EXPECT_TRUE(check_gemt(result, partly).passed);
    EXPECT_FALSE(check_gemt(result, partly).finite);
    EXPECT_EQ(check_gemt(result, partly).compared, 3u);
    EXPECT_EQ(check_gemt(result, partly).not_finite, 1u);
    result.data[1] = std::numeric_limits<double>::infinity(); // another than NaN
    EXPECT_FALSE(check_gemt(result, partly).passed);
    result.data[1] = std::nan("");
    result.data[2] = 4;
    EXPECT_FALSE(check_gemt(result, partly).passed);
}

TEST(gemt_check_finite, finite_data_whose_results_overflow_fails_even_where_others_are_right)
{
    gemt_case<double> values({2, 1, 1}, {2, 1, 1});
    values.x.data = {8e307, 1};
    values.c[0] = {10, 0, 0, 1}; // element 0 overflows
    values.c[1] = values.c[2] = {1};
    tensor<double> result({2, 1, 1});
    result.data = {std::numeric_limits<double>::infinity(), 1};
    const auto overflow = check_gemt(result, compute_reference(values.problem()));
    EXPECT_FALSE(overflow.passed);
    EXPECT_FALSE(overflow.finite);
    EXPECT_EQ(overflow.compared, 1u);
    values.c[0][0] = 1.5; // too close to the end to be compared, but in range
    result.data[0] = 1.2e308;
    EXPECT_TRUE(check_gemt(result, compute_reference(values.problem())).passed);
}

TEST(gemt_check_arguments, another_shape_is_refused)
{
    const gemt_case<double> values({2, 3, 4}, {2, 3, 4});
    const auto reference = compute_reference(values.problem());
    EXPECT_THAT(message_of([&] { check_gemt(tensor<double>({2, 4, 3}), reference); }), HasSubstr("shape"));
}

} // namespace
} // namespace tensorloom::test
