#include <tensorloom/models/arithmetic/elementary_functions.h>
#include <cmath>
#include <limits>
#include <tensorloom/models/arithmetic/kernels/elementary_series.h>

namespace tensorloom::arithmetic {

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

double logarithm(double x)
{
    if (!(x >= 0)) { return not_a_number; }
    if (x == 0) { return -infinity; }
    if (x == infinity) { return infinity; }
    const bool subnormal = x < std::numeric_limits<double>::min();
    split_number a = split(subnormal ? x * 0x1p54 : x);
    if (subnormal) { a.k -= 54; }
    return logarithm_of(a);
}

// Uses exponents that are not positive, so it cannot overflow.
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
