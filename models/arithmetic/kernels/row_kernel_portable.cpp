#include <tensorloom/models/arithmetic/kernels/row_loops.h>

namespace tensorloom::arithmetic {

const row_kernel row_kernel::portable = make_row_kernel("portable");

} // namespace tensorloom::arithmetic
