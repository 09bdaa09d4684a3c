#pragma once
#include <cstddef>

namespace tensorloom::arithmetic {

/// Rows of floats (arithmetic/row_operations.h), for one instruction set. All kernels give the same bits.
struct row_kernel {
    const char* name; ///< "portable", "avx2", "avx512"

    void (*exponential)(const float* x, std::size_t n, float* y);
    void (*logarithm)(const float* x, std::size_t n, float* y);
    void (*sigmoid)(const float* x, std::size_t n, float* y);
    void (*hyperbolic_tangent)(const float* x, std::size_t n, float* y);
    void (*multiply_add)(const float* a, float factor, const float* b, std::size_t n, float* y);

    static const row_kernel portable, avx2, avx512;
};

} // namespace tensorloom::arithmetic
