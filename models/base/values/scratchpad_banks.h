#pragma once
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>
#include <tensorloom/models/base/values/bank_counts.h>

namespace tensorloom::base {

/// The mapping of words to the banks of a scratchpad, and the stalls of groups of accesses. Plain C++.
///
///     bank of an address = address / word_bytes mod banks
///
/// In each cycle a bank reads one word per operand and writes one word of the result: every operand has its own read
/// port, so operands do not conflict with each other; words of one operand in one bank are read one after the other. A
/// word read by several lanes is read once and broadcast.
class scratchpad_banks {
public:
    /// word_bytes and banks are powers of two.
    scratchpad_banks(unsigned word_bytes, unsigned banks) : m_bank_mask(banks - 1)
    {
        while (1u << m_word_shift < word_bytes) { ++m_word_shift; }
    }

    unsigned word_bytes() const { return 1u << m_word_shift; }
    unsigned banks() const { return m_bank_mask + 1; }
    std::uint64_t word_of(std::uint64_t address) const { return address >> m_word_shift; }
    unsigned bank_of(std::uint64_t address) const { return static_cast<unsigned>(word_of(address)) & m_bank_mask; }

    /// Number of words that hold these bytes; 0 for none.
    std::uint64_t words(std::uint64_t address, std::uint64_t bytes) const
    {
        return bytes == 0 ? 0 : word_of(address + bytes - 1) - word_of(address) + 1;
    }

    /// Minimum cycles for this number of consecutive words.
    std::uint64_t contiguous_cycles(std::uint64_t words) const { return (words + m_bank_mask) / banks(); }

private:
    unsigned m_word_shift = 0;
    unsigned m_bank_mask;
};

/// Whether lanes that read the same word at the same time share one access, or read one after the other.
enum class equal_reads { broadcast, serial };

/// Counts bank conflicts of one operand's strided or indexed words, group by group; the order within a group does not
/// matter. A group takes as many cycles as its most used bank has words to read; equal words count once (broadcast) or
/// each time (serial). Writes to the same word are always serial.
///
/// Constant average time per access; allocates only at construction.
///
/// Example
///
///     const base::scratchpad_banks banks(64, 16);
///     base::bank_tally tally(banks, 8, base::equal_reads::broadcast);
///     for (std::uint64_t lane = 0; lane < 8; ++lane) { tally.read(lane * 1024); }
///     const std::uint64_t stalls = tally.end_group(); // 7: all words lie in bank 0
class bank_tally {
public:
    /// lanes: the most words that a group reads. counts: counters of the same banks, incremented group by group;
    /// nullptr: none.
    bank_tally(const scratchpad_banks& banks, std::uint64_t lanes, equal_reads equal, bank_counts* counts = nullptr);

    /// A lane of the current group reads the word at this address.
    void read(std::uint64_t address)
    {
        if (!m_words.empty() && !is_first(m_banks.word_of(address))) { return; }
        ++m_reads;
        access(address);
    }
    /// A lane of the current group writes the word at this address.
    void write(std::uint64_t address) { access(address); }

    /// Ends the group; returns its stall cycles, beyond one cycle. The next group begins.
    std::uint64_t end_group()
    {
        if (m_counts != nullptr) { count_group(); }
        ++m_group;
        const std::uint64_t most = std::exchange(m_most, 0);
        return most > 1 ? most - 1 : 0;
    }

    /// Words read from the banks since the last call.
    std::uint64_t take_reads() { return std::exchange(m_reads, 0); }

private:
    struct visited {
        std::uint64_t group = 0; // the last group that used it
        std::uint64_t what = 0;  // for a bank: its accesses in that group; for a table slot: a word
    };

    void access(std::uint64_t address)
    {
        auto& bank = m_tally[m_banks.bank_of(address)];
        if (bank.group != m_group) { bank = {m_group, 0}; }
        if (++bank.what > m_most) { m_most = bank.what; }
    }
    std::uint64_t accesses(unsigned bank) const { return m_tally[bank].group == m_group ? m_tally[bank].what : 0; }
    void count_group()
    {
        for (unsigned b = 0; b < m_tally.size(); ++b) { m_counts->access(b, accesses(b)); }
        if (m_most > 1) {
            m_counts->wait(m_most - 1, [&](unsigned b) { return accesses(b) == m_most; });
        }
    }
    // Marks a word as read by the group; whether it was the first time.
    bool is_first(std::uint64_t word)
    {
        constexpr std::uint64_t golden_ratio = 0x9e3779b97f4a7c15; // spreads words of any stride over the table
        for (std::size_t place = word * golden_ratio >> m_table_shift;; place = (place + 1) & (m_words.size() - 1)) {
            auto& found = m_words[place];
            if (found.group != m_group) {
                found = {m_group, word};
                return true;
            }
            if (found.what == word) { return false; }
        }
    }

    scratchpad_banks m_banks;
    std::vector<visited> m_tally; // by bank
    std::vector<visited> m_words; // words read by the group: a hash table at most half full; empty: serial
    unsigned m_table_shift = 63;
    std::uint64_t m_group = 1;
    std::uint64_t m_most = 0; // accesses to the most used bank
    std::uint64_t m_reads = 0;
    bank_counts* m_counts;
};

inline bank_tally::bank_tally(const scratchpad_banks& banks, std::uint64_t lanes, equal_reads equal,
                              bank_counts* counts)
    : m_banks(banks), m_tally(banks.banks()), m_counts(counts)
{
    if (equal == equal_reads::serial) { return; }
    std::uint64_t places = 2;
    for (; places < 2 * lanes; places *= 2) { --m_table_shift; }
    m_words.resize(places);
}

} // namespace tensorloom::base
