#include <tensorloom/models/arithmetic/kernels/int8_kernel.h>
#include <tensorloom/models/arithmetic/kernels/instruction_sets.h>
#include <tensorloom/models/arithmetic/kernels/int8_kernels.h>

namespace tensorloom::arithmetic {

std::vector<const int8_kernel*> int8_kernels()
{
    std::vector<const int8_kernel*> all{&portable_int8_kernel()};
#if defined(TENSORLOOM_X86_KERNELS)
    if (runs_avx2()) { all.push_back(&avx2_int8_kernel()); }
    if (runs_avx512_vnni()) { all.push_back(&avx512_int8_kernel()); }
#endif
    return all;
}

const int8_kernel& best_int8_kernel()
{
    static const int8_kernel& best = *int8_kernels().back();
    return best;
}

} // namespace tensorloom::arithmetic
