#include <tensorloom/models/arithmetic/kernels/kernel_selection.h>
#include <tensorloom/models/arithmetic/kernels/bfloat16_rounding.h>
#include <tensorloom/models/arithmetic/kernels/gemm_kernel.h>
#include <tensorloom/models/arithmetic/kernels/int8_kernel.h>
#include <tensorloom/models/arithmetic/kernels/integer_rows_kernel.h>
#include <tensorloom/models/arithmetic/kernels/list_kernel.h>
#include <tensorloom/models/arithmetic/kernels/ordered_kernel.h>
#include <tensorloom/models/arithmetic/kernels/pe_rows.h>
#include <tensorloom/models/arithmetic/kernels/pointwise_kernel.h>
#include <tensorloom/models/arithmetic/kernels/row_kernel.h>

namespace tensorloom::arithmetic {

namespace {

template <class Kernel> struct compiled_kernel {
    instruction_set needs;
    const Kernel* kernel;
};

using set = instruction_set;

// The table of a family: what this build has, from the slowest to the fastest. Most have one kernel for each.
#if defined(TENSORLOOM_X86_KERNELS)
template <class Kernel>
constexpr compiled_kernel<Kernel> table[] = {
    {set::portable, &Kernel::portable}, {set::avx2, &Kernel::avx2}, {set::avx512, &Kernel::avx512}};
template <>
constexpr compiled_kernel<int8_kernel> table<int8_kernel>[] = {
    {set::portable, &int8_kernel::portable}, {set::avx2, &int8_kernel::avx2}, {set::avx512_vnni, &int8_kernel::avx512}};
template <>
constexpr compiled_kernel<pe_rows_kernel> table<pe_rows_kernel>[] = {{set::portable, &pe_rows_kernel::portable},
                                                                     {set::avx2, &pe_rows_kernel::avx2}};
#else
template <class Kernel> constexpr compiled_kernel<Kernel> table[] = {{set::portable, &Kernel::portable}};
#endif

} // namespace

bool runs([[maybe_unused]] instruction_set instructions)
{
#if defined(TENSORLOOM_X86_KERNELS)
    switch (instructions) {
    case set::avx2: return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
    case set::avx512: return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512vl");
    case set::avx512_vnni:
        return runs(set::avx512) && __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512vnni");
    case set::portable: break;
    }
#endif
    return instructions == set::portable;
}

template <class Kernel> const std::vector<const Kernel*>& runnable_kernels()
{
    static const std::vector<const Kernel*> runnable = [] {
        std::vector<const Kernel*> kernels;
        for (const auto& compiled : table<Kernel>) {
            if (runs(compiled.needs)) { kernels.push_back(compiled.kernel); }
        }
        return kernels;
    }();
    return runnable;
}

template const std::vector<const bfloat16_rounding*>& runnable_kernels();
template const std::vector<const gemm_kernel<double>*>& runnable_kernels();
template const std::vector<const gemm_kernel<float>*>& runnable_kernels();
template const std::vector<const int8_kernel*>& runnable_kernels();
template const std::vector<const integer_rows_kernel<std::int32_t>*>& runnable_kernels();
template const std::vector<const integer_rows_kernel<std::int64_t>*>& runnable_kernels();
template const std::vector<const list_kernel<double>*>& runnable_kernels();
template const std::vector<const list_kernel<float>*>& runnable_kernels();
template const std::vector<const ordered_kernel<psum_f32>*>& runnable_kernels();
template const std::vector<const ordered_kernel<psum_bf16>*>& runnable_kernels();
template const std::vector<const pe_rows_kernel*>& runnable_kernels();
template const std::vector<const pointwise_kernel<double>*>& runnable_kernels();
template const std::vector<const pointwise_kernel<float>*>& runnable_kernels();
template const std::vector<const row_kernel*>& runnable_kernels();

} // namespace tensorloom::arithmetic
