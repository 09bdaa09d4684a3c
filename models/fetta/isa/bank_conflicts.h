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

// Conflicts: a bank serves one row of an operand in a cycle, and the engines wait while it has more to serve.

/// The rows that one operand needs from the banks, or has for them, in one cycle of the engines, and how long the banks
/// take for them. Plain C++.
///
/// A bank serves one row of an operand per cycle; rows asked for more than once are served once. In what order banks
/// serve their rows (that of the requests) does not change when all of them have been served:
///
///     cycles = most distinct rows in one bank
///
/// clear() and add() take constant time and no memory.
class bank_requests {
public:
    /// A row that somebody asked for.
    struct request {
        std::uint64_t row;
        unsigned bank;
        unsigned turn; ///< the bank serves it in this cycle, from 0
    };

    /// banks: N; at most so many different rows between one clear() and the next.
    bank_requests(unsigned banks, unsigned most);

    void clear();
    /// Its index in rows(), the same each time.
    unsigned add(std::uint64_t row, unsigned bank);

    const std::vector<request>& rows() const { return m_rows; } ///< distinct, in the order of requests
    unsigned cycles() const { return m_cycles; }                ///< 0 without requests
    /// Distinct rows in a bank.
    unsigned rows_in(unsigned bank) const { return m_queues[bank].stamp == m_stamp ? m_queues[bank].rows : 0; }

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

/// The rows of linear operands and of a linear result that a CONTRACT asks the banks for in each cycle of its engines
/// (schedule.h), by formulas: any cycle can be looked at by itself. The command passes check() (limits.h).
class linear_accesses {
public:
    /// Of one cycle, or of many.
    struct numbers {
        std::uint64_t conflict_cycles = 0;   ///< that the cycle lasts longer than one
        std::array<std::uint64_t, 3> rows{}; ///< by operand_role: distinct rows, of elements of its type
    };

    linear_accesses(const contract_command& command, const device_limits& g);

    /// Cycles from the first of the command to the last in which a beat may pass.
    std::uint64_t cycles() const { return m_end; }
    /// `banks`: the rows and the wait are counted there, too.
    numbers at(std::uint64_t cycle, base::bank_counts* banks = nullptr);
    /// Of all cycles, exactly.
    numbers all();
    /// Of all cycles, from this many of them: the first ones of the sequence i -> fraction of i x golden ratio, which
    /// are spread evenly however many there are, and fall in step with no loop of the command. Exact, from all, when
    /// there are no more cycles than that. The same each time.
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
        std::uint64_t passed; // beats of the tile, before this one
    };

    std::optional<tile_beat> beat_at(std::uint64_t cycle) const;
    void request(const stream& s, const tile_beat& at);

    contract_index m_index;
    std::uint32_t m_side, m_engines;
    bool m_output_stationary;
    std::uint64_t m_pass = 0;  // cycles of all pieces and contracted tiles
    std::uint64_t m_tiles = 0; // cycles of all tiles, one after the other
    std::uint64_t m_end = 0;
    std::vector<stream> m_streams;
    bank_requests m_requests;
    std::vector<std::uint64_t> m_elements;   // of one beat
    std::vector<std::uint64_t> m_short_rows; // by operand_role: of a row
    std::vector<unsigned> m_rows_in;         // by bank: rows of the operand that the cycle at hand waits for
};

/// Puts these numbers of a whole command into its counts (schedule.h): conflict cycles, and 16-bit rows of what
/// is linear.
void count_linear(const linear_accesses::numbers& numbers, const contract_command& command, const device_limits& g,
                  counts& to);

/// What a whole command asks of each bank: its row events, 16-bit rows, and its conflict cycles sum up to this. Goes
/// through the command cycle by cycle. The command passes check() (limits.h).
base::bank_counts banks_of(const contract_command& command, const device_limits& g);

} // namespace tensorloom::fetta
