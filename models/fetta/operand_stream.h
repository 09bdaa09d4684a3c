#pragma once
#include <cstdint>
#include <vector>
#include <tensorloom/models/fetta/isa/contract_command.h>
#include <tensorloom/models/fetta/isa/contract_index.h>
#include <tensorloom/models/fetta/isa/device_limits.h>
#include <tensorloom/models/fetta/operand_address_generator.h>

namespace tensorloom::fetta {

/// Controls of the path of an operand, or of the result, in one cycle: whether beats pass the ports, and the addresses
/// of their elements.
struct beat_addresses {
    bool due = false;                       ///< beats pass; otherwise the other fields are undefined
    bool first = false;                     ///< the first beats of their tile, in the order of cycles
    banked_place place;                     ///< banked: row of all banks, and the bank index that routes them
    std::vector<fetta::beat_indices> beats; ///< by engine; of engines that share a beat only the first has it
    /// Linear: `side` entries per engine, positions in the linear order of beats[engine].lanes elements.
    std::vector<std::uint64_t> elements;
};

/// The beats of an operand or of the result of a CONTRACT, each in the cycle in which it passes the ports
/// (fetta/isa/schedule.h): one of the controller's state machines of loop counters, with its address generator. Plain
/// C++.
///
/// Cycles are cycles of the engines, from the first one of the command; conflict cycles are not counted.
class operand_stream {
public:
    operand_stream(operand_role role, const device_limits& limits);

    /// Starts a command that check() accepts (fetta/isa/contract_check.h) at its first beat. `index` belongs to this
    /// command and must outlive the run.
    void start(const contract_command& command, const contract_index& index);
    /// Ends the stream.
    void stop() { m_ended = true; }
    /// Whether all beats have passed.
    bool ended() const { return m_ended; }
    /// Advances to the next beat, if there is one.
    void next();

    std::uint64_t cycle() const { return m_cycle; } ///< of the current beat
    bool is_at(std::uint64_t cycle) const { return !m_ended && m_cycle == cycle; }
    bool is_first() const
    {
        return m_passed == 0;
    } ///< the current beat is the first of its tile, in the order of cycles
    bool is_last() const { return m_passed + 1 == m_rows; }
    const operand_address_generator& address() const { return m_address; }

    /// Writes the controls of the current beat's cycle.
    void address_to(beat_addresses& to);

private:
    void begin_tile();

    operand_role m_role;
    device_limits m_limits;
    operand_address_generator m_address;
    bool m_linear = false;
    std::uint32_t m_shared = 0; // bits of the engine index that share a beat
    bool m_ended = true;
    mapping m_how{};
    std::uint64_t m_tile_start = 0; // cycle of the tile's first step
    std::uint64_t m_cycle = 0;      // of the current beat
    std::uint64_t m_apart = 1;      // cycles from a beat of the tile to the next
    std::uint64_t m_rows = 0;       // of the tile
    std::uint64_t m_passed = 0;     // of them
};

} // namespace tensorloom::fetta
