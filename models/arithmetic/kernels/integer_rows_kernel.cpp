#include <tensorloom/models/arithmetic/kernels/integer_rows_kernel.h>
#include <tensorloom/models/arithmetic/kernels/instruction_sets.h>
#include <tensorloom/models/arithmetic/kernels/integer_rows_kernels.h>

namespace tensorloom::arithmetic {

template <class Word> std::vector<const integer_rows_kernel<Word>*> integer_rows_kernels()
{
    std::vector<const integer_rows_kernel<Word>*> all{&portable_integer_rows_kernel<Word>()};
#if defined(TENSORLOOM_X86_KERNELS)
    if (runs_avx2()) { all.push_back(&avx2_integer_rows_kernel<Word>()); }
    if (runs_avx512()) { all.push_back(&avx512_integer_rows_kernel<Word>()); }
#endif
    return all;
}

template <class Word> const integer_rows_kernel<Word>& best_integer_rows_kernel()
{
    static const integer_rows_kernel<Word>& best = *integer_rows_kernels<Word>().back();
    return best;
}

template const integer_rows_kernel<std::int32_t>& best_integer_rows_kernel<std::int32_t>();
template const integer_rows_kernel<std::int64_t>& best_integer_rows_kernel<std::int64_t>();
template std::vector<const integer_rows_kernel<std::int32_t>*> integer_rows_kernels<std::int32_t>();
template std::vector<const integer_rows_kernel<std::int64_t>*> integer_rows_kernels<std::int64_t>();

} // namespace tensorloom::arithmetic
