#include <tensorloom/models/arithmetic/kernels/integer_rows_kernel.h>
#include <tensorloom/models/arithmetic/kernels/integer_rows_tile.h>

namespace tensorloom::arithmetic {

template <>
const integer_rows_kernel<std::int32_t>
    integer_rows_kernel<std::int32_t>::avx2 = make_integer_rows_kernel<std::int32_t, 32, 4>("avx2");
template <>
const integer_rows_kernel<std::int64_t>
    integer_rows_kernel<std::int64_t>::avx2 = make_integer_rows_kernel<std::int64_t, 32, 4>("avx2");

} // namespace tensorloom::arithmetic
