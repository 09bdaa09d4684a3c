#include <tensorloom/workloads/fill.h>

#include <tensorloom/models/arithmetic/bfloat16.h>

#include <algorithm>
#include <cmath>
#include <complex>

#include <gmock/gmock.h>

#include "support/message_of.h"

namespace tensorloom::test {
namespace {

using testing::HasSubstr;
using workloads::fill_kind;
using workloads::fill_tensor;
using c128 = std::complex<double>;
using c64 = std::complex<float>;

// From a second implementation of the generators (another language); they must never change.
constexpr double real_42[] = {0x1.05477df5bb978p-1,  0x1.1cbc7dcdc9280p-2, 0x1.023259fc3979ep-1,
                              -0x1.7474ef01d794cp-1, 0x1.9cf28a3934d86p-1, -0x1.9fac8e758e02ep-1};
constexpr double imaginary_42[] = {0x1.c6168380fefecp-2, 0x1.485be63150888p-2,  0x1.1b156c8d1fd80p-1,
                                   0x1.8d9282426c770p-4, -0x1.66d23f72231c0p-2, -0x1.4619cab30b160p-4};
constexpr bool zero_42[] = {true, false, false, true, false, false}; // at a fraction of 0.3

TEST(fill, random_values_are_the_same_everywhere)
{
    const auto real = fill_tensor<double>(fill_kind::random, {1, 2, 3}, 0, 42);
    const auto complex = fill_tensor<c128>(fill_kind::random, {1, 2, 3}, 0, 42);
    EXPECT_THAT(real.shape, testing::ElementsAre(1, 2, 3));
    for (int i = 0; i < 6; ++i) {
        EXPECT_EQ(real.data[i], real_42[i]) << i;
        EXPECT_EQ(complex.data[i], c128(real_42[i], imaginary_42[i])) << i;
    }
}

TEST(fill, other_formats_hold_the_same_values_rounded)
{
    const auto real = fill_tensor<double>(fill_kind::random, {3, 4, 5}, 0.25, 9);
    const auto single = fill_tensor<float>(fill_kind::random, {3, 4, 5}, 0.25, 9);
    const auto complex = fill_tensor<c128>(fill_kind::random, {3, 4, 5}, 0.25, 9);
    const auto single_complex = fill_tensor<c64>(fill_kind::random, {3, 4, 5}, 0.25, 9);
    for (int i = 0; i < 60; ++i) {
        EXPECT_EQ(single.data[i], static_cast<float>(real.data[i]));
        EXPECT_EQ(complex.data[i].real(), real.data[i]);
        EXPECT_EQ(single_complex.data[i], static_cast<c64>(complex.data[i]));
    }
}

TEST(fill, bfloat16_holds_the_same_values_rounded)
{
    const auto real = fill_tensor<double>(fill_kind::random, {3, 4, 5}, 0.25, 9);
    const auto rounded = fill_tensor<arithmetic::bfloat16>(fill_kind::random, {3, 4, 5}, 0.25, 9);
    for (int i = 0; i < 60; ++i) {
        const double x = static_cast<float>(rounded.data[i]);
        EXPECT_LE(std::abs(x - real.data[i]), std::abs(real.data[i]) * 0x1p-8) << i;
        EXPECT_EQ(x == 0, real.data[i] == 0);
    }
}

TEST(fill, int8_takes_the_same_values_to_the_whole_numbers_from_minus_8_to_8)
{
    const auto whole = fill_tensor<std::int8_t>(fill_kind::random, {1, 2, 3}, 0, 42);
    EXPECT_THAT(whole.data, testing::ElementsAre(4, 2, 4, -6, 7, -7)); // real_42 in seventeenths of [-1, 1)
    const auto many = fill_tensor<std::int8_t>(fill_kind::random, {17, 100, 100}, 0.5, 3).data;
    for (int value = -8; value <= 8; ++value) {
        const auto count = static_cast<double>(std::count(many.begin(), many.end(), value));
        EXPECT_NEAR(count, value == 0 ? 90000 : 5000, 1200) << value;
    }
}

TEST(fill, zeros_come_from_a_stream_of_their_own)
{
    const auto zeroed = fill_tensor<double>(fill_kind::random, {1, 2, 3}, 0.3, 42);
    for (int i = 0; i < 6; ++i) { EXPECT_EQ(zeroed.data[i], zero_42[i] ? 0 : real_42[i]) << i; }
}

TEST(fill, fraction_of_zeros_is_met)
{
    const auto zeros = [](double fraction) {
        const auto filled = fill_tensor<float>(fill_kind::random, {40, 50, 50}, fraction, 1);
        return std::count(filled.data.begin(), filled.data.end(), 0.0f);
    };
    EXPECT_EQ(zeros(1), 100000);
    EXPECT_NEAR(static_cast<double>(zeros(0.9)), 90000, 500); // 5 standard deviations
    EXPECT_NEAR(static_cast<double>(zeros(0.1)), 10000, 500);
    EXPECT_LE(zeros(0), 1);
}

TEST(fill, random_covers_its_interval_evenly)
{
    const auto filled = fill_tensor<double>(fill_kind::random, {40, 50, 50}, 0, 2);
    const auto [least, most] = std::minmax_element(filled.data.begin(), filled.data.end());
    EXPECT_GE(*least, -1);
    EXPECT_LT(*least, -0.999);
    EXPECT_LT(*most, 1);
    EXPECT_GT(*most, 0.999);
    EXPECT_NEAR(
        static_cast<double>(std::count_if(filled.data.begin(), filled.data.end(), [](double x) { return x < 0.5; })),
        75000, 700);
}

TEST(fill, another_seed_gives_other_values)
{
    EXPECT_NE(fill_tensor<double>(fill_kind::random, {1, 1, 4}, 0, 1).data,
              fill_tensor<double>(fill_kind::random, {1, 1, 4}, 0, 2).data);
}

TEST(fill, ramp_and_sparse_follow_their_formulas)
{
    const auto ramp = fill_tensor<double>(fill_kind::ramp, {5, 6, 7}, 0, 0);
    const auto bf16 = fill_tensor<arithmetic::bfloat16>(fill_kind::ramp, {5, 6, 7}, 0, 0);
    const auto int8 = fill_tensor<std::int8_t>(fill_kind::ramp, {5, 6, 7}, 0, 0);
    const auto sparse = fill_tensor<c64>(fill_kind::sparse, {5, 6, 7}, 0, 0);
    int at = 0;
    for (int i = 0; i < 5; ++i) {
        for (int j = 0; j < 6; ++j) {
            for (int k = 0; k < 7; ++k, ++at) {
                const int value = (7 * i + 11 * j + 13 * k) % 17 - 8;
                EXPECT_EQ(ramp.data[at], value);
                EXPECT_EQ(static_cast<float>(bf16.data[at]), value);
                EXPECT_EQ(int8.data[at], value);
                EXPECT_EQ(sparse.data[at], c64((5 * i + 3 * j + 7 * k) % 3 == 0 ? static_cast<float>(value) : 0.0f));
            }
        }
    }
}

template <class T> void expect_part_of_the_whole(fill_kind kind, double zeros)
{
    const workloads::shape3 shape{4, 5, 6};
    const auto whole = fill_tensor<T>(kind, shape, zeros, 9);
    for (const workloads::box3& part : {workloads::box3{{1, 0, 0}, {2, 5, 6}},
                                        {{0, 2, 0}, {4, 3, 6}},
                                        {{0, 0, 5}, {4, 5, 1}},
                                        {{3, 4, 5}, {1, 1, 1}}}) {
        const auto found = workloads::fill_box<T>(kind, shape, part, zeros, 9);
        ASSERT_EQ(found.data.size(), workloads::volume_of(part.size));
        auto element = found.data.begin();
        for (std::size_t i = 0; i < part.size[0]; ++i) {
            for (std::size_t j = 0; j < part.size[1]; ++j) {
                for (std::size_t k = 0; k < part.size[2]; ++k, ++element) {
                    const std::size_t at = ((part.first[0] + i) * 5 + part.first[1] + j) * 6 + part.first[2] + k;
                    EXPECT_EQ(*element, whole.data[at]) << i << j << k;
                }
            }
        }
    }
}

TEST(fill, a_part_has_the_values_of_the_whole)
{
    for (const auto kind : {fill_kind::random, fill_kind::ramp, fill_kind::sparse}) {
        for (const double zeros : {0.0, 0.4}) {
            expect_part_of_the_whole<double>(kind, zeros);
            expect_part_of_the_whole<c64>(kind, zeros);
            expect_part_of_the_whole<std::int8_t>(kind, zeros);
        }
    }
}

TEST(fill, bad_arguments_are_refused)
{
    const auto error = [](workloads::shape3 shape, double fraction) {
        return message_of([&] { fill_tensor<double>(fill_kind::random, shape, fraction, 0); });
    };
    EXPECT_THAT(error({2, 0, 2}, 0), HasSubstr("size 0 found"));
    EXPECT_THAT(error({std::size_t{1} << 32, std::size_t{1} << 32, 2}, 0), HasSubstr("can be addressed"));
    EXPECT_THAT(error({1, 1, 1}, -0.1), HasSubstr("expected 0 to 1"));
    EXPECT_THAT(error({1, 1, 1}, 1.1), HasSubstr("expected 0 to 1"));
    EXPECT_THAT(error({1, 1, 1}, std::nan("")), HasSubstr("nan found"));
}

TEST(fill, names_are_read)
{
    EXPECT_EQ(workloads::parse_fill("random"), fill_kind::random);
    EXPECT_EQ(workloads::parse_fill("ramp"), fill_kind::ramp);
    EXPECT_EQ(workloads::parse_fill("sparse"), fill_kind::sparse);
    EXPECT_THAT(message_of([] { workloads::parse_fill("rand"); }),
                HasSubstr("'rand' found, expected one of random, ramp, sparse"));
}

} // namespace
} // namespace tensorloom::test
