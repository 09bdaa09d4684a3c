#include <tensorloom/workloads/result_check.h>
#include <complex>
#include <limits>
#include <string>
#include <vector>
#include <gtest/gtest.h>
#include <tensorloom/workloads/finite_data.h>
#include "support/message_of.h"

namespace tensorloom::test {
namespace {

using workloads::error_of;

constexpr double infinite_value = std::numeric_limits<double>::infinity(),
                 nan_value = std::numeric_limits<double>::quiet_NaN();

TEST(rounding_growth, is_that_of_k_roundings_in_a_row)
{
    EXPECT_EQ(workloads::rounding_growth(0, 0x1p-53), 0);
    double factor = 1; // (1 + u)^1000 - 1 is below gamma and at most a millionth of it away
    for (int i = 0; i < 1000; ++i) { factor *= 1 + 0x1p-24; }
    const double gamma = workloads::rounding_growth(1000, 0x1p-24);
    EXPECT_LT(factor - 1, gamma);
    EXPECT_NEAR((factor - 1) / gamma, 1, 1e-4);
    EXPECT_EQ(workloads::rounding_growth(2, 0.5), infinite_value);
}

TEST(error_of_an_element, is_infinite_where_only_one_is_finite)
{
    EXPECT_EQ(error_of(3.0, 1.0), 2);
    EXPECT_EQ(error_of(std::complex<double>(3, 4), std::complex<double>(0, 0)), 5);
    EXPECT_EQ(error_of(nan_value, 1.0), infinite_value);
    EXPECT_EQ(error_of(1.0, nan_value), infinite_value);
    EXPECT_EQ(error_of(infinite_value, 1.0), infinite_value);
    EXPECT_EQ(error_of(nan_value, nan_value), 0);
    EXPECT_EQ(error_of(infinite_value, infinite_value), 0);
    EXPECT_EQ(error_of(-infinite_value, infinite_value), infinite_value);
    EXPECT_EQ(error_of(nan_value, infinite_value), infinite_value);
    const std::complex<double> one{nan_value, 1}, other{2, infinite_value};
    EXPECT_EQ(error_of(one, other), 0); // which part, and which of both: a matter of the formula
    EXPECT_EQ(error_of(one, std::complex<double>(1, 1)), infinite_value);
}

TEST(relative_error, is_never_0_of_an_infinite_error_nor_large_of_denormal_numbers)
{
    constexpr double smallest = std::numeric_limits<double>::min();
    EXPECT_EQ(workloads::relative_error(1, 4, smallest), 0.25);
    EXPECT_EQ(workloads::relative_error(infinite_value, infinite_value, smallest), infinite_value);
    EXPECT_EQ(workloads::relative_error(nan_value, 1, smallest), infinite_value);
    EXPECT_EQ(workloads::relative_error(infinite_value, 0, smallest), infinite_value);
    EXPECT_LT(workloads::relative_error(5e-324, 5e-324, smallest), 1e-15);
    EXPECT_EQ(workloads::relative_error(0, 0, smallest), 0);
}

TEST(result_errors, keep_the_element_nearest_to_its_bound)
{
    workloads::result_errors errors;
    EXPECT_TRUE(errors.add(1.0, 1.0, 0));
    EXPECT_TRUE(errors.add(10.0, 12.0, 8));
    EXPECT_TRUE(errors.add(1.0, 1.5, 0.6));
    EXPECT_EQ(errors.max_abs_error(), 2);
    EXPECT_NEAR(errors.mean_abs_error(), 2.5 / 3, 1e-15);
    EXPECT_EQ(errors.max_rel_error(), 2.0 / 12);
    EXPECT_EQ(errors.worst(), 2u);
    EXPECT_EQ(errors.bound(), 0.6);
    EXPECT_NEAR(errors.worst_of_bound(), 5.0 / 6, 1e-12);
    EXPECT_FALSE(errors.first_wrong());
    EXPECT_FALSE(errors.add(1.0, 1.5, infinite_value)); // a bound that is not finite passes nothing
    EXPECT_FALSE(errors.add(1.0, 1.5, 0));
    EXPECT_TRUE(errors.add(nan_value, nan_value, nan_value));
    EXPECT_EQ(*errors.first_wrong(), 3u);
    EXPECT_EQ(errors.not_finite(), 1u);
    EXPECT_EQ(errors.count(), 6u);
}

TEST(finite_data, is_refused_with_the_place_of_the_first_element_that_is_not)
{
    const auto refusal = [](const auto& values, const std::vector<std::size_t>& shape) {
        return message_of([&] { workloads::require_finite(values, shape, "x.npy: "); });
    };
    std::vector<double> values(24);
    EXPECT_EQ(refusal(values, {2, 3, 4}), "");
    values[17] = nan_value;
    values[20] = infinite_value;
    const std::string rest = ", expected finite numbers (or --allow-nonfinite)";
    EXPECT_EQ(refusal(values, {2, 3, 4}), "x.npy: element (1,1,1) is nan" + rest);
    EXPECT_EQ(refusal(values, {24}), "x.npy: element 17 is nan" + rest);
    EXPECT_EQ(refusal(std::vector<std::complex<float>>{{1, -std::numeric_limits<float>::infinity()}}, {1, 1}),
              "x.npy: element (0,0) is -inf" + rest);
}

} // namespace
} // namespace tensorloom::test
