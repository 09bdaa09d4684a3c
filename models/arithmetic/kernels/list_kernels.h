#pragma once
#include <tensorloom/models/arithmetic/kernels/list_kernel.h>

namespace tensorloom::arithmetic {

// Each lives in a translation unit of its own, compiled for its instruction set, that shares no inline code with the
// others.
template <class R> const list_kernel<R>& portable_list_kernel();
template <class R> const list_kernel<R>& avx2_list_kernel();
template <class R> const list_kernel<R>& avx512_list_kernel();
template <> const list_kernel<double>& portable_list_kernel<double>();
template <> const list_kernel<float>& portable_list_kernel<float>();
template <> const list_kernel<double>& avx2_list_kernel<double>();
template <> const list_kernel<float>& avx2_list_kernel<float>();
template <> const list_kernel<double>& avx512_list_kernel<double>();
template <> const list_kernel<float>& avx512_list_kernel<float>();

} // namespace tensorloom::arithmetic
