#pragma once
#include <array>
#include <cstdint>
#include <tensorloom/models/arch/fetta/contract_command.h>
#include <tensorloom/models/arch/fetta/geometry.h>
#include <tensorloom/models/arch/fetta/operand_role.h>
#include <tensorloom/models/arch/values/integers.h>

namespace tensorloom::arch::fetta {

// Banked operands, by the formulas of contract_operand.

/// Where the rows of one cycle lie that a banked operand has for all ports.
struct banked_place {
    std::uint64_t row = 0;        ///< of every bank
    std::uint32_t bank_index = 0; ///< of the network's routing
};

/// Where a position lies, of an operand with this base and bank whose rows the engines under the mask share.
banked_place place_of(std::int64_t position, std::uint32_t base, std::uint32_t bank, std::uint32_t shared);

/// A banked operand or result of a command: the rows of its positions, and the banks of ports.
class banked_operand {
public:
    banked_operand(const contract_command& command, operand_role role, const geometry& g);

    /// The place of a position, which is the sum of counter x stride.
    banked_place at(const std::array<std::uint64_t, 4>& counters) const;
    /// The bank of the port of an engine.
    std::uint32_t bank(const banked_place& place, std::uint32_t engine) const
    {
        const std::uint32_t port = (engine & ~m_shared) ^ place.bank_index;
        return m_transpose ? transposed(port, m_index_bits) : port;
    }
    std::uint32_t shared() const { return m_shared; }

private:
    std::array<std::int64_t, 4> m_stride;
    std::uint64_t m_base;
    std::uint32_t m_bank, m_shared, m_index_bits;
    bool m_transpose;
};

/// How many values each counter of a banked operand has. Rows in a tile: P, or the extent of a group that fits into one
/// tile. With more tiles the rows of the last one that are out of range are neither read nor written, but they do have
/// positions.
std::array<std::uint64_t, 4> counter_counts(const contract_command& command, operand_role role, const geometry& g);

} // namespace tensorloom::arch::fetta
