#include <tensorloom/models/arithmetic/kernels/list_kernel.h>
#include <tensorloom/models/arithmetic/kernels/list_tile.h>
#include <tensorloom/models/arithmetic/kernels/vectors_avx2.h>

namespace tensorloom::arithmetic {

template <>
const list_kernel<double> list_kernel<double>::avx2 = make_list_kernel<four_doubles, 8, four_doubles>("avx2", 0.3,
                                                                                                      0.38);
template <>
const list_kernel<float> list_kernel<float>::avx2 = make_list_kernel<eight_floats, 8, eight_floats>("avx2", 0.3, 0.38);

} // namespace tensorloom::arithmetic
