#pragma once
#include <cstddef>

namespace tensorloom::arithmetic {

/// Rounding of sums to operands of bfloat16 (arithmetic/bfloat16.h), stored as the equal floats; for one instruction
/// set.
struct bfloat16_rounding {
    const char* name; ///< "portable", "avx2", "avx512"

    /// to[k] = from[k], rounded; +0 if its magnitude is at most `small`. A negative `small` clears none.
    void (*round)(const float* from, float* to, std::size_t n, float small);

    static const bfloat16_rounding portable, avx2, avx512;
};

} // namespace tensorloom::arithmetic
