#pragma once
#include <algorithm>
#include <cstdint>
#include <tensorloom/models/arithmetic/word_operations.h>
#include <tensorloom/models/blocks/vector_source.h>

namespace tensorloom::blocks {

/// EXPAND: z[i s + k] = k < bits and bit k of b[i] ? a[i] 2^k : 0, k < s. Results first to last - 1, z apart from a and
/// b; returns how many overflowed.
template <class W>
std::uint64_t expand_bits(const vector_source<W>& a, const vector_source<W>& b, W* z, std::uint64_t s, unsigned bits,
                          std::uint64_t first, std::uint64_t last)
{
    std::uint64_t overflowed = 0;
    for (std::uint64_t r = first; r < last;) { // the rest of what an element expands to
        const std::uint64_t i = r / s, start = i * s;
        const std::uint64_t end = std::min(start + s, last);
        const std::uint64_t digits = std::max(r, std::min(start + bits, end));
        const W x = a[i], y = b[i];
        for (; r < digits; ++r) {
            const auto k = static_cast<unsigned>(r - start);
            z[r] = arithmetic::word_bit(y, k) ? arithmetic::word_shifted(x, k, overflowed) : W(0);
        }
        std::fill(z + r, z + end, W(0));
        r = end;
    }
    return overflowed;
}

} // namespace tensorloom::blocks
