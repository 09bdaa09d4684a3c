#pragma once
#include <algorithm>
#include <stdexcept>
#include <string>
#include <vector>

namespace tensorloom::arithmetic {

// What this machine runs and this build has kernels for.
bool runs_avx2();        ///< with fused multiply-add
bool runs_avx512();      ///< F and VL
bool runs_avx512_vnni(); ///< F, VL, BW and VNNI: dot products of small integers

/// The kernel of this name among those that this machine runs; std::invalid_argument when there is none.
template <class Kernel>
const Kernel& kernel_named(const std::vector<const Kernel*>& kernels, const std::string& instructions)
{
    const auto found = std::find_if(kernels.begin(), kernels.end(),
                                    [&](const Kernel* kernel) { return kernel->name == instructions; });
    if (found == kernels.end()) { throw std::invalid_argument("no kernel for " + instructions); }
    return **found;
}

} // namespace tensorloom::arithmetic
