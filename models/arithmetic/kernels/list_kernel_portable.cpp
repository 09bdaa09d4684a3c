#include <tensorloom/models/arithmetic/kernels/list_kernels.h>
#include <tensorloom/models/arithmetic/kernels/list_tile.h>
#include <tensorloom/models/arithmetic/kernels/vectors_portable.h>

namespace tensorloom::arithmetic {

template <> const list_kernel<double>& portable_list_kernel<double>()
{
    static constexpr auto kernel = make_list_kernel<one<double>, 8, one<double>>("portable", 0.9, 0.9);
    return kernel;
}
template <> const list_kernel<float>& portable_list_kernel<float>()
{
    static constexpr auto kernel = make_list_kernel<one<float>, 8, one<float>>("portable", 0.9, 0.9);
    return kernel;
}

} // namespace tensorloom::arithmetic
