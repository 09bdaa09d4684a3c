#pragma once
#include <cstddef>

namespace tensorloom::arithmetic {

// Functions of one real number (elementary_functions.h) and multiply-adds (mac.h) for rows of n numbers, with the same
// bits. y may be x, a or b, or be disjoint from them.

void exponential(const float* x, std::size_t n, float* y);
void logarithm(const float* x, std::size_t n, float* y);
void sigmoid(const float* x, std::size_t n, float* y);
void hyperbolic_tangent(const float* x, std::size_t n, float* y);

void exponential(const double* x, std::size_t n, double* y);
void logarithm(const double* x, std::size_t n, double* y);
void sigmoid(const double* x, std::size_t n, double* y);
void hyperbolic_tangent(const double* x, std::size_t n, double* y);

/// y[i] = a[i] + factor b[i], rounded once.
void multiply_add(const float* a, float factor, const float* b, std::size_t n, float* y);

} // namespace tensorloom::arithmetic
