#pragma once
#include <cstdint>
#include <vector>
#include <tensorloom/models/arithmetic/word_operations.h>
#include <tensorloom/models/blocks/vector_source.h>

namespace tensorloom::blocks {

/// The functional block of reductions: a tree over the lanes, and a stack of partial results above it. Ours; no paper
/// describes it.
///
/// A sum has the same order whatever the lanes are and wherever its block lies among them:
///
///     r[0][i] = a[first + i]     r[l + 1][i] = r[l][2i] + r[l][2i + 1], or r[l][2i] where that is the last one
///                                until one is left
///
/// Each sum is rounded. The largest element has no order: it is that of word_maximum. Cost: that of the instructions in
/// vector_costs. Not modelled: how a block that begins between lanes reaches its place in the tree.
template <class W> class reduction_block {
public:
    /// Of elements first to last - 1, at least one.
    W sum(const vector_source<W>& a, std::uint64_t first, std::uint64_t last)
    {
        m_partial.resize(last - first);
        for (std::uint64_t i = first; i < last; ++i) { m_partial[i - first] = a[i]; }
        for (std::uint64_t left = last - first; left > 1; left = (left + 1) / 2) {
            for (std::uint64_t i = 0; i < left / 2; ++i) { m_partial[i] = m_partial[2 * i] + m_partial[2 * i + 1]; }
            if (left % 2 != 0) { m_partial[left / 2] = m_partial[left - 1]; }
        }
        return arithmetic::canonical(m_partial[0]);
    }

    W largest(const vector_source<W>& a, std::uint64_t first, std::uint64_t last) const
    {
        W most = arithmetic::canonical(a[first]);
        for (std::uint64_t i = first + 1; i < last; ++i) { most = arithmetic::word_maximum(most, W(a[i])); }
        return most;
    }

private:
    std::vector<W> m_partial;
};

} // namespace tensorloom::blocks
