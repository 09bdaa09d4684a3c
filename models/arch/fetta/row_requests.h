#pragma once
#include <cstdint>
#include <vector>

namespace tensorloom::arch::fetta {

/// The rows that one operand needs from the banks, or has for them, in one cycle of the engines, and how long the banks
/// take for them. Plain C++.
///
/// A bank serves one row of an operand per cycle; rows asked for more than once are served once. In what order banks
/// serve their rows (that of the requests) does not change when all of them have been served:
///
///     cycles = most distinct rows in one bank
///
/// clear() and add() take constant time and no memory.
class row_requests {
public:
    /// A row that somebody asked for.
    struct request {
        std::uint64_t row;
        unsigned bank;
        unsigned turn; ///< the bank serves it in this cycle, from 0
    };

    /// banks: N; at most so many different rows between one clear() and the next.
    row_requests(unsigned banks, unsigned most);

    void clear();
    /// Its index in rows(), the same each time.
    unsigned add(std::uint64_t row, unsigned bank);

    const std::vector<request>& rows() const { return m_rows; } ///< distinct, in the order of requests
    unsigned cycles() const { return m_cycles; }                ///< 0 without requests

private:
    struct place {
        std::uint64_t stamp = 0; // of the cycle that it was taken in
        unsigned index = 0;
    };
    struct queue {
        std::uint64_t stamp = 0;
        unsigned rows = 0;
    };

    std::vector<request> m_rows;
    std::vector<place> m_places; // open addressing
    std::vector<queue> m_queues; // by bank
    std::uint64_t m_stamp = 1;
    unsigned m_cycles = 0;
};

} // namespace tensorloom::arch::fetta
