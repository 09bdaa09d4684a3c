#include <tensorloom/models/arithmetic/kernels/list_kernel.h>
#include <tensorloom/models/arithmetic/kernels/instruction_sets.h>
#include <tensorloom/models/arithmetic/kernels/list_kernels.h>

namespace tensorloom::arithmetic {

template <class R> std::vector<const list_kernel<R>*> list_kernels()
{
    std::vector<const list_kernel<R>*> all{&portable_list_kernel<R>()};
#if defined(TENSORLOOM_X86_KERNELS)
    if (runs_avx2()) { all.push_back(&avx2_list_kernel<R>()); }
    if (runs_avx512()) { all.push_back(&avx512_list_kernel<R>()); }
#endif
    return all;
}

template <class R> const list_kernel<R>& best_list_kernel()
{
    static const list_kernel<R>& best = *list_kernels<R>().back();
    return best;
}

template std::vector<const list_kernel<double>*> list_kernels<double>();
template std::vector<const list_kernel<float>*> list_kernels<float>();
template const list_kernel<double>& best_list_kernel<double>();
template const list_kernel<float>& best_list_kernel<float>();

} // namespace tensorloom::arithmetic
