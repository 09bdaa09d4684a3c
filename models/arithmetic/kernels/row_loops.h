#pragma once
#include <cstddef>
#include <cstdint>
#include <tensorloom/models/arithmetic/kernels/bfloat16_rounding_loop.h>
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

// Numbers of 16 bits and of 32 as bytes, which may have any alignment.

inline void widen(const unsigned char* __restrict from, std::size_t n, float* __restrict to)
{
    for (std::size_t k = 0; k < n; ++k) {
        unsigned short element;
        __builtin_memcpy(&element, from + 2 * k, sizeof element);
        const std::uint32_t wide = std::uint32_t{element} << 16;
        __builtin_memcpy(to + k, &wide, sizeof wide);
    }
}

void narrow(const float* __restrict from, std::size_t n, unsigned char* __restrict to)
{
    for (std::size_t k = 0; k < n; ++k) {
        const float rounded = rounded_to_bfloat16(from[k]);
        std::uint32_t bits;
        __builtin_memcpy(&bits, &rounded, sizeof bits);
        const auto element = static_cast<unsigned short>(bits >> 16);
        __builtin_memcpy(to + 2 * k, &element, sizeof element);
    }
}

/// Calls move(byte among the alternating rows, byte in the layer, bytes of a row), these a constant for short ones.
template <class Move> void for_each_row(std::size_t row, std::size_t rows, std::size_t layer, const Move& move)
{
    if (row == 4) {
        for (std::size_t r = 0; r < rows; ++r) { move((2 * r + layer) * 8, r * 8, std::size_t{8}); }
    } else {
        for (std::size_t r = 0; r < rows; ++r) { move((2 * r + layer) * row * 2, r * row * 2, row * 2); }
    }
}

void widen_layers(const unsigned char* from, std::size_t row, std::size_t rows, std::size_t blocks, float* to)
{
    const std::size_t elements = row * rows;
    for (std::size_t l = 0; l < 2 * blocks; ++l) {
        const unsigned char* const block = from + l / 2 * 4 * elements;
        float* const layer = to + l * elements;
        for_each_row(row, rows, l % 2, [&](std::size_t alternating, std::size_t in_layer, std::size_t bytes) {
            widen(block + alternating, bytes / 2, layer + in_layer / 2);
        });
    }
}

// A layer at once: its rows are read from what vectors have written, which processors pass on, unlike the reverse.
void narrow_layers(const float* from, std::size_t row, std::size_t rows, std::size_t blocks, unsigned char* to)
{
    unsigned char layer[2 * tensorloom::arithmetic::row_kernel::most_in_layer];
    const std::size_t elements = row * rows;
    for (std::size_t l = 0; l < 2 * blocks; ++l) {
        unsigned char* const block = to + l / 2 * 4 * elements;
        narrow(from + l * elements, elements, layer);
        for_each_row(row, rows, l % 2, [&](std::size_t alternating, std::size_t in_layer, std::size_t bytes) {
            __builtin_memcpy(block + alternating, layer + in_layer, bytes);
        });
    }
}

constexpr tensorloom::arithmetic::row_kernel make_row_kernel(const char* name)
{
    tensorloom::arithmetic::row_kernel kernel{};
    kernel.name = name;
    kernel.exponential = &exponential_row;
    kernel.logarithm = &logarithm_row;
    kernel.sigmoid = &sigmoid_row;
    kernel.hyperbolic_tangent = &hyperbolic_tangent_row;
    kernel.multiply_add = &multiply_add_row;
    kernel.widen = &widen;
    kernel.narrow = &narrow;
    kernel.widen_layers = &widen_layers;
    kernel.narrow_layers = &narrow_layers;
    return kernel;
}

} // namespace
