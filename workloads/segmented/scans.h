#pragma once
#include <cstdint>
#include <vector>
#include <tensorloom/workloads/segmented/mmv_ram.h>

namespace tensorloom::workloads {

// Scans of vectors and of their segments on an MMV-RAM, and what these are made of: differences, which undo a scan, and
// compressing, which takes from a scan what stands at the ends of segments.

// ---- inclusive scans, MMV-RAM theorem 4.1 and its baselines; z and x have n elements ----

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

// ---- differences of neighbours: the result is z[i] = x[i] - x[i-1], x[-1] = 0 ----

/// One subtraction of the shifted vector.
mmv_array difference_vcu(mmv_ram& ram, const mmv_array& x);

/// Blocks of s on the matrix unit, then what the first element of each block lacks. Constants: difference.
mmv_array difference_mmu(mmv_ram& ram, const mmv_array& x);

// ---- compressing ----

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

// ---- segmented sums ----

/// Which unit takes differences.
enum class difference_unit { matrix, vector };

/// SCD(x, f), MMV-RAM algorithm 2: scan, compress the segment ends, differentiate; the sum of each segment. f has an
/// element more than x (segment_ends()); both are overwritten. Ends a program. Constants: prefix, carry
/// (scan_unit::matrix), difference (difference_unit::matrix).
mmv_array segmented_sum(mmv_ram& ram, scan_unit scans, difference_unit differences, const mmv_array& x,
                        const mmv_array& f);

// ---- segmented scans: a scan of x that starts anew where f is 1; the first element always starts a segment ----

/// SSCR(x, f), MMV-RAM algorithm 3: speculative scan of all, then REVERT takes from each element what lies before its
/// segment. f has an element more than x (segment_ends()); both are overwritten. Ends a program. Constants: prefix,
/// carry.
///
/// f[0] is cleared, so that the scan of the flags numbers the segments from 0: with f[0] = 1 kept, REVERT would
/// subtract the first segment from itself.
mmv_array segmented_scan_revert(mmv_ram& ram, const mmv_array& x, const mmv_array& f);

/// The same with one scan of the flags: the scan that compress needs is that one, read an element further.
mmv_array segmented_scan_revert_shared(mmv_ram& ram, const mmv_array& x, const mmv_array& f);

/// REVERT(x, g, w) into x: x[i] - w[g[i] - 1] where g[i] > 0. Without the block: for each segment but the first, w's
/// element is subtracted where g is the segment's number, in 5 steps (g counts down to 0, element by element); g is
/// overwritten then.
void revert(mmv_ram& ram, const mmv_array& x, const mmv_array& g, const mmv_array& w);

/// How a segmented scan of blocks gets from speculative scans to scans of segments.
enum class block_revert {
    revspec, ///< the instruction
    masked   ///< KS_REVERT: the offset at the first element of each segment, spread over the segment in ceil(log2 s)
             ///< rounds
};

/// The instruction where the device has it.
block_revert fitting_block_revert(const mmv_ram& ram);

/// SEGSCAN(x, f), MMV-RAM theorem 4.3: segmented scans of blocks, those of the block ends by recursion, then what goes
/// over into the block behind. x and f stay as they are. Constants: prefix.
class block_segmented_scan {
public:
    /// For vectors of up to n elements: masked reverting needs masks of that length, which are placed here.
    block_segmented_scan(mmv_ram& ram, block_revert by, std::uint64_t n);

    mmv_array operator()(const mmv_array& x, const mmv_array& f);

private:
    void revert_blocks(const mmv_array& z, const mmv_array& fb);
    void update_first_segment(const mmv_array& z, const mmv_array& fb, const mmv_array& ends);

    mmv_ram& m_ram;
    block_revert m_by;
    std::vector<mmv_array> m_masks; // round k: 1 where i mod s >= 2^k
};

/// The vector unit alone: ceil(log2 n) rounds of masked additions. f is overwritten. In f64 no element ever depends on
/// another segment.
mmv_array segmented_scan_vcu(mmv_ram& ram, const mmv_array& x, const mmv_array& f);

} // namespace tensorloom::workloads
