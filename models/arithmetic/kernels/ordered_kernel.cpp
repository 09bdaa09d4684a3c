#include <tensorloom/models/arithmetic/kernels/ordered_kernel.h>
#include <tensorloom/models/arithmetic/kernels/instruction_sets.h>
#include <tensorloom/models/arithmetic/kernels/ordered_kernels.h>

namespace tensorloom::arithmetic {

template <class Psum> std::vector<const ordered_kernel*> ordered_kernels()
{
    std::vector<const ordered_kernel*> all{&portable_ordered_kernel<Psum>()};
#if defined(TENSORLOOM_X86_KERNELS)
    if (runs_avx2()) { all.push_back(&avx2_ordered_kernel<Psum>()); }
    if (runs_avx512()) { all.push_back(&avx512_ordered_kernel<Psum>()); }
#endif
    return all;
}

template <class Psum> const ordered_kernel& best_ordered_kernel()
{
    static const ordered_kernel& best = *ordered_kernels<Psum>().back();
    return best;
}

template std::vector<const ordered_kernel*> ordered_kernels<psum_f32>();
template std::vector<const ordered_kernel*> ordered_kernels<psum_bf16>();
template const ordered_kernel& best_ordered_kernel<psum_f32>();
template const ordered_kernel& best_ordered_kernel<psum_bf16>();

} // namespace tensorloom::arithmetic
