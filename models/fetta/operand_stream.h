#pragma once
#include <cstdint>
#include <vector>
#include <tensorloom/models/fetta/isa/contract_command.h>
#include <tensorloom/models/fetta/isa/contract_index.h>
#include <tensorloom/models/fetta/isa/device_limits.h>
#include <tensorloom/models/fetta/operand_address_generator.h>

namespace tensorloom::fetta {

/// What the controller tells the path of an operand, or of the result, in one cycle: whether beats pass the ports, and
/// where their elements lie.
struct beat_addresses {
    bool due = false;                       ///< otherwise nothing of the rest means anything
    bool first = false;                     ///< of their tile, in the order of cycles
    banked_place place;                     ///< banked: row of all banks, and the bank index that routes them
    std::vector<fetta::beat_indices> beats; ///< by engine; of engines that share one only the first has it
    /// Linear: `side` per engine, indices in the linear order of beats[engine].lanes elements.
    std::vector<std::uint64_t> elements;
};

/// The beats of an operand or of the result of a CONTRACT, each in the cycle in which it passes the ports
/// (fetta/isa/schedule.h): one of the controller's state machines of loop counters, with the address generator that it
/// moves. Plain C++.
///
/// Cycles are those of the engines, from the first of the command: what they last longer for conflicts is not counted.
class operand_stream {
public:
    operand_stream(operand_role role, const device_limits& limits);

    /// A command without complaint (fetta/isa/contract_check.h), with the indices of it, which must live as long as it
    /// runs. The first beat is there.
    void start(const contract_command& command, const contract_index& index);
    /// There are no beats.
    void stop() { m_ended = true; }
    /// All beats have passed.
    bool ended() const { return m_ended; }
    /// On to the next beat, if there is one.
    void next();

    std::uint64_t cycle() const { return m_tile_cycle + m_passed; } ///< of the beat that is there
    bool is_at(std::uint64_t cycle) const { return !m_ended && m_tile_cycle + m_passed == cycle; }
    bool is_first() const { return m_passed == 0; } ///< beat of its tile, in the order of cycles
    bool is_last() const { return m_passed + 1 == m_rows; }
    const operand_address_generator& address() const { return m_address; }

    /// What the path of these beats is told in the cycle of the one that is there.
    void address_to(beat_addresses& to);

private:
    void begin_tile();

    operand_role m_role;
    device_limits m_limits;
    operand_address_generator m_address;
    bool m_output_stationary = false;
    bool m_linear = false;
    std::uint32_t m_shared = 0; // bits of the engine index that share a beat
    bool m_ended = true;
    std::uint64_t m_tile_start = 0; // cycle of the tile's first step
    std::uint64_t m_tile_cycle = 0; // ... of the tile's first beat here
    std::uint64_t m_rows = 0;       // of the tile
    std::uint64_t m_passed = 0;     // of them
};

} // namespace tensorloom::fetta
