#pragma once
#include <cstddef>
#include <tensorloom/models/arithmetic/kernels/elementary_series.h>
#include <tensorloom/models/arithmetic/kernels/row_kernel.h>

// Once for all instruction sets: compilers make vectors of it. What differs from the functions of one number is that
// nothing branches, and that arguments are cut off where the result of float32 has long been what it stays.
// In an anonymous namespace on purpose: each translation unit must keep its own copy, compiled for its own machine.
namespace {

double at_most(double x, double most) { return x > most ? most : x; }
double at_least(double x, double least) { return x < least ? least : x; }

float canonical_of(double y) { return y == y ? static_cast<float>(y) : __builtin_nanf(""); }

// |x| at most 200.
double whole_exponential(double x)
{
    const reduced_argument a = reduced(x);
    return (1 + exponential_less_1(a.r, a.rest)) * power_of_two(a.k);
}

void exponential_row(const float* x, std::size_t n, float* y)
{
#pragma GCC ivdep
    for (std::size_t i = 0; i < n; ++i) {
        y[i] = canonical_of(whole_exponential(at_most(at_least(static_cast<double>(x[i]), -200), 200)));
    }
}

void logarithm_row(const float* x, std::size_t n, float* y)
{
#pragma GCC ivdep
    for (std::size_t i = 0; i < n; ++i) {
        const auto of = static_cast<double>(x[i]);
        const double finite = logarithm_of(split(of));
        const double above_0 = of == infinity ? infinity : finite;
        const double positive = of == 0 ? -infinity : above_0;
        y[i] = canonical_of(of >= 0 ? positive : not_a_number);
    }
}

void sigmoid_row(const float* x, std::size_t n, float* y)
{
#pragma GCC ivdep
    for (std::size_t i = 0; i < n; ++i) {
        const auto of = static_cast<double>(x[i]);
        const double e = whole_exponential(at_least(-__builtin_fabs(of), -200));
        y[i] = canonical_of((of < 0 ? e : 1) / (1 + e));
    }
}

void hyperbolic_tangent_row(const float* x, std::size_t n, float* y)
{
#pragma GCC ivdep
    for (std::size_t i = 0; i < n; ++i) {
        const auto of = static_cast<double>(x[i]);
        const double size = __builtin_fabs(of);
        const double cut = at_most(size, 23);
        const double e = exponential_less_1(cut >= 1 ? 2 * cut : -2 * cut);
        const double quotient = (cut >= 1 ? 2 : -e) / (e + 2);
        const double curved = cut >= 1 ? 1 - quotient : quotient;
        const double from_0 = size >= 0x1p-28 ? curved : size;
        y[i] = canonical_of(__builtin_copysign(size > 22 ? 1 : from_0, of));
    }
}

void multiply_add_row(const float* a, float factor, const float* b, std::size_t n, float* y)
{
#pragma GCC ivdep
    for (std::size_t i = 0; i < n; ++i) {
        const float sum = __builtin_fmaf(factor, b[i], a[i]);
        y[i] = sum == sum ? sum : __builtin_nanf("");
    }
}

constexpr tensorloom::arithmetic::row_kernel make_row_kernel(const char* name)
{
    return {name, &exponential_row, &logarithm_row, &sigmoid_row, &hyperbolic_tangent_row, &multiply_add_row};
}

} // namespace
