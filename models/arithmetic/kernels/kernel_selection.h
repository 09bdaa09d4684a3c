#pragma once
#include <algorithm>
#include <stdexcept>
#include <string>
#include <vector>

namespace tensorloom::arithmetic {

/// The instruction set that a kernel is compiled for and a machine must have to run it.
enum class instruction_set {
    portable,
    avx2,        ///< with fused multiply-add
    avx512,      ///< F and VL
    avx512_vnni, ///< F, VL, BW and VNNI: dot products of small integers
};

/// Whether this machine supports an instruction set for which this build has kernels.
bool runs(instruction_set instructions);

// A family of kernels is a struct of functions and a name, here Kernel: bfloat16_rounding, gemm_kernel<double and
// float>, int8_kernel, integer_rows_kernel<std::int32_t and std::int64_t>, list_kernel<double and float>,
// ordered_kernel<psum_f32 and psum_bf16>, pe_rows_kernel, pointwise_kernel<double and float>, row_kernel. Its static
// members are the kernels, one per instruction set: those of related families stand in one source, compiled for that
// instruction set (product_kernels_avx2.cpp), which shares no inline code with the sources for the others. All kernels
// of a family give the same bits.

/// The kernels of a family that this machine runs, the portable one first, the fastest last.
template <class Kernel> const std::vector<const Kernel*>& runnable_kernels();

template <class Kernel> const Kernel& best_kernel() { return *runnable_kernels<Kernel>().back(); }

/// The kernel of this name, "portable", "avx2" or "avx512"; std::invalid_argument when this machine runs none.
template <class Kernel> const Kernel& kernel_named(const std::string& instructions)
{
    const auto& kernels = runnable_kernels<Kernel>();
    const auto found = std::find_if(kernels.begin(), kernels.end(),
                                    [&](const Kernel* kernel) { return kernel->name == instructions; });
    if (found == kernels.end()) { throw std::invalid_argument("no kernel for " + instructions); }
    return **found;
}

} // namespace tensorloom::arithmetic
