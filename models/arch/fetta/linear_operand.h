#pragma once
#include <array>
#include <cstdint>
#include <vector>
#include <tensorloom/models/arch/fetta/contract_command.h>
#include <tensorloom/models/arch/fetta/geometry.h>
#include <tensorloom/models/arch/fetta/operand_role.h>
#include <tensorloom/models/arch/fetta/row_elements.h>

namespace tensorloom::arch::fetta {

// Linear operands, by the formulas of contract_operand.

/// Where one element of a linear operand lies.
struct element_place {
    std::uint64_t row;
    std::uint32_t bank;
    std::uint32_t lane;
};

/// The flat index of a group (batch, contracted, free) of a linear operand as an offset in elements. Groups of up to
/// 65,536 indices keep a table, others divide.
class mode_group {
public:
    mode_group(const operand_mode* modes, std::uint32_t count);

    std::int64_t offset(std::uint64_t index) const { return m_table.empty() ? divided(index) : m_table[index]; }

private:
    std::int64_t divided(std::uint64_t index) const;

    std::vector<operand_mode> m_modes;
    std::vector<std::int64_t> m_table;
};

/// A linear operand or result: which elements of the linear order a row at a port takes, and where they lie.
class linear_operand {
public:
    linear_operand(const contract_command& command, operand_role role, const geometry& g);

    /// Indices in the linear order of the elements of lanes 0 to row.lanes - 1.
    void elements(const row_elements& row, std::uint64_t* to) const;

    element_place place(std::uint64_t element) const
    {
        const std::uint64_t row = element >> m_side_bits;
        return {row >> m_index_bits, static_cast<std::uint32_t>(row) & ((1u << m_index_bits) - 1),
                static_cast<std::uint32_t>(element) & ((1u << m_side_bits) - 1)};
    }

private:
    std::uint64_t m_base;
    std::array<mode_group, 3> m_groups;
    std::uint32_t m_side_bits, m_index_bits;
};

} // namespace tensorloom::arch::fetta
