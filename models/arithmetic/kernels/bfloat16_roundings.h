#pragma once
#include <tensorloom/models/arithmetic/kernels/bfloat16_rounding.h>

namespace tensorloom::arithmetic {

// Each lives in a translation unit of its own, compiled for its instruction set, that shares no inline code with the
// others.
const bfloat16_rounding& portable_bfloat16_rounding();
const bfloat16_rounding& avx2_bfloat16_rounding();
const bfloat16_rounding& avx512_bfloat16_rounding();

} // namespace tensorloom::arithmetic
