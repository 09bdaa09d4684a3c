#pragma once
#include <tensorloom/models/arithmetic/kernels/int8_kernel.h>

namespace tensorloom::arithmetic {

// Each lives in a translation unit of its own, compiled for its instruction set, that shares no inline code with the
// others.
const int8_kernel& portable_int8_kernel();
const int8_kernel& avx2_int8_kernel();
const int8_kernel& avx512_int8_kernel();

} // namespace tensorloom::arithmetic
