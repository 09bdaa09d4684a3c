#include <tensorloom/workloads/gemt_reference.h>

#include <algorithm>
#include <limits>
#include <numeric>

#include <gmock/gmock.h>

#include "gemt_case.h"
#include "support/message_of.h"

namespace tensorloom::test {
namespace {

using testing::HasSubstr;
using workloads::compute_reference;
using workloads::tensor;

constexpr double infinity = std::numeric_limits<double>::infinity();

template <class T> class gemt_reference : public testing::Test {};
TYPED_TEST_SUITE(gemt_reference, wide_element_types);

TYPED_TEST(gemt_reference, is_the_direct_sum_in_every_order_and_shape)
{
    using wide = typename workloads::wide_type<TypeParam>::type;
    const std::pair<workloads::shape3, workloads::shape3> shapes[] = {{{1, 1, 1}, {1, 1, 1}},
                                                                      {{3, 4, 5}, {3, 4, 5}},
                                                                      {{5, 1, 9}, {5, 1, 9}},
                                                                      {{2, 7, 4}, {6, 3, 1}},
                                                                      {{8, 4, 1}, {1, 5, 3}}};
    for (const auto& [inputs, results] : shapes) {
        const gemt_case<TypeParam> values(inputs, results);
        for (bool accumulate : {false, true}) {
            const auto expected = values.template direct<wide>(accumulate);
            for (const auto& order : mode_orders) {
                const auto reference = compute_reference(values.problem(order, accumulate));
                ASSERT_EQ(reference.values.shape, expected.shape);
                ASSERT_TRUE(reference.comparable.empty());
                for (std::size_t i = 0; i < expected.data.size(); ++i) {
                    ASSERT_LT(std::abs(reference.values.data[i] - expected.data[i]), 1e-17L) << i; // |Y| < 60
                }
            }
        }
    }
}

template <class T> std::vector<double> fractions_told(double largest)
{
    gemt_case<T> values({6, 9, 5}, {7, 3, 8});
    values.x.data[0] = T(largest);
    std::vector<double> told;
    auto problem = values.problem();
    problem.progress = [&](double done) { told.push_back(done); };
    compute_reference(problem);
    return told;
}

TEST(gemt_reference_progress, grows_to_the_end)
{
    for (const auto& told : {fractions_told<double>(1), fractions_told<std::complex<float>>(1),
                             fractions_told<float>(3e38), fractions_told<std::int8_t>(1)}) {
        ASSERT_GT(told.size(), 10u);
        EXPECT_TRUE(std::is_sorted(told.begin(), told.end()));
        EXPECT_GT(told.front(), 0);
        EXPECT_LT(told.front(), 0.2);
        EXPECT_NEAR(told.back(), 1, 1e-12);
    }
    const auto told = fractions_told<arithmetic::bfloat16>(1); // how often a stage is summed depends on the data
    EXPECT_TRUE(std::is_sorted(told.begin(), told.end()));
    EXPECT_GE(told.back(), 0.7);
    EXPECT_LE(told.back(), 1 + 1e-12);
}

// X and C of the integer test inputs (TriADA, deterministic test inputs); the sums are those of a cell-by-cell oracle.
TEST(gemt_reference_golden, integer_inputs_give_exact_sums)
{
    gemt_case<double> values({3, 4, 5}, {3, 4, 5});
    for (int at = 0; at < 60; ++at) {
        values.x.data[at] = (7 * (at / 20) + 11 * (at / 5 % 4) + 13 * (at % 5)) % 17 - 8;
    }
    for (int s = 0; s < 3; ++s) {
        const int size = static_cast<int>(values.n[s]);
        for (int a = 0; a < size; ++a) {
            for (int b = 0; b < size; ++b) { values.c[s][a * size + b] = (3 * a + 5 * b + s + 1) % 7 - 3; }
        }
    }
    for (const auto& order : mode_orders) {
        const auto y = compute_reference(values.problem(order)).values.data;
        EXPECT_EQ(std::accumulate(y.begin(), y.end(), 0.0L), -198);
        EXPECT_EQ(
            std::accumulate(y.begin(), y.end(), 0.0L, [](long double sum, long double v) { return sum + std::abs(v); }),
            13060);
        EXPECT_EQ(y.front(), 116);
        EXPECT_EQ(y.back(), -170);
    }
}

TEST(gemt_reference_range, what_is_not_finite_spreads_to_its_results_alone)
{
    gemt_case<double> values({2, 3, 4}, {2, 3, 4});
    for (auto& c : values.c) { std::fill(c.begin(), c.end(), 0.0); }
    for (int s = 0; s < 3; ++s) {
        for (std::size_t i = 0; i < values.n[s]; ++i) { values.c[s][i * values.n[s] + i] = 1; }
    }
    values.c[1][0 * 3 + 2] = infinity; // every result with k2 = 2
    const auto reference = compute_reference(values.problem());
    ASSERT_EQ(reference.comparable.size(), 24u);
    for (std::size_t at = 0; at < 24; ++at) {
        const bool finite = at / 4 % 3 != 2;
        EXPECT_EQ(reference.comparable[at] == 1, finite) << at;
        if (finite) { EXPECT_EQ(reference.values.data[at], values.x.data[at]); }
    }
}

TEST(gemt_reference_range, overflow_of_the_format_on_the_way_is_not_comparable)
{
    gemt_case<float> values({1, 1, 2}, {1, 1, 2});
    values.c[0] = values.c[1] = {1};
    values.c[2] = {1, 1, 1, -1};
    values.x.data = {3e38f, 3e38f}; // the second result is 0, but its partial sums may be 6e38 elsewhere
    EXPECT_THAT(compute_reference(values.problem()).comparable, testing::ElementsAre(0, 0));
    values.x.data = {3e37f, 3e37f};
    EXPECT_TRUE(compute_reference(values.problem()).comparable.empty());
    values.x.data = {1e30f, 1};
    values.c[0] = {1e20f};
    values.c[1] = {1e-20f};
    EXPECT_THAT(compute_reference(values.problem({1, 2, 3})).comparable, testing::ElementsAre(0, 0)); // 1e50 between
    EXPECT_TRUE(compute_reference(values.problem({2, 1, 3})).comparable.empty());
}

TEST(gemt_reference_range, wide_values_do_not_overflow)
{
    gemt_case<double> values({1, 1, 1}, {1, 1, 1});
    values.x.data = {1e300};
    values.c[0] = values.c[1] = values.c[2] = {1e300};
    EXPECT_NEAR(static_cast<double>(std::log10(compute_reference(values.problem()).values.data[0])), 1200, 1e-9);
}

TEST(gemt_reference_arguments, bad_problems_are_refused)
{
    const gemt_case<double> values({2, 3, 4}, {2, 3, 4});
    const auto error = [](const workloads::gemt_problem<double>& problem) {
        return message_of([&] { compute_reference(problem); });
    };
    auto problem = values.problem();
    tensor<double> flat({24});
    problem.x = &flat;
    EXPECT_THAT(error(problem), HasSubstr("1 dimensions found"));
    problem = values.problem({3, 1, 1});
    EXPECT_THAT(error(problem), HasSubstr("permutation"));
    problem = values.problem();
    const std::vector<double> odd(7);
    problem.matrices[1] = &odd;
    EXPECT_THAT(error(problem), HasSubstr("7 elements for mode 2 found, expected a multiple of its 3 rows"));
    const std::vector<double> none;
    problem.matrices[1] = &none;
    EXPECT_THAT(error(problem), HasSubstr("0 elements for mode 2"));
    problem.matrices = {};
    EXPECT_THAT(error(problem), HasSubstr("no matrix found, expected one for at least one mode"));
    problem = values.problem();
    tensor<double> other({2, 4, 3});
    problem.initial = &other;
    EXPECT_THAT(error(problem), HasSubstr("expected 2 x 3 x 4"));
    problem = values.problem();
    problem.shifts = {0, 1, 0};
    EXPECT_THAT(error(problem), HasSubstr("shift of 1 bits found, expected at most 0"));
    for (double bad : {-1.0, std::nan("")}) {
        problem = values.problem();
        problem.threshold = bad;
        EXPECT_THAT(error(problem), HasSubstr("threshold"));
    }
}

// Modes without a matrix: the sums are those with an identity in its place, and fewer roundings may go wrong.
TEST(gemt_reference_modes, modes_without_a_matrix_are_not_summed)
{
    for (const auto& order : mode_orders) {
        for (unsigned summed = 1; summed < 7; ++summed) {
            const workloads::shape3 n{4, 5, 3};
            workloads::shape3 k = n;
            for (unsigned m = 0; m < 3; ++m) { k[m] += (summed >> m & 1u) != 0 ? m + 1 : 0; }
            gemt_case<double> values(n, k, summed);
            auto problem = values.problem(order, true);
            for (unsigned m = 0; m < 3; ++m) {
                if ((summed >> m & 1u) != 0) { continue; }
                problem.matrices[m] = nullptr;
                std::fill(values.c[m].begin(), values.c[m].end(), 0.0);
                for (std::size_t i = 0; i < n[m]; ++i) { values.c[m][i * n[m] + i] = 1; }
            }
            const auto reference = compute_reference(problem);
            const auto expected = values.direct<long double>(true);
            ASSERT_EQ(reference.values.shape, expected.shape);
            for (std::size_t i = 0; i < expected.data.size(); ++i) {
                EXPECT_NEAR(static_cast<double>(reference.values.data[i] - expected.data[i]), 0, 1e-16);
            }
            problem.initial = nullptr; // it would be in the last stage, whichever that is
            const auto sums = compute_reference(problem);
            const auto with_identities = compute_reference(values.problem(order));
            for (std::size_t i = 0; i < expected.data.size(); ++i) {
                EXPECT_LT(sums.uncertainty[i], with_identities.uncertainty[i]);
                EXPECT_GT(sums.uncertainty[i], 0);
            }
        }
    }
}

TEST(gemt_norms, are_over_what_is_finite)
{
    EXPECT_EQ(workloads::column_abs_sum<double>({1, -9, 2, -3, 4, infinity}, 2), 13); // columns 1+3, 9+4, 2+inf
    EXPECT_EQ(workloads::column_abs_sum<std::complex<float>>({{3, 4}, {0, -1}}, 2), 6);
    EXPECT_EQ(workloads::largest_modulus<std::complex<double>>({{3, -4}, {infinity, 0}, {0, std::nan("")}}), 5);
    EXPECT_EQ(workloads::largest_modulus<float>({}), 0);
}

} // namespace
} // namespace tensorloom::test
