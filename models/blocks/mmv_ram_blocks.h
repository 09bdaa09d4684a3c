#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>
#include <tensorloom/models/arithmetic/word_operations.h>
#include <tensorloom/models/blocks/element_wise.h>

namespace tensorloom::blocks {

// The functional blocks of MMV-RAM (arXiv 2506.23906) in a vector unit.

/// The functional block REVSPEC: reverts a speculative scan within blocks. Source: MMV-RAM (arXiv 2506.23906), Lemma
/// A.1.
///
///     z[i] = a[i] - (((+0 + a[j1]) + a[j2]) + ...)    over j = j1 < j2 < ... with b[j] != b[j+1] and b[i] == b[j+1], j
///                                                     and j+1 in the block
///
/// Every sum and every difference that overflows counts; in blocks of scanned flags, which never decrease, there is at
/// most one j. Cost: that of the instruction in vector_costs; its circuit has n s B + n B^2 gates. Host time: linear in
/// n for flags that never decrease, otherwise n log n.
template <class W> class revspec_block {
public:
    /// The block of elements first to last - 1; z, a whole vector, may be the words of a or b. Returns the overflows.
    std::uint64_t revert(const vector_source<W>& a, const vector_source<W>& b, W* z, std::uint64_t first,
                         std::uint64_t last)
    {
        const std::uint64_t n = last - first;
        m_a.resize(n);
        m_b.resize(n);
        for (std::uint64_t i = 0; i < n; ++i) {
            m_a[i] = a[first + i];
            m_b[i] = b[first + i];
        }
        bool rises = true;
        for (std::uint64_t i = 1; i < n; ++i) { rises = rises && m_b[i - 1] <= m_b[i]; }

        if (!rises) { sum_by_flag(); }

        std::uint64_t overflowed = 0;
        for (std::uint64_t start = 0, end = 0; start < n; start = end) {
            for (end = start + 1; end < n && m_b[end] == m_b[start];) { ++end; }
            const flag_sum before = rises ? opening(start) : sum_of(m_b[start]);
            overflowed += before.overflowed * (end - start);
            for (std::uint64_t i = start; i < end; ++i) {
                z[first + i] = arithmetic::word_difference(m_a[i], before.sum, overflowed);
            }
        }
        return overflowed;
    }

private:
    /// The sum subtracted from elements with a flag.
    struct flag_sum {
        W flag{};
        W sum{};
        std::uint64_t overflowed = 0; // sums
    };

    // Of a run of equal flags when no other run has them: the change into it alone.
    flag_sum opening(std::uint64_t start) const
    {
        flag_sum before;
        if (start != 0) { before.sum = arithmetic::word_sum(W(0), m_a[start - 1], before.overflowed); }
        return before;
    }

    // -0 and +0 are one flag; a NaN is no flag, not even its own.
    bool changes_into(std::uint64_t i) const { return m_b[i - 1] != m_b[i] && m_b[i] == m_b[i]; }
    // Position of the first sum with a flag that is not less.
    std::size_t position(const W& flag) const
    {
        const auto at = std::lower_bound(m_sums.begin(), m_sums.end(), flag,
                                         [](const flag_sum& s, const W& f) { return s.flag < f; });
        return static_cast<std::size_t>(at - m_sums.begin());
    }
    flag_sum sum_of(const W& flag) const
    {
        const std::size_t at = position(flag);
        return at < m_sums.size() && m_sums[at].flag == flag ? m_sums[at] : flag_sum{};
    }

    // Every change adds to the sum of the flag after it: all sums in one ascending pass.
    void sum_by_flag()
    {
        m_sums.clear();
        for (std::uint64_t i = 1; i < m_b.size(); ++i) {
            if (changes_into(i)) { m_sums.push_back({m_b[i], W(0), 0}); }
        }
        std::sort(m_sums.begin(), m_sums.end(), [](const flag_sum& x, const flag_sum& y) { return x.flag < y.flag; });
        m_sums.erase(std::unique(m_sums.begin(), m_sums.end(),
                                 [](const flag_sum& x, const flag_sum& y) { return x.flag == y.flag; }),
                     m_sums.end());
        for (std::uint64_t i = 1; i < m_b.size(); ++i) {
            if (!changes_into(i)) { continue; }
            auto& s = m_sums[position(m_b[i])];
            s.sum = arithmetic::word_sum(s.sum, m_a[i - 1], s.overflowed);
        }
    }

    std::vector<W> m_a, m_b;      // current block
    std::vector<flag_sum> m_sums; // by ascending flag
};

/// The functional block COMPACT: z[b[i]-1] = a[i] where b[i] != 0, an all-to-all switch. Source: MMV-RAM (arXiv
/// 2506.23906), section 4.
///
/// Positions are whole numbers from 0 to the length of z; of several words for one place the last one wins. Cost: that
/// of the instruction in vector_costs; its circuit has n^2 B gates.
template <class W> class compact_block {
public:
    /// Elements first to last - 1; z is disjoint from a and b.
    void scatter(const vector_source<W>& a, const vector_source<W>& b, W* z, std::uint64_t first,
                 std::uint64_t last) const
    {
        for (std::uint64_t i = first; i < last; ++i) {
            const auto position = static_cast<std::uint64_t>(b[i]);
            if (position != 0) { z[position - 1] = a[i]; }
        }
    }
};

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
