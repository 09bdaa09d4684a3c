#include <tensorloom/models/arithmetic/kernels/integer_rows_kernel.h>
#include <tensorloom/models/arithmetic/kernels/integer_rows_tile.h>

namespace tensorloom::arithmetic {

template <>
const integer_rows_kernel<std::int32_t>
    integer_rows_kernel<std::int32_t>::portable = make_integer_rows_kernel<std::int32_t, 16, 4>("portable");
template <>
const integer_rows_kernel<std::int64_t>
    integer_rows_kernel<std::int64_t>::portable = make_integer_rows_kernel<std::int64_t, 16, 4>("portable");

} // namespace tensorloom::arithmetic
