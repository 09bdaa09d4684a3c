#include <tensorloom/models/arithmetic/kernels/integer_rows_kernel.h>
#include <tensorloom/models/arithmetic/kernels/integer_rows_tile.h>

namespace tensorloom::arithmetic {

template <>
const integer_rows_kernel<std::int32_t>
    integer_rows_kernel<std::int32_t>::avx512 = make_integer_rows_kernel<std::int32_t, 64, 8>("avx512");
template <>
const integer_rows_kernel<std::int64_t>
    integer_rows_kernel<std::int64_t>::avx512 = make_integer_rows_kernel<std::int64_t, 64, 8>("avx512");

} // namespace tensorloom::arithmetic
