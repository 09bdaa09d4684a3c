#include <tensorloom/models/arithmetic/kernels/integer_rows_kernels.h>
#include <tensorloom/models/arithmetic/kernels/integer_rows_tile.h>

namespace tensorloom::arithmetic {

template <> const integer_rows_kernel<std::int32_t>& avx512_integer_rows_kernel<std::int32_t>()
{
    static constexpr auto kernel = make_integer_rows_kernel<std::int32_t, 64, 8>("avx512");
    return kernel;
}
template <> const integer_rows_kernel<std::int64_t>& avx512_integer_rows_kernel<std::int64_t>()
{
    static constexpr auto kernel = make_integer_rows_kernel<std::int64_t, 64, 8>("avx512");
    return kernel;
}

} // namespace tensorloom::arithmetic
