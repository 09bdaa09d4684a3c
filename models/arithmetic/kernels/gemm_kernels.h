#pragma once
#include <tensorloom/models/arithmetic/kernels/gemm_kernel.h>

namespace tensorloom::arithmetic {

// Each lives in a translation unit of its own, compiled for its instruction set, that shares no inline code with the
// others.
template <class R> const gemm_kernel<R>& portable_gemm_kernel();
template <class R> const gemm_kernel<R>& avx2_gemm_kernel();
template <class R> const gemm_kernel<R>& avx512_gemm_kernel();
template <> const gemm_kernel<double>& portable_gemm_kernel<double>();
template <> const gemm_kernel<float>& portable_gemm_kernel<float>();
template <> const gemm_kernel<double>& avx2_gemm_kernel<double>();
template <> const gemm_kernel<float>& avx2_gemm_kernel<float>();
template <> const gemm_kernel<double>& avx512_gemm_kernel<double>();
template <> const gemm_kernel<float>& avx512_gemm_kernel<float>();

} // namespace tensorloom::arithmetic
