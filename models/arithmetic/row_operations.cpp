#include <tensorloom/models/arithmetic/row_operations.h>
#include <algorithm>
#include <tensorloom/models/arithmetic/elementary_functions.h>
#include <tensorloom/models/arithmetic/kernels/kernel_selection.h>
#include <tensorloom/models/arithmetic/kernels/row_kernel.h>

namespace tensorloom::arithmetic {

namespace {

void each(double (*function)(double), const double* x, std::size_t n, double* y)
{
    std::transform(x, x + n, y, function);
}

} // namespace

void exponential(const float* x, std::size_t n, float* y) { best_kernel<row_kernel>().exponential(x, n, y); }
void logarithm(const float* x, std::size_t n, float* y) { best_kernel<row_kernel>().logarithm(x, n, y); }
void sigmoid(const float* x, std::size_t n, float* y) { best_kernel<row_kernel>().sigmoid(x, n, y); }
void hyperbolic_tangent(const float* x, std::size_t n, float* y)
{
    best_kernel<row_kernel>().hyperbolic_tangent(x, n, y);
}

void exponential(const double* x, std::size_t n, double* y) { each(&exponential, x, n, y); }
void logarithm(const double* x, std::size_t n, double* y) { each(&logarithm, x, n, y); }
void sigmoid(const double* x, std::size_t n, double* y) { each(&sigmoid, x, n, y); }
void hyperbolic_tangent(const double* x, std::size_t n, double* y) { each(&hyperbolic_tangent, x, n, y); }

void multiply_add(const float* a, float factor, const float* b, std::size_t n, float* y)
{
    best_kernel<row_kernel>().multiply_add(a, factor, b, n, y);
}

} // namespace tensorloom::arithmetic
