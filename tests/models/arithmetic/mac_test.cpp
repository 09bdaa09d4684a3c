#include <tensorloom/models/arithmetic/mac.h>
#include <cmath>
#include <complex>
#include <cstdint>
#include <cstring>
#include <limits>
#include <gtest/gtest.h>

namespace tensorloom::test {
namespace {

using arithmetic::counts_as_zero;
using arithmetic::is_zero;
using arithmetic::mac;

constexpr double inf = std::numeric_limits<double>::infinity();
constexpr double nan = std::numeric_limits<double>::quiet_NaN();

std::uint64_t bits(double x)
{
    std::uint64_t b = 0;
    std::memcpy(&b, &x, sizeof b);
    return b;
}
std::uint32_t bits(float x)
{
    std::uint32_t b = 0;
    std::memcpy(&b, &x, sizeof b);
    return b;
}
double from_bits(std::uint64_t b)
{
    double x = 0;
    std::memcpy(&x, &b, sizeof x);
    return x;
}

TEST(mac_test, rounds_once)
{
    // (1 + 2^-30)(1 - 2^-30) - 1 is -2^-60; the product alone rounds to 1.
    const double e = std::ldexp(1.0, -30);
    EXPECT_EQ(mac(-1.0, 1 + e, 1 - e), -std::ldexp(1.0, -60));
    const float f = std::ldexp(1.0f, -13);
    EXPECT_EQ(mac(-1.0f, 1 + f, 1 - f), -std::ldexp(1.0f, -26));
}

TEST(mac_test, keeps_the_sign_of_zero)
{
    EXPECT_EQ(bits(mac(-0.0, 0.0, -1.0)), bits(-0.0));
    EXPECT_EQ(bits(mac(0.0, 0.0, -1.0)), bits(0.0));
}

TEST(mac_test, every_nan_becomes_the_canonical_one)
{
    const double strange = from_bits(0xfff8dead'beef0001u);
    const std::uint64_t canonical = 0x7ff80000'00000000u;
    EXPECT_EQ(bits(mac(strange, 1.0, 1.0)), canonical);
    EXPECT_EQ(bits(mac(1.0, strange, 1.0)), canonical);
    EXPECT_EQ(bits(mac(1.0, 1.0, strange)), canonical);
    EXPECT_EQ(bits(mac(inf, inf, -1.0)), canonical);
    EXPECT_EQ(bits(mac(0.0, inf, 0.0)), canonical);
    EXPECT_EQ(bits(mac(0.0f, std::numeric_limits<float>::infinity(), 0.0f)), 0x7fc00000u);
}

TEST(mac_test, infinity_stays)
{
    EXPECT_EQ(mac(1.0, inf, -1.0), -inf);
    EXPECT_EQ(mac(inf, 1.0, 1.0), inf);
}

TEST(mac_test, complex_parts_follow_the_documented_order)
{
    // Real: (acc.re + x.re c.re) - x.im c.im. Imaginary: (acc.im + x.re c.im) + x.im c.re. With 2^53 a different order
    // rounds otherwise.
    const double big = std::ldexp(1.0, 53);
    const std::complex<double> r = mac<double>({big, big}, {1, -1}, {1, 2});
    EXPECT_EQ(r.real(), std::fma(1.0, 2.0, std::fma(1.0, 1.0, big)));
    EXPECT_EQ(r.imag(), std::fma(-1.0, 1.0, std::fma(1.0, 2.0, big)));
    const std::complex<double> s = mac<double>({big, big}, {1, 2}, {1, 1});
    EXPECT_EQ(s.real(), (big + 1) - 2);
    EXPECT_EQ(s.imag(), (big + 1) + 2);
    EXPECT_NE(s.imag(), (big + 2) + 1 + 1); // the case does tell the orders apart
}

TEST(mac_test, complex_parts_are_canonical_each_by_itself)
{
    const auto r = mac<double>({0, 0}, {inf, 0}, {0, 1}); // real: inf 0, imaginary: inf
    EXPECT_EQ(bits(r.real()), 0x7ff80000'00000000u);
    EXPECT_EQ(r.imag(), inf);
}

TEST(zero_test, exact_zeros_of_both_signs)
{
    EXPECT_TRUE(is_zero(0.0));
    EXPECT_TRUE(is_zero(-0.0));
    EXPECT_FALSE(is_zero(std::numeric_limits<double>::denorm_min()));
    EXPECT_FALSE(is_zero(nan));
}

TEST(zero_test, complex_zero_needs_both_parts)
{
    EXPECT_TRUE(is_zero(std::complex<double>(-0.0, 0.0)));
    EXPECT_FALSE(is_zero(std::complex<double>(0.0, 1e-300)));
    EXPECT_FALSE(is_zero(std::complex<double>(1e-300, 0.0)));
    EXPECT_FALSE(is_zero(std::complex<double>(0.0, nan)));
}

TEST(zero_test, threshold_includes_its_bound)
{
    EXPECT_TRUE(counts_as_zero(0.5, 0.5));
    EXPECT_TRUE(counts_as_zero(-0.5, 0.5));
    EXPECT_FALSE(counts_as_zero(std::nextafter(0.5, 1.0), 0.5));
}

TEST(zero_test, threshold_zero_takes_exact_zeros_only)
{
    EXPECT_TRUE(counts_as_zero(-0.0, 0));
    EXPECT_FALSE(counts_as_zero(std::numeric_limits<double>::denorm_min(), 0));
    EXPECT_FALSE(counts_as_zero(std::complex<double>(1e-200, 1e-200), 0)); // its square underflows
}

TEST(zero_test, complex_threshold_is_on_the_modulus)
{
    EXPECT_TRUE(counts_as_zero(std::complex<double>(3, -4), 5));
    EXPECT_FALSE(counts_as_zero(std::complex<double>(3, -4), std::nextafter(5.0, 0.0)));
    EXPECT_TRUE(counts_as_zero(std::complex<float>(3, 4), 5));
    EXPECT_TRUE(counts_as_zero(std::complex<double>(3e200, 4e200), 5e200)); // no overflow of the squares
}

TEST(zero_test, nan_and_infinity_never_count_as_zero)
{
    EXPECT_FALSE(counts_as_zero(nan, 1e308));
    EXPECT_FALSE(counts_as_zero(inf, 1e308));
    EXPECT_FALSE(counts_as_zero(std::complex<double>(nan, 0), 1e308));
    EXPECT_FALSE(counts_as_zero(std::complex<double>(0, nan), 0));
    EXPECT_FALSE(counts_as_zero(std::complex<float>(0, std::numeric_limits<float>::infinity()), 1e308));
}

} // namespace
} // namespace tensorloom::test
