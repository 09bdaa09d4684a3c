#pragma once
#include <cstdint>
#include <vector>
#include <tensorloom/workloads/segmented/mmv_ram.h>

namespace tensorloom::workloads {

// Scans of vectors and of their segments on an MMV-RAM, and their building blocks: differences, the inverse of a scan,
// and compression, which selects from a scan the elements at the ends of segments.

// ---- inclusive scans, MMV-RAM theorem 4.1 and its baselines; z and x have n elements ----

/// z = SCAN(x): prefix sums of blocks of s on the matrix unit, then of the block totals by recursion, which are added
/// to the following blocks. Intermediate values are range sums of x. z may be x. Constants: prefix, carry.
void scan(mmv_ram& ram, const mmv_array& z, const mmv_array& x);

/// SCAN(x) on the vector unit only: x + (x >> d) for d = 1, 2, 4, .. < n. Returns a new array (x itself if n = 1) with
/// `room` words after it.
mmv_array scan_vcu(mmv_ram& ram, const mmv_array& x, std::uint64_t room = 0);

/// z = SCAN(x), tile by tile of s x s: P = A U, R = A 1, Q = L R (R is the weights), z = P + Q + the last element of
/// the previous tile. z and x have a multiple of s x s elements. Constants: prefix, ones, strictly_lower.
void scan_tile(mmv_ram& ram, const mmv_array& z, const mmv_array& x);

/// SCAN(x) on the vector unit only, with work that grows as n: sums of pairs, their scan by recursion, which is final
/// at the second elements of pairs and is added to the first ones. 5 steps over at most n elements per level. Not in
/// the paper. Returns a new array (x itself if n = 1) with `room` words after it.
mmv_array scan_tree_vcu(mmv_ram& ram, const mmv_array& x, std::uint64_t room = 0);

/// SCAN(x) with blocks of s on the matrix unit, whose sums are no operands of it: the block totals are scanned by
/// scan_vcu() and added to the following blocks on the vector unit. x: elements, which may be narrower than words.
/// Returns a new array of words. Constants: prefix.
mmv_array scan_hybrid(mmv_ram& ram, const mmv_array& x);

/// Who scans, and how.
enum class scan_unit {
    matrix,     ///< scan()
    vector,     ///< scan_vcu()
    vector_tree ///< scan_tree_vcu()
};

/// x is not modified. The caller may write `room` words after the result.
mmv_array scan_on(scan_unit unit, mmv_ram& ram, const mmv_array& x, std::uint64_t room = 0);

// ---- differences of neighbours: the result is z[i] = x[i] - x[i-1], x[-1] = 0 ----

/// One subtraction of the shifted vector.
mmv_array difference_vcu(mmv_ram& ram, const mmv_array& x);

/// Blocks of s on the matrix unit, then a correction of the first element of each block. Constants: difference.
mmv_array difference_mmu(mmv_ram& ram, const mmv_array& x);

// ---- compression ----

/// COMPRESS(x, f): the x[i] with f[i] = 1, in order. Ends a program, because the host needs their number to continue.
/// If there are none, the result is empty. Without the block COMPACT see compact(). Constants: prefix, carry.
mmv_array compress(mmv_ram& ram, scan_unit unit, const mmv_array& x, const mmv_array& f);

/// COMPRESS with a given scan of the flags: counted[i] = f[0] + .. + f[i].
mmv_array compress_counted(mmv_ram& ram, const mmv_array& x, const mmv_array& f, const mmv_array& counted);

/// COMPACT(x, position): the x[i] with position[i] != 0; these positions are 1, 2, .. `kept` in this order.
///
/// Without the block: element i moves d = i + 1 - position[i] places to the left. Round k = 0, 1, .. moves by 2^k the
/// elements whose d has bit k. Distances of kept elements do not decrease, so none collide. Integers only (BIT).
mmv_array compact(mmv_ram& ram, const mmv_array& x, const mmv_array& position, std::uint64_t kept);

/// ENDS(f): flags at the last elements of segments, from flags at the first ones. f has one element more than the
/// vector; its last is set here. Returns f from its second element on. f[0] is ignored.
mmv_array segment_ends(mmv_ram& ram, const mmv_array& f);

// ---- segmented sums ----

/// Unit that computes differences.
enum class difference_unit { matrix, vector };

/// SCD(x, f), MMV-RAM algorithm 2: scan, compress the segment ends, differentiate; the sum of each segment. f has one
/// element more than x (segment_ends()); both are overwritten. Ends a program. Constants: prefix, carry
/// (scan_unit::matrix), difference (difference_unit::matrix).
mmv_array segmented_sum(mmv_ram& ram, scan_unit scans, difference_unit differences, const mmv_array& x,
                        const mmv_array& f);

// ---- segmented scans: a scan of x that restarts where f is 1; the first element always starts a segment ----

/// SSCR(x, f), MMV-RAM algorithm 3: speculative scan of the whole vector, then REVERT subtracts the sum before each
/// segment. f has one element more than x (segment_ends()); both are overwritten. Ends a program. Constants: prefix,
/// carry. f[0] is cleared, so that the scan of the flags numbers the segments from 0: with f[0] = 1, REVERT would
/// subtract the first segment from itself.
mmv_array segmented_scan_revert(mmv_ram& ram, const mmv_array& x, const mmv_array& f);

/// The same with one scan of the flags: compress uses the same scan, shifted by one element.
mmv_array segmented_scan_revert_shared(mmv_ram& ram, scan_unit unit, const mmv_array& x, const mmv_array& f);

/// REVERT(x, g, w) in place: x[i] - w[g[i] - 1] where g[i] > 0. Without the block: for each segment but the first, w's
/// element is subtracted where g is the segment's number, in 5 steps, which overwrite g.
void revert(mmv_ram& ram, const mmv_array& x, const mmv_array& g, const mmv_array& w);

/// Conversion of speculative scans of blocks to segmented scans.
enum class block_revert {
    revspec, ///< the instruction REVSPEC
    masked,  ///< KS_REVERT, algorithm 3 of appendix A.2.1: spreads the offset at the first element of each segment in
             ///< ceil(log2 s) rounds
    loop     ///< algorithm 2 of appendix A.2.1: a round per segment of a block, in all blocks at once
};

/// REVSPEC if the device has it.
block_revert fitting_block_revert(const mmv_ram& ram);

/// SEGSCAN(x, f), MMV-RAM theorem 4.3: segmented scans of blocks, of the block ends by recursion, then the carry into
/// the following block. x and f are not modified. Constants: prefix.
class block_segmented_scan {
public:
    /// For vectors of up to n elements. Masked reverting needs masks of that length, which are placed here. The loop
    /// reduces on the matrix unit, because a sum is no instruction of the vector unit (constants: ones), and ends a
    /// program per level, because the host needs the number of rounds: the most flags in a block.
    block_segmented_scan(mmv_ram& ram, block_revert by, std::uint64_t n);

