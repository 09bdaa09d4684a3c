#pragma once
#include <cstdint>
#include <vector>
#include <tensorloom/workloads/segmented/mmv_ram.h>

namespace tensorloom::workloads {

// Segmented scans: a scan of x that starts anew where f is 1. The first element always starts a segment.

/// SSCR(x, f), MMV-RAM algorithm 3: speculative scan of all, then REVERT takes from each element what lies before its
/// segment. f has an element more than x (segment_ends()); both are overwritten. Ends a program. Constants: prefix,
/// carry.
///
/// f[0] is cleared, so that the scan of the flags numbers the segments from 0: with f[0] = 1 kept, as printed, the
/// first segment would be subtracted from itself.
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
