#pragma once
#include <cstddef>

namespace tensorloom::arithmetic {

/// A row of n bfloat16s in memory, in the byte order of the host and with any alignment, as the floats that they are.
void widen_row(const unsigned char* from, std::size_t n, float* to);
/// Floats rounded to bfloat16s in memory, as bfloat16(float) does. The rows do not overlap.
void narrow_row(const float* from, std::size_t n, unsigned char* to);

} // namespace tensorloom::arithmetic
