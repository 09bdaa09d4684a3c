#pragma once
#include <tensorloom/workloads/segmented/mmv_ram.h>

namespace tensorloom::workloads {

// Differences of neighbours: the result is z[i] = x[i] - x[i-1], x[-1] = 0.

/// One subtraction of the shifted vector.
mmv_array difference_vcu(mmv_ram& ram, const mmv_array& x);

/// Blocks of s on the matrix unit, then what the first element of each block lacks. Constants: difference.
mmv_array difference_mmu(mmv_ram& ram, const mmv_array& x);

} // namespace tensorloom::workloads
