#include <tensorloom/models/arithmetic/kernels/pointwise_loops.h>
#include <tensorloom/models/arithmetic/kernels/row_loops.h>

namespace tensorloom::arithmetic {

const row_kernel row_kernel::portable = make_row_kernel("portable");

template <>
const pointwise_kernel<double> pointwise_kernel<double>::portable = make_pointwise_kernel<double>("portable");
template <> const pointwise_kernel<float> pointwise_kernel<float>::portable = make_pointwise_kernel<float>("portable");

} // namespace tensorloom::arithmetic
