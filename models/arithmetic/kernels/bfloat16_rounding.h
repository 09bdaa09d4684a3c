#pragma once
#include <cstddef>
#include <vector>

namespace tensorloom::arithmetic {

/// Sums that become operands of bfloat16 (arithmetic/bfloat16.h), kept as the floats that they equal; for one
/// instruction set.
struct bfloat16_rounding {
    const char* name; ///< "portable", "avx2", "avx512"

    /// to[k] = from[k], rounded; +0 where that is of at most the magnitude `small`. A negative one clears nothing.
    void (*round)(const float* from, float* to, std::size_t n, float small);
};

/// The fastest rounding that this machine runs. All give the same bits.
const bfloat16_rounding& best_bfloat16_rounding();
/// Every rounding that this machine runs, the portable one first (for tests and benchmarks).
std::vector<const bfloat16_rounding*> bfloat16_roundings();

} // namespace tensorloom::arithmetic
