#pragma once
#include <tensorloom/models/arithmetic/kernels/ordered_kernel.h>

namespace tensorloom::arithmetic {

// Each lives in a translation unit of its own, compiled for its instruction set, that shares no inline code with the
// others.
template <class Psum> const ordered_kernel& portable_ordered_kernel();
template <class Psum> const ordered_kernel& avx2_ordered_kernel();
template <class Psum> const ordered_kernel& avx512_ordered_kernel();
template <> const ordered_kernel& portable_ordered_kernel<psum_f32>();
template <> const ordered_kernel& portable_ordered_kernel<psum_bf16>();
template <> const ordered_kernel& avx2_ordered_kernel<psum_f32>();
template <> const ordered_kernel& avx2_ordered_kernel<psum_bf16>();
template <> const ordered_kernel& avx512_ordered_kernel<psum_f32>();
template <> const ordered_kernel& avx512_ordered_kernel<psum_bf16>();

} // namespace tensorloom::arithmetic
