#include <tensorloom/models/arithmetic/kernels/bfloat16_rounding_loop.h>
#include <tensorloom/models/arithmetic/kernels/bfloat16_roundings.h>

namespace tensorloom::arithmetic {

const bfloat16_rounding& portable_bfloat16_rounding()
{
    static constexpr bfloat16_rounding rounding{"portable", &round_to_bfloat16};
    return rounding;
}

} // namespace tensorloom::arithmetic
