#pragma once
#include <tensorloom/workloads/segmented/mmv_ram.h>

namespace tensorloom::workloads {

// Inclusive scans, MMV-RAM theorem 4.1 and its baselines. z and x have n elements.

/// z = SCAN(x): prefix sums of blocks of s on the matrix unit, the block totals by recursion, then the totals into the
/// blocks behind them. Every intermediate value is the sum of a contiguous range of x. z may be x. Constants: prefix,
/// carry.
void scan(mmv_ram& ram, const mmv_array& z, const mmv_array& x);

/// SCAN(x) on the vector unit alone: x + (x >> d) for d = 1, 2, 4, .. < n. Returns an array of its own (x itself when n
/// = 1).
mmv_array scan_vcu(mmv_ram& ram, const mmv_array& x);

/// z = SCAN(x), a tile of s x s after the other: P = A U, R = A 1, Q = L R (R is the weights), z = P + Q + what the
/// tile before ended with. z and x have a multiple of s x s elements. Constants: prefix, ones, strictly_lower.
void scan_tile(mmv_ram& ram, const mmv_array& z, const mmv_array& x);

/// Which unit an algorithm scans on.
enum class scan_unit { matrix, vector };

/// scan() or scan_vcu(); x stays as it is.
mmv_array scan_on(scan_unit unit, mmv_ram& ram, const mmv_array& x);

} // namespace tensorloom::workloads
