#pragma once
#include <cstdint>
#include <utility>
#include <vector>

namespace tensorloom::memory {

/// Which bank of a scratchpad holds a word, and how long groups of accesses wait for each other there. Plain C++.
///
///     bank of an address = address / word_bytes mod banks
///
/// In each cycle a bank gives one word to each operand and takes one word of the result: every operand has its read
/// port, so operands do not disturb each other; words of one operand that lie in one bank come one after the other.
class scratchpad_banks {
public:
    /// word_bytes and banks are powers of two.
    scratchpad_banks(unsigned word_bytes, unsigned banks) : m_bank_mask(banks - 1)
    {
        while (1u << m_word_shift < word_bytes) { ++m_word_shift; }
    }

    unsigned word_bytes() const { return 1u << m_word_shift; }
    unsigned banks() const { return m_bank_mask + 1; }
    unsigned bank_of(std::uint64_t address) const
    {
        return static_cast<unsigned>(address >> m_word_shift) & m_bank_mask;
    }

    /// Words that bytes lie in; 0 for none.
    std::uint64_t words(std::uint64_t address, std::uint64_t bytes) const
    {
        return bytes == 0 ? 0 : ((address + bytes - 1) >> m_word_shift) - (address >> m_word_shift) + 1;
    }

    /// Cycles that so many words, one after the other, take at least.
    std::uint64_t contiguous_cycles(std::uint64_t words) const { return (words + m_bank_mask) / banks(); }

private:
    unsigned m_word_shift = 0;
    unsigned m_bank_mask;
};

/// Bank conflicts of one operand's words that do not lie one after the other, at strides or at indices: group by group,
/// whatever their order.
class bank_tally {
public:
    explicit bank_tally(const scratchpad_banks& banks) : m_banks(banks), m_tally(banks.banks(), bank{0, 0}) {}

    /// The group at hand has a word there.
    void access(std::uint64_t address)
    {
        auto& visited = m_tally[m_banks.bank_of(address)];
        if (visited.group != m_group) { visited = {m_group, 0}; }
        if (++visited.accesses > m_most) { m_most = visited.accesses; }
    }

    /// The group is complete: the cycles that it needs on top of one. The next one begins.
    std::uint64_t end_group()
    {
        ++m_group;
        const std::uint64_t most = std::exchange(m_most, 0);
        return most > 1 ? most - 1 : 0;
    }

private:
    struct bank {
        std::uint64_t group;
        std::uint64_t accesses;
    };

    scratchpad_banks m_banks;
    std::vector<bank> m_tally;
    std::uint64_t m_group = 1;
    std::uint64_t m_most = 0; // accesses to one bank
};

} // namespace tensorloom::memory
