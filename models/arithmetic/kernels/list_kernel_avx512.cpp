#include <tensorloom/models/arithmetic/kernels/list_kernel.h>
#include <tensorloom/models/arithmetic/kernels/list_tile.h>
#include <tensorloom/models/arithmetic/kernels/vectors_avx2.h>
#include <tensorloom/models/arithmetic/kernels/vectors_avx512.h>

namespace tensorloom::arithmetic {

// Transposing by smaller squares takes half the time: shuffles across 512 bits are slow.

template <>
const list_kernel<double> list_kernel<double>::avx512 = make_list_kernel<eight_doubles, 8, four_doubles>("avx512", 0.38,
                                                                                                         0.6);
template <>
const list_kernel<float> list_kernel<float>::avx512 = make_list_kernel<sixteen_floats, 8, eight_floats>("avx512", 0.38,
                                                                                                        0.6);

} // namespace tensorloom::arithmetic
