#include <tensorloom/models/arithmetic/kernels/pe_rows_loop.h>
#include <tensorloom/models/arithmetic/kernels/psum_vectors_avx2.h>

namespace tensorloom::arithmetic {

namespace {

void multiply_rows_bf16(const pe_rows& work) { rounding_down(&multiply_rows<eight_bf16>, work); }

} // namespace

const pe_rows_kernel pe_rows_kernel::avx2{"avx2", &multiply_rows<eight_f32>, &multiply_rows_bf16};

} // namespace tensorloom::arithmetic
