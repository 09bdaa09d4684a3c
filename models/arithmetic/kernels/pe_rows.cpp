#include <tensorloom/models/arithmetic/kernels/instruction_sets.h>
#include <tensorloom/models/arithmetic/kernels/pe_rows.h>
#include <tensorloom/models/arithmetic/kernels/pe_rows_kernels.h>

namespace tensorloom::arithmetic {

std::vector<const pe_rows_kernel*> pe_rows_kernels()
{
    std::vector<const pe_rows_kernel*> all{&portable_pe_rows_kernel};
#if defined(TENSORLOOM_X86_KERNELS)
    if (runs_avx2()) { all.push_back(&avx2_pe_rows_kernel); }
#endif
    return all;
}

const pe_rows_kernel& best_pe_rows_kernel()
{
    static const pe_rows_kernel& best = *pe_rows_kernels().back();
    return best;
}

} // namespace tensorloom::arithmetic
