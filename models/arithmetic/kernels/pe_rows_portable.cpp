#include <tensorloom/models/arithmetic/kernels/pe_rows_loop.h>
#include <tensorloom/models/arithmetic/kernels/vectors_portable.h>

namespace tensorloom::arithmetic {

const pe_rows_kernel pe_rows_kernel::portable{"portable", &multiply_rows<one_psum<psum_f32>>,
                                              &multiply_rows<one_psum<psum_bf16>>};

} // namespace tensorloom::arithmetic
