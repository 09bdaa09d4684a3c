#include <complex>
#include <cstdint>
#include <vector>
#include <gtest/gtest.h>
#include <tensorloom/models/base/values/input_error.h>
#include <tensorloom/workloads/tensor_unit/result.h>

namespace tensorloom::test {
namespace {

using namespace workloads;

TEST(tensor_unit_values, checksum_weighs_places_and_is_not_negative)
{
    EXPECT_EQ(checksum_of(std::vector<std::int64_t>{1, 2, 3}), 14);
    EXPECT_EQ(checksum_of(std::vector<std::int64_t>{-1}), 2147483646);
    EXPECT_EQ(checksum_of(std::vector<std::int64_t>{2147483647, 1}), 2);
    EXPECT_EQ(checksum_of(std::vector<double>{1.4, 1.6}), 5);
    EXPECT_EQ(checksum_of(std::vector<std::complex<double>>{{2.2, 9.0}}), 2);
}

TEST(tensor_unit_values, whole_numbers_are_taken_from_every_kind)
{
    const std::vector<std::int64_t> expected{3, -4};
    EXPECT_EQ(whole_numbers(std::vector<std::int64_t>{3, -4}, "x"), expected);
    EXPECT_EQ(whole_numbers(std::vector<double>{3, -4}, "x"), expected);
    EXPECT_EQ(whole_numbers(std::vector<std::complex<double>>{3.0, -4.0}, "x"), expected);
}

TEST(tensor_unit_values, what_is_not_whole_is_refused)
{
    EXPECT_THROW(whole_numbers(std::vector<double>{0.5}, "x"), base::input_error);
    EXPECT_THROW(whole_numbers(std::vector<double>{1e300}, "x"), base::input_error);
    EXPECT_THROW(whole_numbers(std::vector<std::complex<double>>{{1, 1}}, "x"), base::input_error);
}

} // namespace
} // namespace tensorloom::test
