#include <tensorloom/models/arithmetic/kernels/bfloat16_rounding_loop.h>
#include <tensorloom/models/arithmetic/kernels/bfloat16_rounding.h>

namespace tensorloom::arithmetic {

const bfloat16_rounding bfloat16_rounding::portable{"portable", &round_to_bfloat16};

} // namespace tensorloom::arithmetic
