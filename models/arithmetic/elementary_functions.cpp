#include <tensorloom/models/arithmetic/elementary_functions.h>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>

namespace tensorloom::arithmetic {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr double not_a_number = std::numeric_limits<double>::quiet_NaN();

// ln 2 in two parts. The last 32 bits of the first are 0, so that a whole number of 11 bits times it is exact.
constexpr double ln2_first = 0x1.62e42feep-1, ln2_rest = 0x1.a39ef35793c76p-33;

/// x = k ln 2 + r + rest: |r| at most a bit more than ln 2 / 2, `rest` what r has lost by rounding.
struct reduced_argument {
    double k;
    double r;
    double rest;
};

// |x| below 1100, so that k fits in 11 bits.
reduced_argument reduced(double x)
{
    constexpr double log2_e = 0x1.71547652b82fep+0;
    constexpr double to_whole = 0x1.8p+52; // adding it rounds to a whole number
    const double k = (x * log2_e + to_whole) - to_whole;
    const double first = x - k * ln2_first;
    const double second = k * ln2_rest;
    const double r = first - second;
    return {k, r, (first - r) - second};
}

// e^(r + rest) - 1 by the first terms of its series: what is left out is below 2^-57 of r.
double exponential_less_1(double r, double rest)
{
    double q = 1 / 6227020800.0; // 1/13!
    q = q * r + 1 / 479001600.0;
    q = q * r + 1 / 39916800.0;
    q = q * r + 1 / 3628800.0;
    q = q * r + 1 / 362880.0;
    q = q * r + 1 / 40320.0;
    q = q * r + 1 / 5040.0;
    q = q * r + 1 / 720.0;
    q = q * r + 1 / 120.0;
    q = q * r + 1 / 24.0;
    q = q * r + 1 / 6.0;
    q = q * r + 0.5;
    return r + (rest + r * r * q);
}

/// x = 2^k (1 + f): 1 + f from the root of 1/2 to that of 2.
struct split_number {
    double k;
    double f; // exact
};

// x above 0, not infinite.
split_number split(double x)
{
    constexpr std::uint64_t one = 0x3ff0000000000000, root_of_half = 0x3fe6a09e667f3bcd; // bits of these numbers
    const bool subnormal = x < std::numeric_limits<double>::min();
    if (subnormal) { x *= 0x1p54; }
    std::uint64_t bits = 0;
    std::memcpy(&bits, &x, sizeof bits);
    const std::uint64_t exponent = (bits + (one - root_of_half)) >> 52; // of x, as IEEE 754 writes it, or the next
    bits -= (exponent - 1023) << 52;
    double m = 0;
    std::memcpy(&m, &bits, sizeof m);
    return {static_cast<double>(exponent) - (subnormal ? 1023 + 54 : 1023), m - 1};
}

// ln(1 + f) = ln(1 + s) - ln(1 - s) = 2 s + s r, s = f / (2 + f): r, by the first terms of its series. What is left out
// is below 2^-60 of 2 s.
double logarithm_series(double s)
{
    const double z = s * s;
    double q = 2 / 21.0;
    q = q * z + 2 / 19.0;
    q = q * z + 2 / 17.0;
    q = q * z + 2 / 15.0;
    q = q * z + 2 / 13.0;
    q = q * z + 2 / 11.0;
    q = q * z + 2 / 9.0;
    q = q * z + 2 / 7.0;
    q = q * z + 2 / 5.0;
    q = q * z + 2 / 3.0;
    return q * z;
}

// 2^k, k from -1022 to 1023.
double power_of_two(int k)
{
    const std::uint64_t bits = static_cast<std::uint64_t>(k + 1023) << 52;
    double power = 0;
    std::memcpy(&power, &bits, sizeof power);
    return power;
}

// e^z - 1, z from -50 to 50.
double exponential_less_1(double z)
{
    const reduced_argument a = reduced(z);
    const double p = exponential_less_1(a.r, a.rest);
    const double power = power_of_two(static_cast<int>(a.k));
    return a.k == 0 ? p : power * p + (power - 1);
}

} // namespace

double exponential(double x)
{
    if (!(x == x)) { return not_a_number; }
    if (x > 710) { return infinity; }
    if (x < -746) { return 0; }
    const reduced_argument a = reduced(x);
    const int k = static_cast<int>(a.k);
    const int half = k / 2; // 2^k itself may be no number, and a subnormal result is to be rounded once
    return (1 + exponential_less_1(a.r, a.rest)) * power_of_two(half) * power_of_two(k - half);
}

// 2 s is f - s f, and f alone is exact: what is added to it is small, s f as f^2/2 - s f^2/2.
double logarithm(double x)
{
    if (!(x >= 0)) { return not_a_number; }
    if (x == 0) { return -infinity; }
    if (x == infinity) { return infinity; }
    const split_number a = split(x);
    const double s = a.f / (2 + a.f);
    const double half_square = 0.5 * a.f * a.f;
    const double small = half_square - (s * (half_square + logarithm_series(s)) + a.k * ln2_rest);
    return a.k * ln2_first - (small - a.f);
}

// Of exponents that are not positive, so that nothing overflows.
double sigmoid(double x)
{
    if (!(x == x)) { return not_a_number; }
    const double e = exponential(-std::fabs(x));
    return (x < 0 ? e : 1) / (1 + e);
}

double hyperbolic_tangent(double x)
{
    if (!(x == x)) { return not_a_number; }
    const double size = std::fabs(x);
    double t = size;
    if (size > 22) {
        t = 1;
    } else if (size >= 1) {
        t = 1 - 2 / (exponential_less_1(2 * size) + 2);
    } else if (size >= 0x1p-28) { // below, x - x^3/3 is x
        const double e = exponential_less_1(-2 * size);
        t = -e / (e + 2);
    }
    return std::copysign(t, x);
}

float exponential(float x) { return static_cast<float>(exponential(static_cast<double>(x))); }
float logarithm(float x) { return static_cast<float>(logarithm(static_cast<double>(x))); }
float sigmoid(float x) { return static_cast<float>(sigmoid(static_cast<double>(x))); }
float hyperbolic_tangent(float x) { return static_cast<float>(hyperbolic_tangent(static_cast<double>(x))); }

} // namespace tensorloom::arithmetic
