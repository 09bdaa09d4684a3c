#include <tensorloom/models/arithmetic/kernels/gemm_kernel.h>
#include <tensorloom/models/arithmetic/kernels/gemm_kernels.h>
#include <tensorloom/models/arithmetic/kernels/instruction_sets.h>

namespace tensorloom::arithmetic {

template <class R> std::vector<const gemm_kernel<R>*> gemm_kernels()
{
    std::vector<const gemm_kernel<R>*> all{&portable_gemm_kernel<R>()};
#if defined(TENSORLOOM_X86_KERNELS)
    if (runs_avx2()) { all.push_back(&avx2_gemm_kernel<R>()); }
    if (runs_avx512()) { all.push_back(&avx512_gemm_kernel<R>()); }
#endif
    return all;
}

template <class R> const gemm_kernel<R>& best_gemm_kernel()
{
    static const gemm_kernel<R>& best = *gemm_kernels<R>().back();
    return best;
}

template const gemm_kernel<double>& best_gemm_kernel<double>();
template const gemm_kernel<float>& best_gemm_kernel<float>();
template std::vector<const gemm_kernel<double>*> gemm_kernels<double>();
template std::vector<const gemm_kernel<float>*> gemm_kernels<float>();

} // namespace tensorloom::arithmetic
