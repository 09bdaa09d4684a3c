#include <tensorloom/models/arithmetic/kernels/pointwise_loops.h>
#include <tensorloom/models/arithmetic/kernels/row_loops.h>

namespace tensorloom::arithmetic {

const row_kernel row_kernel::avx2 = make_row_kernel("avx2");

template <> const pointwise_kernel<double> pointwise_kernel<double>::avx2 = make_pointwise_kernel<double>("avx2");
template <> const pointwise_kernel<float> pointwise_kernel<float>::avx2 = make_pointwise_kernel<float>("avx2");

} // namespace tensorloom::arithmetic
