#include <tensorloom/models/arithmetic/kernels/bfloat16_rounding.h>
#include <tensorloom/models/arithmetic/kernels/bfloat16_roundings.h>
#include <tensorloom/models/arithmetic/kernels/instruction_sets.h>

namespace tensorloom::arithmetic {

std::vector<const bfloat16_rounding*> bfloat16_roundings()
{
    std::vector<const bfloat16_rounding*> all{&portable_bfloat16_rounding()};
#if defined(TENSORLOOM_X86_KERNELS)
    if (runs_avx2()) { all.push_back(&avx2_bfloat16_rounding()); }
    if (runs_avx512()) { all.push_back(&avx512_bfloat16_rounding()); }
#endif
    return all;
}

const bfloat16_rounding& best_bfloat16_rounding()
{
    static const bfloat16_rounding& best = *bfloat16_roundings().back();
    return best;
}

} // namespace tensorloom::arithmetic
