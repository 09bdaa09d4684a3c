#pragma once
#include <array>
#include <cstdint>
#include <optional>
#include <vector>
#include <tensorloom/models/fetta/isa/contract_command.h>
#include <tensorloom/models/fetta/isa/contract_index.h>
#include <tensorloom/models/fetta/isa/events.h>
#include <tensorloom/models/fetta/isa/device_limits.h>
#include <tensorloom/models/base/values/bank_counts.h>

namespace tensorloom::fetta {

// Conflicts: a bank serves one row of an operand per cycle; the engines stall while it has more to serve.

/// The rows that one operand reads from or writes to the banks in one cycle of the engines, and the time of the banks
/// for them. Plain C++.
///
/// A bank serves one row of an operand per cycle; a row that is requested several times is served once. The order in
/// which a bank serves its rows (that of the requests) does not affect the total:
///
///     cycles = most distinct rows in one bank
///
/// clear() and add() take constant time and no memory.
class bank_requests {
public:
    /// A requested row.
    struct request {
        std::uint64_t row;
        unsigned bank;
        unsigned turn; ///< the cycle in which the bank serves it, from 0
    };

    /// banks: N; most: largest number of distinct rows between two calls of clear().
    bank_requests(unsigned banks, unsigned most);

    void clear();
    /// Requests a row; returns its index in rows(), the same for repeated requests.
    unsigned add(std::uint64_t row, unsigned bank);

    const std::vector<request>& rows() const { return m_rows; } ///< distinct, in the order of requests
    unsigned cycles() const { return m_cycles; }                ///< 0 without requests
    /// Distinct rows in a bank.
    unsigned rows_in(unsigned bank) const { return m_queues[bank].stamp == m_stamp ? m_queues[bank].rows : 0; }

private:
    struct place {
        std::uint64_t stamp = 0; // of the cycle of its request
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

/// The rows that the linear operands and the linear result of a CONTRACT request from the banks in each cycle of its
/// engines (schedule.h), by formulas: any cycle can be evaluated alone. The command passes check() (contract_check.h).
class linear_accesses {
public:
    /// Totals of one cycle, or of many.
    struct numbers {
        std::uint64_t conflict_cycles = 0;   ///< stall cycles
        std::array<std::uint64_t, 3> rows{}; ///< distinct rows of its type, by operand_role
    };

    linear_accesses(const contract_command& command, const device_limits& g);

    /// Cycles from the first one of the command to the last in which a beat may pass.
    std::uint64_t cycles() const { return m_end; }
    /// Totals of a cycle. Also adds its rows and stalls to `banks`.
    numbers at(std::uint64_t cycle, base::bank_counts* banks = nullptr);
    /// Exact totals of all cycles.
    numbers all();
    /// Estimated totals from a sample of this many cycles: the first ones of the sequence i -> fraction of i x golden
    /// ratio, which spread evenly at any length and do not align with any loop of the command. Exact when the command
    /// has no more cycles than that. Deterministic.
    numbers estimate(std::uint64_t sample);

private:
    struct stream {
        operand_role role;
        linear_operand order;
        std::uint32_t shared;
        std::uint64_t first; // cycle of the first tile's first beat
    };
    struct tile_beat {
        contract_tile tile;
        std::uint64_t cycle; // of the tile
    };

    std::optional<tile_beat> beat_at(std::uint64_t cycle) const;
    void request(const stream& s, const tile_beat& at);

    contract_index m_index;
    mapping m_how;
    device_limits m_limits;
    std::uint64_t m_pass = 0;  // cycles of all pieces and contracted tiles
    std::uint64_t m_tiles = 0; // cycles of all tiles, one after the other
    std::uint64_t m_end = 0;
    std::vector<stream> m_streams;
    bank_requests m_requests;
    std::vector<std::uint64_t> m_elements;   // elements of one beat
    std::vector<std::uint64_t> m_short_rows; // by operand_role: 16-bit rows per row
    std::vector<unsigned> m_rows_in;         // by bank: rows of the operand that the current cycle waits for
};

/// Adds the totals of a whole command to its counts (schedule.h): conflict cycles, and 16-bit rows of linear operands.
void count_linear(const linear_accesses::numbers& numbers, const contract_command& command, const device_limits& g,
                  counts& to);

/// Accesses of a whole command by bank: their sums are its row events (16-bit rows) and its conflict cycles. Iterates
/// over all cycles. The command passes check() (contract_check.h).
base::bank_counts banks_of(const contract_command& command, const device_limits& g);

} // namespace tensorloom::fetta
