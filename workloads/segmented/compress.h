#pragma once
#include <tensorloom/workloads/segmented/mmv_ram.h>
#include <tensorloom/workloads/segmented/scan.h>

namespace tensorloom::workloads {

/// COMPRESS(x, f): the x[i] where f[i] is 1, in order. Ends a program: how many there are decides about what follows.
/// The result has no elements, and nothing was compacted, when there are none. Without the block COMPACT see compact().
/// Constants: prefix, carry.
mmv_array compress(mmv_ram& ram, scan_unit unit, const mmv_array& x, const mmv_array& f);

/// COMPRESS whose scan of the flags is there already: counted[i] = f[0] + .. + f[i].
mmv_array compress_counted(mmv_ram& ram, const mmv_array& x, const mmv_array& f, const mmv_array& counted);

/// COMPACT(x, position): the x[i] with position[i] != 0, which are 1, 2, .. `kept` in this order.
///
/// Without the block: element i has to move d = i + 1 - position[i] places to the left. Round k = 0, 1, .. moves those
/// by 2^k whose d has bit k; as distances never fall from an element to the next that is kept, no two meet, whatever
/// lies between them. Integers only (BIT).
mmv_array compact(mmv_ram& ram, const mmv_array& x, const mmv_array& position, std::uint64_t kept);

/// ENDS(f): flags at the last elements of segments, from flags at the first ones. f has an element more than the
/// vector, its last is set here; the result is f read from its second element on. f[0] does not matter.
mmv_array segment_ends(mmv_ram& ram, const mmv_array& f);

} // namespace tensorloom::workloads
