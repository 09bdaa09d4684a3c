#include <tensorloom/workloads/lossy_compression.h>

#include <cmath>
#include <complex>
#include <limits>

#include <gmock/gmock.h>

#include "support/message_of.h"

namespace tensorloom::test {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using workloads::keep_largest;
using workloads::tensor;

template <class T> tensor<T> vector_of(std::vector<T> values)
{
    tensor<T> result({values.size()});
    result.data = std::move(values);
    return result;
}

TEST(keep_largest, keeps_by_modulus_and_zeroes_the_rest)
{
    auto real = vector_of<double>({1, -5, 2, 4, -3});
    EXPECT_EQ(keep_largest(real, 0.4), 2u);
    EXPECT_THAT(real.data, ElementsAre(0, -5, 0, 4, 0));
    auto complex = vector_of<std::complex<float>>({{3, 4}, {4.5f, 0}, {0, -6}});
    EXPECT_EQ(keep_largest(complex, 0.5), 2u);
    EXPECT_THAT(complex.data,
                ElementsAre(std::complex<float>(3, 4), std::complex<float>(0), std::complex<float>(0, -6)));
}

TEST(keep_largest, of_equal_moduli_the_lower_index_stays)
{
    auto values = vector_of<float>({1, -2, 2, 1, -2, 2, 0.5f});
    EXPECT_EQ(keep_largest(values, 3.0 / 7), 3u);
    EXPECT_THAT(values.data, ElementsAre(0, -2, 2, 0, -2, 0, 0));
}

TEST(keep_largest, rounds_the_number_up)
{
    for (const auto& [fraction, kept] :
         {std::pair(0.0, 0u), {0.01, 1u}, {0.1, 1u}, {0.11, 2u}, {0.95, 10u}, {1.0, 10u}}) {
        auto values = vector_of<double>({1, 2, 3, 4, 5, 6, 7, 8, 9, 10});
        EXPECT_EQ(keep_largest(values, fraction), kept) << fraction;
        EXPECT_EQ(std::count(values.data.begin(), values.data.end(), 0.0), 10 - kept) << fraction;
    }
    tensor<double> none({0});
    EXPECT_EQ(keep_largest(none, 0.5), 0u);
}

TEST(keep_largest, nan_is_larger_than_anything)
{
    const double nan = std::nan(""), infinity = std::numeric_limits<double>::infinity();
    auto values = vector_of<double>({infinity, 1, nan, -infinity});
    keep_largest(values, 0.5);
    EXPECT_EQ(values.data[0], infinity);
    EXPECT_EQ(values.data[1], 0);
    EXPECT_TRUE(std::isnan(values.data[2]));
    EXPECT_EQ(values.data[3], 0);
    auto complex = vector_of<std::complex<double>>({{infinity, 0}, {0, nan}, {infinity, nan}});
    keep_largest(complex, 0.6);
    EXPECT_EQ(complex.data[0], 0.0);
    EXPECT_TRUE(std::isnan(complex.data[1].imag()) && std::isnan(complex.data[2].imag()));
}

TEST(keep_largest, moduli_do_not_overflow)
{
    auto values = vector_of<std::complex<double>>({{1.5e308, 1e308}, {1.6e308, 1.6e308}, {1e308, 0}});
    keep_largest(values, 0.3);
    EXPECT_EQ(values.data[0], 0.0);
    EXPECT_EQ(values.data[1], std::complex<double>(1.6e308, 1.6e308));
}

TEST(keep_largest, integers_have_moduli_too)
{
    auto values = vector_of<std::int32_t>({-2147483647 - 1, 3, -4, 2147483647}); // the first modulus is beyond the type
    EXPECT_EQ(keep_largest(values, 0.25), 1u);
    EXPECT_THAT(values.data, ElementsAre(-2147483647 - 1, 0, 0, 0));
}

TEST(keep_largest, bad_fractions_are_refused)
{
    for (double fraction : {-0.01, 1.01, std::nan("")}) {
        auto values = vector_of<double>({1});
        EXPECT_THAT(message_of([&] { keep_largest(values, fraction); }), HasSubstr("expected 0 to 1"));
    }
}

} // namespace
} // namespace tensorloom::test