    mmv_array operator()(const mmv_array& x, const mmv_array& f);

    /// The same with the block ends by segmented_scan_vcu(), so that no sum is an operand of the matrix unit. x and
    /// `left_flags` are elements, which may be narrower than words; f has the same flags as words.
    mmv_array hybrid(const mmv_array& x, const mmv_array& left_flags, const mmv_array& f);

private:
    struct block_ends {
        mmv_array x, f;
    };
    mmv_array scan_blocks(const mmv_array& z, const mmv_array& x, const mmv_array& f);
    block_ends ends_of(const mmv_array& z, const mmv_array& f);
    void revert_by_masks(const mmv_array& z, const mmv_array& fb);
    void revert_by_loop(const mmv_array& z, const mmv_array& fb, const mmv_array& x, const mmv_array& f);
    std::uint32_t most_flags_in_a_block(const mmv_array& fb);
    void update_first_segment(const mmv_array& z, const mmv_array& fb, const mmv_array& ends);

    mmv_ram& m_ram;
    block_revert m_by;
    std::vector<mmv_array> m_masks; // round k: 1 where i mod s >= 2^k
    mmv_array m_ordinals;           // loop: 1, 2, .. s
};

/// On the vector unit only: ceil(log2 n) rounds of masked additions. f is overwritten. f64: segments never mix.
mmv_array segmented_scan_vcu(mmv_ram& ram, const mmv_array& x, const mmv_array& f);

} // namespace tensorloom::workloads
