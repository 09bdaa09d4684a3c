#pragma once
#include <tensorloom/models/arithmetic/kernels/integer_rows_kernel.h>

namespace tensorloom::arithmetic {

// Each lives in a translation unit of its own, compiled for its instruction set, that shares no inline code with the
// others.
template <class Word> const integer_rows_kernel<Word>& portable_integer_rows_kernel();
template <class Word> const integer_rows_kernel<Word>& avx2_integer_rows_kernel();
template <class Word> const integer_rows_kernel<Word>& avx512_integer_rows_kernel();
template <> const integer_rows_kernel<std::int32_t>& portable_integer_rows_kernel<std::int32_t>();
template <> const integer_rows_kernel<std::int64_t>& portable_integer_rows_kernel<std::int64_t>();
template <> const integer_rows_kernel<std::int32_t>& avx2_integer_rows_kernel<std::int32_t>();
template <> const integer_rows_kernel<std::int64_t>& avx2_integer_rows_kernel<std::int64_t>();
template <> const integer_rows_kernel<std::int32_t>& avx512_integer_rows_kernel<std::int32_t>();
template <> const integer_rows_kernel<std::int64_t>& avx512_integer_rows_kernel<std::int64_t>();

} // namespace tensorloom::arithmetic
