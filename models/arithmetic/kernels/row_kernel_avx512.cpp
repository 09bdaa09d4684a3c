#include <tensorloom/models/arithmetic/kernels/row_loops.h>

namespace tensorloom::arithmetic {

const row_kernel row_kernel::avx512 = make_row_kernel("avx512");

} // namespace tensorloom::arithmetic
