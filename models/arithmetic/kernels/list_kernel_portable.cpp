#include <tensorloom/models/arithmetic/kernels/list_kernel.h>
#include <tensorloom/models/arithmetic/kernels/list_tile.h>
#include <tensorloom/models/arithmetic/kernels/vectors_portable.h>

namespace tensorloom::arithmetic {

template <>
const list_kernel<double> list_kernel<double>::portable = make_list_kernel<one<double>, 8, one<double>>("portable", 0.9,
                                                                                                        0.9);
template <>
const list_kernel<float> list_kernel<float>::portable = make_list_kernel<one<float>, 8, one<float>>("portable", 0.9,
                                                                                                    0.9);

} // namespace tensorloom::arithmetic
