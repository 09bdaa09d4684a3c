#pragma once
#include <cstddef>

namespace tensorloom::arithmetic {

/// Sums that become operands of bfloat16 (arithmetic/bfloat16.h), kept as the floats that they equal; for one
/// instruction set.
struct bfloat16_rounding {
    const char* name; ///< "portable", "avx2", "avx512"

    /// to[k] = from[k], rounded; +0 where that is of at most the magnitude `small`. A negative one clears nothing.
    void (*round)(const float* from, float* to, std::size_t n, float small);

    static const bfloat16_rounding portable, avx2, avx512;
};

} // namespace tensorloom::arithmetic
