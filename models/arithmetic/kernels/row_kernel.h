#pragma once
#include <cstddef>

namespace tensorloom::arithmetic {

/// Rows of floats (arithmetic/row_operations.h, arithmetic/bfloat16.h), for one instruction set. All kernels give the
/// same bits.
struct row_kernel {
    const char* name; ///< "portable", "avx2", "avx512"

    void (*exponential)(const float* x, std::size_t n, float* y);
    void (*logarithm)(const float* x, std::size_t n, float* y);
    void (*sigmoid)(const float* x, std::size_t n, float* y);
    void (*hyperbolic_tangent)(const float* x, std::size_t n, float* y);
    void (*multiply_add)(const float* a, float factor, const float* b, std::size_t n, float* y);

    void (*widen)(const unsigned char* from, std::size_t n, float* to);
    void (*narrow)(const float* from, std::size_t n, unsigned char* to);
    void (*widen_layers)(const unsigned char* from, std::size_t row, std::size_t rows, std::size_t blocks, float* to);
    void (*narrow_layers)(const float* from, std::size_t row, std::size_t rows, std::size_t blocks, unsigned char* to);
    static constexpr std::size_t most_in_layer = 1024;

    static const row_kernel portable, avx2, avx512;
};

} // namespace tensorloom::arithmetic
