#pragma once
#include <tensorloom/workloads/segmented/mmv_ram.h>
#include <tensorloom/workloads/segmented/scan.h>

namespace tensorloom::workloads {

/// Which unit takes differences.
enum class difference_unit { matrix, vector };

/// SCD(x, f), MMV-RAM algorithm 2: scan, compress the segment ends, differentiate; the sum of each segment. f has an
/// element more than x (segment_ends()); both are overwritten. Ends a program. Constants: prefix, carry
/// (scan_unit::matrix), difference (difference_unit::matrix).
mmv_array segmented_sum(mmv_ram& ram, scan_unit scans, difference_unit differences, const mmv_array& x,
                        const mmv_array& f);

} // namespace tensorloom::workloads
