#pragma once
#include <tensorloom/models/arithmetic/ordered_gemm.h>

namespace tensorloom::arithmetic {

// Each lives in a translation unit of its own, compiled for its instruction set, that shares no inline code with the others.
template <class R> const gemm_kernel<R>& portable_gemm_kernel();
template <class R> const gemm_kernel<R>& avx2_gemm_kernel();
template <class R> const gemm_kernel<R>& avx512_gemm_kernel();

} // namespace tensorloom::arithmetic
