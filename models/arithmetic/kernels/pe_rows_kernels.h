#pragma once
#include <tensorloom/models/arithmetic/kernels/pe_rows.h>

namespace tensorloom::arithmetic {

// Each lives in a translation unit of its own, compiled for its instruction set, that shares no inline code with the
// others.
extern const pe_rows_kernel portable_pe_rows_kernel;
extern const pe_rows_kernel avx2_pe_rows_kernel;

} // namespace tensorloom::arithmetic
