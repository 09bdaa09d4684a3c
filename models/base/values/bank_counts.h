#pragma once
#include <cstdint>
#include <string>
#include <vector>

namespace tensorloom::base {

/// What each bank of a memory served, and the cycles that its users waited for it. Plain C++.
///
/// Accesses come in groups, which last as long as the fullest bank of each takes for its own. What that is beyond one
/// cycle is put down to this bank; of several that are equally full, to the first of them behind the one that the wait
/// before was put down to, around. So the cycles of all banks sum to those that were waited.
class bank_counts {
public:
    struct served {
        std::uint64_t accesses = 0;
        std::uint64_t conflict_cycles = 0;
    };

    explicit bank_counts(unsigned banks) : m_banks(banks) {}

    const std::vector<served>& banks() const { return m_banks; }

    void access(unsigned bank, std::uint64_t times = 1) { m_banks[bank].accesses += times; }
    /// A group waited for a bank of which is_fullest(bank) is true; there is one.
    template <class Fullest> void wait(std::uint64_t cycles, const Fullest& is_fullest)
    {
        while (!is_fullest(m_next)) { m_next = behind(m_next); }
        m_banks[m_next].conflict_cycles += cycles;
        m_next = behind(m_next);
    }
    /// All banks were needed alike: each takes an equal part, what is left goes around as above.
    void wait_for_all(std::uint64_t cycles)
    {
        for (served& b : m_banks) { b.conflict_cycles += cycles / m_banks.size(); }
        for (std::uint64_t left = cycles % m_banks.size(); left != 0; --left) {
            wait(1, [](unsigned) { return true; });
        }
    }
    /// The wait that comes is the first one.
    void begin_around() { m_next = 0; }

    /// The same number of banks.
    void add(const bank_counts& other)
    {
        for (std::size_t b = 0; b < m_banks.size(); ++b) {
            m_banks[b].accesses += other.m_banks[b].accesses;
            m_banks[b].conflict_cycles += other.m_banks[b].conflict_cycles;
        }
    }

private:
    unsigned behind(unsigned bank) const { return bank + 1 == m_banks.size() ? 0 : bank + 1; }

    std::vector<served> m_banks;
    unsigned m_next = 0; // where the search for a fullest bank begins
};

/// A memory whose banks are counted.
struct counted_memory {
    std::string name; ///< in its device
    bank_counts counts;
};

} // namespace tensorloom::base
