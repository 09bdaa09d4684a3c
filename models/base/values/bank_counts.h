#pragma once
#include <cstdint>
#include <string>
#include <vector>

namespace tensorloom::base {

/// Accesses of each bank of a memory, and stall cycles of its users by bank. Plain C++.
///
/// Accesses come in groups. A group lasts as long as its most used bank needs; the cycles beyond one are charged to
/// that bank. Among equally used banks they are charged round robin: to the first one after the bank charged last. So
/// the cycles of all banks sum to the stall cycles.
class bank_counts {
public:
    struct served {
        std::uint64_t accesses = 0;
        std::uint64_t conflict_cycles = 0;
    };

    explicit bank_counts(unsigned banks) : m_banks(banks) {}

    const std::vector<served>& banks() const { return m_banks; }

    void access(unsigned bank, std::uint64_t times = 1) { m_banks[bank].accesses += times; }
    /// A group stalled for a bank with is_fullest(bank); there is at least one.
    template <class Fullest> void wait(std::uint64_t cycles, const Fullest& is_fullest)
    {
        while (!is_fullest(m_next)) { m_next = next_bank(m_next); }
        m_banks[m_next].conflict_cycles += cycles;
        m_next = next_bank(m_next);
    }
    /// All banks were used equally: each is charged an equal part, the remainder round robin as above.
    void wait_for_all(std::uint64_t cycles)
    {
        for (served& b : m_banks) { b.conflict_cycles += cycles / m_banks.size(); }
        for (std::uint64_t left = cycles % m_banks.size(); left != 0; --left) {
            wait(1, [](unsigned) { return true; });
        }
    }
    /// Restarts the round robin.
    void begin_around() { m_next = 0; }

    /// `other` has the same number of banks.
    void add(const bank_counts& other)
    {
        for (std::size_t b = 0; b < m_banks.size(); ++b) {
            m_banks[b].accesses += other.m_banks[b].accesses;
            m_banks[b].conflict_cycles += other.m_banks[b].conflict_cycles;
        }
    }

private:
    unsigned next_bank(unsigned bank) const { return bank + 1 == m_banks.size() ? 0 : bank + 1; }

    std::vector<served> m_banks;
    unsigned m_next = 0; // first candidate of the round robin
};

/// A memory whose banks are counted.
struct counted_memory {
    std::string name; ///< within its device
    bank_counts counts;
};

} // namespace tensorloom::base
