#pragma once
#include <cstdint>
#include <tensorloom/models/fetta/isa/contract_command.h>
#include <tensorloom/models/fetta/isa/events.h>
#include <tensorloom/models/fetta/isa/device_limits.h>

namespace tensorloom::fetta {

// In which cycle a row is accessed, from the first of the command, when every row is there in time. A cycle lasts as
// long as the busiest bank of its accesses of IA, of IB and of the result needs: a bank gives one row to each of IA and
// IB and takes one of the result. So
//     cycles = sum over these cycles of max(1, most distinct rows of one operand in one bank)
//
//     stationary          tile starts at s: first P, each next max(t, P) after that of the tile before
//                         IA row of step t: s + t;  IB row r: s - 1 - r (what goes furthest enters first);  result of
//                                                   step t: s + t + P-1 + D + R + A
//     output-stationary   first tile starts at 0, each next max(K', P) later
//                         IA and IB rows of step k: s + k;  result row m: s + K' + P-1 + (P-1-m) + D + R + A (bottom
//                                                           row first)

/// Latencies of the blocks between engines and memory, in cycles: distribution network (multiplexers only), reduction
/// network (a register behind each of its log2 N levels), accumulation unit.
struct block_latency {
    std::uint64_t distribution = 0;
    std::uint64_t reduction = 4; ///< log2 N
    std::uint64_t accumulation = 1;
};
block_latency latency_of(const device_limits& g);

/// From a step of the engines to the cycle in which what it completes in the last column is at the accumulators'
/// output: P-1 + D + R + A.
std::uint64_t cycles_through(const device_limits& g);

/// The pieces that a stream of T steps is cut into: as many as possible of the most steps that the accumulators have
/// rows for; of what remains the last has at least P steps, which the piece before it gives up. (Accumulators of fewer
/// than 2 P - 1 rows: that piece may then be shorter than P.) Piece i has pieces[i] steps from pieces.first(i) on.
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

/// How often each loop of a command turns.
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

/// Cycles of a command by cause, when every row is there in time.
struct contract_cycles {
    std::uint64_t compute = 0; ///< steps of all tiles
    std::uint64_t fill = 0;    ///< stationary: P + P-1 + D + R + A; output-stationary: P-1 + D + R + A
    std::uint64_t reload = 0;  ///< stationary: max(t, P) - t for every tile but the last: the next IB is not there yet
    /// Output-stationary: P to drain the last tile, max(K', P) - K' for every tile but the last.
    std::uint64_t psum = 0;

    std::uint64_t total() const { return compute + fill + reload + psum; }
};

/// The closed form (`P + sum over all tiles but the last of max(t, P) + t + P-1 + D + R + A`; output-stationary:
/// `(n-1) max(K', P) + K' + P-1 + D + P + R + A`). Conflicts of linear operands come on top.
contract_cycles ideal_cycles(const contract_command& command, const device_limits& g);

/// From the start of a tile to the start of the next: max(steps, P).
std::uint64_t cycles_to_next_tile(std::uint64_t steps, const device_limits& g);

/// What a device counts for a CONTRACT, in closed form, but for what a linear operand's or result's rows and conflicts
/// depend on: its *_row_* count is that of a banked one, and conflict_cycle is 0. Takes constant time. The command
/// passes check() (limits.h).
counts contract_counts(const contract_command& command, const device_limits& g);

} // namespace tensorloom::fetta
