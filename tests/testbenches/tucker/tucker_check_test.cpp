#include "tucker/tucker_check.h"
#include <cmath>
#include <functional>
#include <limits>
#include <gtest/gtest.h>
#include <tensorloom/workloads/fill.h>
#include <tensorloom/workloads/tucker/tucker_tensor.h>

namespace tensorloom::testbench {
namespace {

using workloads::tensor;

/// Multiplies on the host and then spoils the result.
class spoiling_engine : public workloads::ttm_engine {
public:
    std::function<void(tensor<double>&)> spoil = [](tensor<double>&) {};
    tensor<double> multiply(const tensor<double>& x, const workloads::ttm_chain& chain) override
    {
        auto y = m_host.multiply(x, chain);
        spoil(y);
        return y;
    }

private:
    workloads::host_ttm m_host;
};

class tucker_check_test : public testing::Test {
protected:
    tensor<double> x = workloads::fill_tensor<double>(workloads::fill_kind::random, {6, 7, 5}, 0, 1);
    spoiling_engine engine;
    workloads::tucker_request request;
    gemt_settings settings;

    tucker_check_test() { request.ranks = workloads::shape3{3, 3, 3}; }

    /// Decomposes x and expands it again, watched. `error`: what the run claims; none: the true one.
    template <class T = double> tucker_check watched(std::optional<double> error = std::nullopt)
    {
        tucker_checker<T> checker(engine, settings, {3, 1, 2});
        const auto found = workloads::decompose(x, request, checker, checker);
        const auto expanded = workloads::expand(found.form, checker);
        return checker.result(x, request, found.form, error.value_or(workloads::relative_error(x, expanded)));
    }
};

TEST_F(tucker_check_test, a_right_decomposition_passes)
{
    for (const auto method :
         {workloads::tucker_method::hosvd, workloads::tucker_method::st_hosvd, workloads::tucker_method::hooi}) {
        request.method = method;
        const auto check = watched();
        EXPECT_TRUE(check.passed);
        EXPECT_LE(check.max_abs_error, check.bound);
        EXPECT_GE(check.chains, 2u);
        EXPECT_LE(check.norm_gap, 1e-14);
        EXPECT_FALSE(check.tolerance_kept.has_value());
    }
}

// The engine rounds nothing: the checker must not hold that against it, nor the bound be blind.
TEST_F(tucker_check_test, an_element_beyond_the_bound_fails)
{
    const double bound = watched().bound;
    engine.spoil = [&](tensor<double>& y) { y.data[0] += 0.5 * bound; };
    EXPECT_TRUE(watched().passed);
    engine.spoil = [&](tensor<double>& y) { y.data[0] += 10 * bound; };
    const auto check = watched();
    EXPECT_FALSE(check.passed);
    EXPECT_GT(check.max_abs_error, check.bound);
}

TEST_F(tucker_check_test, an_element_that_is_not_a_number_fails)
{
    tucker_checker<double> checker(engine, settings, {3, 1, 2});
    engine.spoil = [](tensor<double>& y) { y.data[1] = std::nan(""); };
    tensor<double> matrix({6, 2});
    matrix.data[0] = matrix.data[3] = 1;
    checker.multiply(x, {&matrix, nullptr, nullptr});
    workloads::tucker_tensor form;
    form.core = x;
    EXPECT_FALSE(checker.result(x, request, form, 0).passed);
}

TEST_F(tucker_check_test, single_precision_is_checked_by_its_own_epsilon)
{
    engine.spoil = [](tensor<double>& y) {
        for (double& value : y.data) { value = static_cast<float>(value); }
    };
    EXPECT_FALSE(watched<double>().passed);
    for (double& value : x.data) { value = static_cast<float>(value); }
    EXPECT_TRUE(watched<float>().passed);
}

TEST_F(tucker_check_test, a_factor_that_is_not_the_best_fails)
{
    tucker_checker<double> checker(engine, settings, {3, 1, 2});
    tensor<double> first({6, 1});
    first.data[0] = 1; // orthonormal, and no singular vector
    checker.truncated(x, 0, first);
    const auto check = checker.result(x, request, {x, {}}, 0);
    EXPECT_FALSE(check.passed);
    EXPECT_GT(check.missed_energy, 0.01);
    EXPECT_EQ(check.orthonormality, 0);
}

TEST_F(tucker_check_test, an_error_that_the_core_does_not_account_for_fails)
{
    const double error = std::sqrt(watched().norm_gap); // 0 but for rounding
    EXPECT_LE(error, 1e-7);
    EXPECT_FALSE(watched(0.1).passed);
    EXPECT_GT(watched(0.1).norm_gap, 1e-3);
}

TEST_F(tucker_check_test, a_tolerance_that_is_missed_fails)
{
    request.ranks.reset();
    request.tolerance = 0.5;
    EXPECT_TRUE(watched().passed);
    EXPECT_TRUE(*watched().tolerance_kept);
    const auto missed = watched(0.6);
    EXPECT_FALSE(missed.passed);
    EXPECT_FALSE(*missed.tolerance_kept);
}

TEST_F(tucker_check_test, a_tolerance_that_only_rounding_exceeds_is_not_kept_and_passes)
{
    for (double& value : x.data) { value = static_cast<float>(value); }
    request.ranks.reset();
    request.tolerance = 1e-12;
    const double slack = 8 * static_cast<double>(std::numeric_limits<float>::epsilon()) * (6 + 7 + 5);
    const auto check = watched<float>(1e-7);
    EXPECT_TRUE(check.passed);
    EXPECT_FALSE(*check.tolerance_kept);
    EXPECT_EQ(check.tolerance_slack, slack);
    EXPECT_TRUE(watched<float>(1e-12 + 0.99 * slack).passed);
    EXPECT_FALSE(watched<float>(1e-12 + 1.01 * slack).passed);
    EXPECT_TRUE(*watched<float>(1e-12).tolerance_kept);
}

TEST_F(tucker_check_test, a_factor_that_is_not_a_number_fails_and_shows)
{
    tucker_checker<double> checker(engine, settings, {3, 1, 2});
    tensor<double> first({6, 1});
    first.data[0] = 1;
    tensor<double> y({6, 2, 2});
    y.data.assign(y.data.size(), std::nan(""));
    checker.truncated(y, 0, first);
    const auto check = checker.result(x, request, {x, {}}, 0);
    EXPECT_FALSE(check.passed);
    EXPECT_EQ(check.missed_energy, std::numeric_limits<double>::infinity());
}

// Dropping everything up to the threshold is not an error of the device.
TEST_F(tucker_check_test, what_a_threshold_may_drop_passes)
{
    settings.zero_threshold = 0.1;
    engine.spoil = [](tensor<double>& y) { y.data[0] += 0.05; };
    EXPECT_TRUE(watched().passed);
    settings.esop = false; // dense: nothing is dropped
    EXPECT_FALSE(watched().passed);
    settings.esop = true;
    engine.spoil = [](tensor<double>& y) { y.data[0] += 5; };
    EXPECT_FALSE(watched().passed);
}

} // namespace
} // namespace tensorloom::testbench
