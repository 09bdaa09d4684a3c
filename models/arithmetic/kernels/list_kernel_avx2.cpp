#include <tensorloom/models/arithmetic/kernels/list_kernels.h>
#include <tensorloom/models/arithmetic/kernels/list_tile.h>
#include <tensorloom/models/arithmetic/kernels/vectors_avx2.h>

namespace tensorloom::arithmetic {

template <> const list_kernel<double>& avx2_list_kernel<double>()
{
    static constexpr auto kernel = make_list_kernel<four_doubles, 8, four_doubles>("avx2", 0.3, 0.38);
    return kernel;
}
template <> const list_kernel<float>& avx2_list_kernel<float>()
{
    static constexpr auto kernel = make_list_kernel<eight_floats, 8, eight_floats>("avx2", 0.3, 0.38);
    return kernel;
}

} // namespace tensorloom::arithmetic
