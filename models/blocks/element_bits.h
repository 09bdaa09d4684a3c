#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace tensorloom::blocks {

/// A bit per element of a row of registers. Plain C++.
class element_bits {
public:
    explicit element_bits(unsigned size) : m_size(size), m_words((size + 63) / 64) {}

    void clear() { std::fill(m_words.begin(), m_words.end(), 0); }
    bool operator[](unsigned i) const { return (m_words[i / 64] >> (i % 64) & 1u) != 0; }

    /// Those of `from` one element further, the first one new, the last one lost. `from` has the same size and may be
    /// this.
    void shift_in(bool first, const element_bits& from)
    {
        std::uint64_t carry = first ? 1 : 0;
        for (std::size_t w = 0; w < m_words.size(); ++w) {
            const std::uint64_t word = from.m_words[w];
            m_words[w] = word << 1 | carry;
            carry = word >> 63;
        }
        if (m_size % 64 != 0) { m_words.back() &= (std::uint64_t{1} << (m_size % 64)) - 1; }
    }

    /// Calls visit(i) for every bit that is set, ascending.
    template <class Visit> void for_each(const Visit& visit) const
    {
        for (std::size_t w = 0; w < m_words.size(); ++w) {
            for (std::uint64_t rest = m_words[w]; rest != 0; rest &= rest - 1) {
                visit(static_cast<unsigned>(64 * w) + static_cast<unsigned>(__builtin_ctzll(rest)));
            }
        }
    }

private:
    unsigned m_size;
    std::vector<std::uint64_t> m_words;
};

} // namespace tensorloom::blocks
