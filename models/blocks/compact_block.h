#pragma once
#include <cstdint>
#include <tensorloom/models/blocks/vector_source.h>

namespace tensorloom::blocks {

/// The functional block COMPACT: z[b[i]-1] = a[i] where b[i] != 0, an all-to-all switch. Source: MMV-RAM (arXiv
/// 2506.23906), section 4.
///
/// Positions are whole numbers from 0 to the length of z; of several words for one place the last one stays. Cost: that
/// of the instruction in vector_costs; its circuit has n^2 B gates.
template <class W> class compact_block {
public:
    /// Elements first to last - 1; z lies apart from a and b.
    void scatter(const vector_source<W>& a, const vector_source<W>& b, W* z, std::uint64_t first,
                 std::uint64_t last) const
    {
        for (std::uint64_t i = first; i < last; ++i) {
            const auto position = static_cast<std::uint64_t>(b[i]);
            if (position != 0) { z[position - 1] = a[i]; }
        }
    }
};

} // namespace tensorloom::blocks
