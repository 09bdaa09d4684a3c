#include <tensorloom/models/arithmetic/kernels/instruction_sets.h>

namespace tensorloom::arithmetic {

#if defined(TENSORLOOM_X86_KERNELS)
bool runs_avx2() { return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"); }
bool runs_avx512() { return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512vl"); }
bool runs_avx512_vnni()
{
    return runs_avx512() && __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512vnni");
}
#else
bool runs_avx2() { return false; }
bool runs_avx512() { return false; }
bool runs_avx512_vnni() { return false; }
#endif

} // namespace tensorloom::arithmetic
