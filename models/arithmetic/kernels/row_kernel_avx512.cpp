#include <tensorloom/models/arithmetic/kernels/pointwise_loops.h>
#include <tensorloom/models/arithmetic/kernels/row_loops.h>

namespace tensorloom::arithmetic {

const row_kernel row_kernel::avx512 = make_row_kernel("avx512");

template <> const pointwise_kernel<double> pointwise_kernel<double>::avx512 = make_pointwise_kernel<double>("avx512");
template <> const pointwise_kernel<float> pointwise_kernel<float>::avx512 = make_pointwise_kernel<float>("avx512");

} // namespace tensorloom::arithmetic
