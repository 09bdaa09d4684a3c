#pragma once
#include <cstdint>
#include <tensorloom/models/fetta/isa/contract_command.h>
#include <tensorloom/models/fetta/isa/events.h>
#include <tensorloom/models/fetta/isa/device_limits.h>

namespace tensorloom::fetta {

// The cycle in which a row is accessed, from the first one of the command, without conflicts. A cycle lasts as long as
// the busiest bank needs for its accesses of IA, of IB and of the result: per clock period a bank reads one row each
// for IA and IB, and writes one row of the result. So
//
//     cycles = sum over these cycles of max(1, most distinct rows of one operand in one bank)
//
//     stationary          tile starts at s: first P, each next max(t, P) after that of the previous tile
//                         IA row of step t: s + t;  IB row r: s - 1 - r (the row that moves furthest enters first);
//                         result of step t: s + t + L P-1 + D + R + A
//     output-stationary   first tile starts at 0, each next max(L K', P) later
//                         IA and IB rows of step k: s + L k;  result row m: s + L K' + P-1 + (P-1-m) + D + R + A
//                         (bottom row first)
//
// L: latency of a multiply-add (device_limits::mac_latency). A bank's further accesses stall also those engines that
// wait for a multiply-add.

/// Latencies of the blocks between engines and memory, in cycles: distribution network (multiplexers only), reduction
/// network (a register after each of its log2 N levels), accumulation unit.
struct block_latency {
    std::uint64_t distribution = 0;
    std::uint64_t reduction = 4; ///< log2 N
    std::uint64_t accumulation = 1;
};
block_latency latency_of(const device_limits& g);

/// Cycles from a step of a tile to the next one: 1; L when output-stationary, where it adds to the same sums.
std::uint64_t cycles_of_step(mapping how, const device_limits& g);

/// Cycles from the start of a tile to the start of the next: max(steps, P); output-stationary max(L steps, P).
std::uint64_t cycles_to_next_tile(mapping how, std::uint64_t steps, const device_limits& g);

/// Cycles from the start of a tile to its first row of the result at the accumulators' output: L P-1 + D + R + A;
/// output-stationary L steps + P-1 + D + R + A.
std::uint64_t cycles_to_result(mapping how, std::uint64_t steps, const device_limits& g);

/// The pieces of a stream of T steps: as many pieces as possible of the largest size, the number of accumulator rows.
/// Of the remainder the last piece has at least P steps, taken from the piece before it if necessary. (With
/// accumulators of fewer than 2 P - 1 rows that piece may be shorter than P.) Piece i has pieces[i] steps from
/// pieces.first(i) on.
class stream_pieces {
public:
    stream_pieces() = default;
    stream_pieces(std::uint64_t steps, std::uint64_t most, std::uint64_t least); ///< of at least 1 step; least <= most

    std::uint64_t size() const { return m_size; }
    std::uint64_t operator[](std::uint64_t piece) const
    {
        return piece + 1 == m_size ? m_last : piece + 2 == m_size ? m_next_to_last : m_most;
    }
    std::uint64_t first(std::uint64_t piece) const
    {
        return piece + 1 == m_size && piece > 0 ? (piece - 1) * m_most + m_next_to_last : piece * m_most;
    }

private:
    std::uint64_t m_size = 1, m_most = 1, m_next_to_last = 1, m_last = 1;
};

/// Iterations of each loop of a command.
struct contract_loops {
    std::uint64_t batch_tiles = 1;      ///< gt
    std::uint64_t contracted_tiles = 1; ///< kt; 1 when output-stationary
    std::uint64_t ia_tiles = 1;         ///< rt; 1 when stationary
    std::uint64_t ib_tiles = 1;         ///< ft, ct
    std::uint64_t steps = 1;            ///< T or K'
    stream_pieces pieces;               ///< of the stream; one of `steps` when output-stationary

    std::uint64_t tiles() const { return batch_tiles * contracted_tiles * ia_tiles * ib_tiles * pieces.size(); }
};
contract_loops loops_of(const contract_command& command, const device_limits& g);

/// Cycles of a command by cause, without conflicts.
struct contract_cycles {
    std::uint64_t compute = 0; ///< steps of all tiles
    /// Stationary: P + L P-1 + D + R + A; output-stationary: L-1 + P-1 + D + R + A; and cycles_of_buffers().
    std::uint64_t fill = 0;
    std::uint64_t reload = 0; ///< stationary: max(t, P) - t for every tile but the last: the next IB is not loaded yet
    /// Output-stationary: P to drain the last tile, max(L K', P) - K' for every tile but the last, whose steps take
    /// (L-1) (K'-1) more.
    std::uint64_t psum = 0;

    std::uint64_t total() const { return compute + fill + reload + psum; }
};

/// Cycles before the first row of a command whose operands are gathered reaches the engines, and after the last sums
/// before a scattered result is written: device_limits::buffer_cycles each. None of a banked operand or result.
struct buffer_latency {
    std::uint64_t gather = 0, scatter = 0;
};
buffer_latency cycles_of_buffers(const contract_command& command, const device_limits& g);

/// The closed form (`P + sum over all tiles but the last of max(t, P) + t + L P-1 + D + R + A`; output-stationary:
/// `(n-1) max(L K', P) + L K' + P-1 + D + P + R + A`, and the cycles of the buffers). Conflicts of linear operands are
/// added to it.
contract_cycles ideal_cycles(const contract_command& command, const device_limits& g);

/// Counts of a CONTRACT in closed form, in constant time, except the effects of linear operands: *_row_* counts are
/// those of banked ones, buffer_row likewise, and conflict_cycle is 0. buffer_word: every element of a linear operand
/// once per tile that uses it, of a linear result once. The command passes check() (contract_check.h).
counts contract_counts(const contract_command& command, const device_limits& g);

} // namespace tensorloom::fetta
