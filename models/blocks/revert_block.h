#pragma once
#include <cstdint>
#include <tensorloom/models/arithmetic/word_operations.h>
#include <tensorloom/models/blocks/vector_source.h>

namespace tensorloom::blocks {

/// The functional block REVERT: z[i] = a[i] - (b[i] > 0 ? c[b[i]-1] : 0), an all-to-all switch and a subtraction.
/// Source: MMV-RAM (arXiv 2506.23906), section 4.
///
/// Positive b[i] are positions in c. Cost: that of the instruction in vector_costs; its circuit has n^2 B + n B^2
/// gates.
template <class W> class revert_block {
public:
    /// Elements first to last - 1; z may be the words of a or b. Returns the overflows.
    std::uint64_t subtract(const vector_source<W>& a, const vector_source<W>& b, const W* c, W* z, std::uint64_t first,
                           std::uint64_t last) const
    {
        std::uint64_t overflowed = 0;
        for (std::uint64_t i = first; i < last; ++i) {
            const W position = b[i];
            const W before = position > W(0) ? c[static_cast<std::uint64_t>(position) - 1] : W(0);
            z[i] = arithmetic::word_difference(a[i], before, overflowed);
        }
        return overflowed;
    }
};

} // namespace tensorloom::blocks
