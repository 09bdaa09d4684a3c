// Functions of one real number: their error against long double, their ends, and that their bits are those of every
// other build.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <functional>
#include <limits>
#include <ostream>
#include <random>
#include <string>
#include <gtest/gtest.h>
#include <tensorloom/models/arithmetic/elementary_functions.h>

namespace tensorloom::test {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

struct function {
    const char* name;
    double (*in_double)(double);
    float (*in_float)(float);
    long double (*exact)(long double);
    double bound; // in double, units of the last place
    double low, high;
    std::uint64_t digest; // of all bits below
};

std::ostream& operator<<(std::ostream& to, const function& f) { return to << f.name; }

long double exact_sigmoid(long double x) { return 1 / (1 + std::exp(-x)); }
long double exact_exp(long double x) { return std::exp(x); }
long double exact_log(long double x) { return std::log(x); }
long double exact_tanh(long double x) { return std::tanh(x); }

const function functions[] = {
    {"exponential", arithmetic::exponential, arithmetic::exponential, exact_exp, 1, -746, 709.78, 0xe5c80ef97a469887},
    {"logarithm", arithmetic::logarithm, arithmetic::logarithm, exact_log, 1, 0x1p-149, 0x1p127, 0xd7344ad53d7a9283},
    {"sigmoid", arithmetic::sigmoid, arithmetic::sigmoid, exact_sigmoid, 3, -746, 746, 0xec03f2e35dbe391c},
    {"hyperbolic_tangent", arithmetic::hyperbolic_tangent, arithmetic::hyperbolic_tangent, exact_tanh, 3, -25, 25,
     0x5ab791dc5234f6d7},
};

class elementary_function : public testing::TestWithParam<function> {
protected:
    /// From all over the range, from where the function bends, and of all magnitudes down to nothing.
    void for_each_number(unsigned numbers, const std::function<void(double)>& visit) const
    {
        const auto& f = GetParam();
        std::mt19937_64 random(7);
        const auto below_1 = [&] { return static_cast<double>(random() >> 11) * 0x1p-53; };
        for (unsigned i = 0; i < numbers; ++i) {
            const double wide = f.low + (f.high - f.low) * below_1();
            const double bend = 8 * below_1() - 4;
            visit(i % 3 == 0 ? wide : i % 3 == 1 ? bend : std::ldexp(bend, -static_cast<int>(random() % 60)));
        }
    }
};

template <class R> long double last_place(R y)
{
    const int least = std::numeric_limits<R>::min_exponent - std::numeric_limits<R>::digits;
    int exponent = 0;
    std::frexp(y, &exponent);
    return std::ldexp(1.0L, std::max(exponent - std::numeric_limits<R>::digits, least));
}

TEST_P(elementary_function, has_the_error_that_is_said)
{
    const auto& f = GetParam();
    long double most = 0, most_in_float = 0;
    for_each_number(300000, [&](double x) {
        const long double y = f.exact(x);
        most = std::max(most, std::fabs(f.in_double(x) - y) / last_place(static_cast<double>(y)));
        const auto narrow = static_cast<float>(x);
        const long double z = f.exact(narrow);
        if (z > std::numeric_limits<float>::max()) {
            EXPECT_EQ(f.in_float(narrow), std::numeric_limits<float>::infinity());
            return;
        }
        most_in_float = std::max(most_in_float, std::fabs(f.in_float(narrow) - z) / last_place(static_cast<float>(z)));
    });
    EXPECT_LE(most, f.bound);
    EXPECT_GT(most, 0.4) << "no rounding was met";
    EXPECT_LE(most_in_float, 0.51);
    EXPECT_GT(most_in_float, 0.4);
}

TEST_P(elementary_function, never_falls_by_more_than_its_error)
{
    const auto& f = GetParam();
    double before = f.in_double(f.low);
    for (int i = 1; i <= 100000; ++i) {
        const double y = f.in_double(f.low + (f.high - f.low) * i / 100000);
        EXPECT_GE(y, before - f.bound * static_cast<double>(last_place(before))) << i;
        before = y;
    }
}

// The bits belong to the definition: whoever changes them changes the results of programs.
TEST_P(elementary_function, has_the_bits_of_every_other_build)
{
    const auto& f = GetParam();
    std::uint64_t digest = 0xcbf29ce484222325;
    for_each_number(20000, [&](double x) {
        const double y = f.in_double(x);
        const float z = f.in_float(static_cast<float>(x));
        std::uint64_t bits = 0;
        std::uint32_t narrow = 0;
        std::memcpy(&bits, &y, sizeof bits);
        std::memcpy(&narrow, &z, sizeof narrow);
        digest = ((digest ^ bits) * 0x100000001b3 ^ narrow) * 0x100000001b3;
    });
    EXPECT_EQ(digest, f.digest) << std::hex << digest;
}

TEST_P(elementary_function, of_no_number_is_the_canonical_nan)
{
    const auto& f = GetParam();
    for (const double payload : {std::nan("1"), -std::nan("77")}) {
        const double y = f.in_double(payload), canonical = std::numeric_limits<double>::quiet_NaN();
        EXPECT_EQ(std::memcmp(&y, &canonical, sizeof y), 0);
        const float z = f.in_float(static_cast<float>(payload)), narrow = std::numeric_limits<float>::quiet_NaN();
        EXPECT_EQ(std::memcmp(&z, &narrow, sizeof z), 0);
    }
}

INSTANTIATE_TEST_SUITE_P(functions, elementary_function, testing::ValuesIn(functions),
                         [](const auto& tested) { return std::string(tested.param.name); });

TEST(exponential, at_its_ends)
{
    EXPECT_EQ(arithmetic::exponential(0.0), 1);
    EXPECT_EQ(arithmetic::exponential(-0.0), 1);
    EXPECT_EQ(arithmetic::exponential(infinity), infinity);
    EXPECT_EQ(arithmetic::exponential(-infinity), 0);
    EXPECT_LT(arithmetic::exponential(709.782712893384), infinity); // the last argument with a number
    EXPECT_EQ(arithmetic::exponential(std::nextafter(709.782712893384, 800)), infinity);
    EXPECT_EQ(arithmetic::exponential(-745.13), std::numeric_limits<double>::denorm_min());
    EXPECT_EQ(arithmetic::exponential(-745.14), 0);
    EXPECT_EQ(arithmetic::exponential(1e300), infinity);
    EXPECT_EQ(arithmetic::exponential(-1e300), 0);
    EXPECT_EQ(arithmetic::exponential(89.0f), std::numeric_limits<float>::infinity());
    EXPECT_EQ(arithmetic::exponential(-103.9f), std::numeric_limits<float>::denorm_min());
    EXPECT_EQ(arithmetic::exponential(-104.0f), 0);
}

TEST(logarithm, at_its_ends)
{
    EXPECT_EQ(arithmetic::logarithm(1.0), 0);
    EXPECT_FALSE(std::signbit(arithmetic::logarithm(1.0)));
    for (const double zero : {0.0, -0.0}) {
        EXPECT_EQ(arithmetic::logarithm(zero), -infinity);
        EXPECT_EQ(arithmetic::logarithm(static_cast<float>(zero)), -std::numeric_limits<float>::infinity());
    }
    EXPECT_EQ(arithmetic::logarithm(infinity), infinity);
    EXPECT_EQ(arithmetic::logarithm(std::numeric_limits<double>::denorm_min()), -744.4400719213812);
    EXPECT_EQ(arithmetic::logarithm(std::numeric_limits<double>::max()), 709.782712893384);
    for (const double below : {-1.0, -5e-324, -1e300, -infinity}) {
        const double y = arithmetic::logarithm(below), canonical = std::numeric_limits<double>::quiet_NaN();
        EXPECT_EQ(std::memcmp(&y, &canonical, sizeof y), 0) << below;
        const float z = arithmetic::logarithm(static_cast<float>(below - 1));
        const float narrow = std::numeric_limits<float>::quiet_NaN();
        EXPECT_EQ(std::memcmp(&z, &narrow, sizeof z), 0) << below;
    }
}

/// The largest error of a logarithm, in units of the last place of a number of type R.
template <class R> class logarithm_error {
public:
    void of(R x)
    {
        const long double y = std::log(static_cast<long double>(x));
        m_most = std::max(m_most, std::fabs(arithmetic::logarithm(x) - y) / last_place(static_cast<R>(y)));
    }
    /// Numbers of every power of two, subnormal ones included: random ones, and those beside it and beside sqrt(2)
    /// times it, where the argument is reduced to another power.
    void of_every_power()
    {
        std::mt19937_64 random(11);
        const int least = std::numeric_limits<R>::min_exponent - std::numeric_limits<R>::digits;
        for (int k = least; k < std::numeric_limits<R>::max_exponent; ++k) {
            const R power = std::ldexp(R(1), k);
            for (const R beside : {power, std::ldexp(std::sqrt(R(2)), k)}) {
                of(beside);
                of(std::nextafter(beside, std::numeric_limits<R>::max()));
                if (k > least) { of(std::nextafter(beside, R(0))); }
            }
            for (int i = 0; i < 50; ++i) {
                of(std::ldexp(static_cast<R>(1 + static_cast<double>(random() >> 11) * 0x1p-53), k));
            }
        }
    }
    /// 1 and its neighbours: the nearest 1000 on each side, and some at every distance up to 1/2.
    void beside_1()
    {
        std::mt19937_64 random(13);
        R above = 1, below = 1;
        for (int i = 0; i < 1000; ++i) {
            of(above = std::nextafter(above, R(2)));
            of(below = std::nextafter(below, R(0)));
        }
        for (int k = std::numeric_limits<R>::digits; k > 0; --k) {
            for (int i = 0; i < 500; ++i) {
                const double apart = std::ldexp(1 + static_cast<double>(random() >> 11) * 0x1p-53, -k - 1);
                of(static_cast<R>(1 + apart));
                of(static_cast<R>(1 - apart));
            }
        }
    }
    long double most() const { return m_most; }

private:
    long double m_most = 0;
};

TEST(logarithm, has_its_error_at_every_power_of_two_and_next_to_1)
{
    logarithm_error<double> wide;
    wide.of_every_power();
    EXPECT_LE(wide.most(), 1);
    wide.beside_1();
    EXPECT_LE(wide.most(), 1);
    EXPECT_GT(wide.most(), 0.5) << "float64 has more than one rounding";
    logarithm_error<float> narrow;
    narrow.of_every_power();
    narrow.beside_1();
    EXPECT_LE(narrow.most(), 0.51);
    EXPECT_GT(narrow.most(), 0.4);
}

TEST(logarithm, undoes_the_exponential)
{
    for (float x = -80; x < 80; x += 0.37f) {
        EXPECT_NEAR(arithmetic::logarithm(arithmetic::exponential(static_cast<double>(x))), x,
                    1e-15 * std::fabs(x) + 3e-16)
            << x;
    }
}

TEST(sigmoid, at_its_ends)
{
    EXPECT_EQ(arithmetic::sigmoid(0.0), 0.5);
    EXPECT_EQ(arithmetic::sigmoid(-0.0), 0.5);
    EXPECT_EQ(arithmetic::sigmoid(infinity), 1);
    EXPECT_EQ(arithmetic::sigmoid(-infinity), 0);
    EXPECT_EQ(arithmetic::sigmoid(-700.0), arithmetic::exponential(-700.0)); // no overflow on the way
    EXPECT_EQ(arithmetic::sigmoid(1e300), 1);
}

TEST(hyperbolic_tangent, at_its_ends_and_odd)
{
    EXPECT_EQ(arithmetic::hyperbolic_tangent(infinity), 1);
    EXPECT_EQ(arithmetic::hyperbolic_tangent(-infinity), -1);
    EXPECT_FALSE(std::signbit(arithmetic::hyperbolic_tangent(0.0)));
    EXPECT_TRUE(std::signbit(arithmetic::hyperbolic_tangent(-0.0)));
    EXPECT_EQ(arithmetic::hyperbolic_tangent(5e-324), 5e-324);
    for (double x = 1e-9; x < 30; x *= 1.01) {
        EXPECT_EQ(arithmetic::hyperbolic_tangent(-x), -arithmetic::hyperbolic_tangent(x)) << x;
    }
}

} // namespace
} // namespace tensorloom::test
