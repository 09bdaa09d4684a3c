#include <tensorloom/workloads/gemt_check.h>

#include <limits>

#include <gmock/gmock.h>

#include "gemt_case.h"
#include "support/complaint.h"

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
    check_result check(const tensor<T>& result) const { return check_gemt(result, m_problem, m_reference); }
    gemt_case<T> m_values;
    workloads::gemt_problem<T> m_problem;
    workloads::gemt_reference<T> m_reference;
};
using element_types = testing::Types<double, float, std::complex<double>, std::complex<float>>;
TYPED_TEST_SUITE(gemt_check, element_types);

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

// Powers of two all over, so that the formula can be worked out by hand.
TEST(gemt_check_bound, follows_its_formula)
{
    gemt_case<double> values({2, 1, 4}, {2, 1, 4});
    std::fill(values.x.data.begin(), values.x.data.end(), 0.5);
    std::fill(values.initial.data.begin(), values.initial.data.end(), 16);
    values.x.data[3] = -8;                                    // max|X|
    values.initial.data[5] = -32;                             // max|Y0|
    values.c[0] = {4, 1, -4, 2};                              // S_1 = 8
    values.c[1] = {0.25};                                     // S_2 = 1/4
    std::fill(values.c[2].begin(), values.c[2].end(), 0.125); // S_3 = 1/2
    const auto bound = [&](std::array<unsigned, 3> order, bool accumulate, double threshold) {
        auto problem = values.problem(order, accumulate);
        problem.threshold = threshold;
        const tensor<double> zero({2, 1, 4});
        return check_gemt(zero, problem, compute_reference(problem)).bound;
    };
    const double eps = 0x1p-52, tail = 7 * 0x1p-1074 * 8;
    EXPECT_DOUBLE_EQ(bound({3, 1, 2}, false, 0), 8 * eps * 7 * 8 + tail);
    EXPECT_DOUBLE_EQ(bound({3, 1, 2}, true, 0), 8 * eps * 7 * (8 + 32) + tail);
    EXPECT_DOUBLE_EQ(bound({3, 1, 2}, false, 1), 8 * eps * 7 * 8 + (1 + 8 * 0.25 + 0.25));
    EXPECT_DOUBLE_EQ(bound({2, 3, 1}, false, 1), 8 * eps * 7 * 8 + (1 + 0.5 * 8 + 8));
    values.x.data.assign(8, 0.0);
    EXPECT_EQ(bound({3, 1, 2}, false, 0), tail);
}

TEST(gemt_check_bound, uses_the_epsilon_of_the_format)
{
    const gemt_case<float> single({1, 1, 1}, {1, 1, 1});
    const tensor<float> zero({1, 1, 1});
    gemt_case<float> unit = single;
    unit.x.data = {1};
    unit.c[0] = unit.c[1] = unit.c[2] = {1};
    EXPECT_NEAR(check_gemt(zero, unit.problem(), compute_reference(unit.problem())).bound, 8 * 0x1p-23 * 3, 1e-40);
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
    EXPECT_FALSE(check_gemt(dropped, problem, compute_reference(problem)).passed);
    problem.threshold = 0.001;
    EXPECT_TRUE(check_gemt(dropped, problem, compute_reference(problem)).passed);
}

TEST(gemt_check_errors, are_absolute_and_relative_to_the_largest_reference)
{
    gemt_case<double> values({2, 1, 1}, {2, 1, 1});
    values.x.data = {4, 1};
    values.c[0] = {1, 0, 0, 1};
    values.c[1] = values.c[2] = {1};
    tensor<double> result({2, 1, 1});
    result.data = {4, 2};
    const auto off = check_gemt(result, values.problem(), compute_reference(values.problem()));
    EXPECT_EQ(off.max_abs_error, 1);
    EXPECT_EQ(off.max_rel_error, 0.25);
    EXPECT_EQ(off.max_abs_error_against_float64, 1);
    EXPECT_EQ(off.max_rel_error_against_float64, 0.25);
    values.x.data = result.data = {0, 0};
    const auto nothing = check_gemt(result, values.problem(), compute_reference(values.problem()));
    EXPECT_TRUE(nothing.passed);
    EXPECT_EQ(nothing.max_rel_error, 0);
}

TEST(gemt_check_finite, only_what_is_finite_is_compared)
{
    gemt_case<double> values({3, 1, 1}, {3, 1, 1});
    values.x.data = {1, std::nan(""), 3};
    values.c[0] = {1, 0, 0, 0, 0, 1, 0, 1, 0};
    values.c[1] = values.c[2] = {1};
    for (auto& c : values.c[0]) { c = c == 0 ? 0 : 1; }
    const auto reference = compute_reference(values.problem()); // NaN x 0 is a NaN: nothing is left
    tensor<double> result({3, 1, 1});
    result.data = {1, 3, std::nan("")};
    const auto none = check_gemt(result, values.problem(), reference);
    EXPECT_TRUE(none.passed);
    EXPECT_FALSE(none.finite);
    EXPECT_EQ(none.compared, 0u);

    values.x.data = {1, 2, 3};
    values.c[0] = {1, std::nan(""), 0, 0, 1, 0, 0, 0, 1}; // column 1 is lost, the others stand
    const auto partly = compute_reference(values.problem());
    result.data = {1, std::nan(""), 3};
    EXPECT_TRUE(check_gemt(result, values.problem(), partly).passed);
    EXPECT_FALSE(check_gemt(result, values.problem(), partly).finite);
    EXPECT_EQ(check_gemt(result, values.problem(), partly).compared, 2u);
    result.data[2] = 4;
    EXPECT_FALSE(check_gemt(result, values.problem(), partly).passed);
}

TEST(gemt_check_arguments, another_shape_is_refused)
{
    const gemt_case<double> values({2, 3, 4}, {2, 3, 4});
    const auto reference = compute_reference(values.problem());
    EXPECT_THAT(complaint_of([&] {
                    check_gemt(tensor<double>({2, 4, 3}), values.problem(), reference);
                }),
                HasSubstr("shape"));
}

} // namespace
} // namespace tensorloom::test
