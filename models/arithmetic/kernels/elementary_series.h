#pragma once

// What functions of one real number are made of (arithmetic/elementary_functions.h), once for all instruction sets and
// without branches, so that loops of it become vector code.
// In an anonymous namespace on purpose: each translation unit must keep its own copy, compiled for its own machine.
namespace {

constexpr double infinity = __builtin_inf();
constexpr double not_a_number = __builtin_nan("");

// ln 2 in two parts. The last 32 bits of the first are 0, so that a whole number of 11 bits times it is exact.
constexpr double ln2_first = 0x1.62e42feep-1, ln2_rest = 0x1.a39ef35793c76p-33;

// Adding it to a number of less than 2^51 rounds that to a whole number, which then is in the last bits.
constexpr double to_whole = 0x1.8p+52;

unsigned long long bits_of(double x)
{
    unsigned long long bits;
    __builtin_memcpy(&bits, &x, sizeof bits);
    return bits;
}
double of_bits(unsigned long long bits)
{
    double x;
    __builtin_memcpy(&x, &bits, sizeof x);
    return x;
}

/// x = k ln 2 + r + rest: |r| at most a bit more than ln 2 / 2, `rest` what r has lost by rounding.
struct reduced_argument {
    double k;
    double r;
    double rest;
};

// |x| below 1100, so that k fits in 11 bits.
inline reduced_argument reduced(double x)
{
    constexpr double log2_e = 0x1.71547652b82fep+0;
    const double k = (x * log2_e + to_whole) - to_whole;
    const double first = x - k * ln2_first;
    const double second = k * ln2_rest;
    const double r = first - second;
    return {k, r, (first - r) - second};
}

// e^(r + rest) - 1 by the first terms of its series: what is left out is below 2^-57 of r.
inline double exponential_less_1(double r, double rest)
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

// 2^k, k a whole number from -1022 to 1023.
inline double power_of_two(double k) { return of_bits((bits_of(k + to_whole) + 1023) << 52); }

// e^z - 1, z from -50 to 50.
inline double exponential_less_1(double z)
{
    const reduced_argument a = reduced(z);
    const double p = exponential_less_1(a.r, a.rest);
    const double power = power_of_two(a.k);
    const double scaled = power * p + (power - 1);
    return a.k == 0 ? p : scaled;
}

/// x = 2^k (1 + f): 1 + f from the root of 1/2 to that of 2.
struct split_number {
    double k;
    double f; // exact
};

// x above 0, neither subnormal nor infinite.
inline split_number split(double x)
{
    constexpr unsigned long long one = 0x3ff0000000000000, root_of_half = 0x3fe6a09e667f3bcd; // bits of these numbers
    const unsigned long long bits = bits_of(x);
    const unsigned long long exponent = (bits + (one - root_of_half)) >> 52; // of x, as IEEE 754 writes it, or the next
    const double k = of_bits(exponent | 0x4330000000000000) - 0x1p52;
    return {k - 1023, of_bits(bits - ((exponent - 1023) << 52)) - 1};
}

// ln(1 + f) = ln(1 + s) - ln(1 - s) = 2 s + s r, s = f / (2 + f): r, by the first terms of its series. What is left out
// is below 2^-60 of 2 s.
inline double logarithm_series(double s)
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

// 2 s is f - s f, and f alone is exact: what is added to it is small, s f as f^2/2 - s f^2/2.
inline double logarithm_of(const split_number& a)
{
    const double s = a.f / (2 + a.f);
    const double half_square = 0.5 * a.f * a.f;
    const double small = half_square - (s * (half_square + logarithm_series(s)) + a.k * ln2_rest);
    return a.k * ln2_first - (small - a.f);
}

} // namespace
