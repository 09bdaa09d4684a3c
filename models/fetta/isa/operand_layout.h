#pragma once
#include <array>
#include <cstdint>
#include <optional>
#include <vector>
#include <tensorloom/models/fetta/isa/contract_command.h>
#include <tensorloom/models/fetta/isa/device_limits.h>
#include <tensorloom/models/base/values/integers.h>

namespace tensorloom::fetta {

// Placement of the elements of an operand or of the result in the banks, by the formulas of contract_operand: banked,
// linear, and the range of both. Terms row and beat: device_limits.h.

/// The content of a beat: `side` elements, which differ in one index.
struct beat_indices {
    /// Indices of the first element. IA, IB: batch, contracted, free. Result: batch, IA's free, IB's free.
    std::array<std::uint64_t, 3> index{};
    std::uint32_t along = 0; ///< the index along the lanes, 1 or 2
    /// Elements with all indices in range: lanes 0 to lanes - 1; 0: nothing to read or write.
    std::uint32_t lanes = 0;
    /// The batch index, and the free index of at least one lane, are in range: the port takes part, with zeros for
    /// missing elements.
    bool present = false;
};

// ---- banked ----

/// Place of the rows of a banked operand in one cycle, for all ports.
struct banked_place {
    std::uint64_t row = 0;        ///< of every bank
    std::uint32_t bank_index = 0; ///< of the network's routing
};

/// Place of a position of an operand with this base and bank; `shared`: mask of the engine bits that share a row.
banked_place place_of(std::int64_t position, std::uint32_t base, std::uint32_t bank, std::uint32_t shared);

/// A banked operand or result of a command: the rows of its positions, and the banks of ports.
class banked_operand {
public:
    banked_operand(const contract_command& command, operand_role role, const device_limits& g);

    /// The place of a position, which is the sum of counter x stride.
    banked_place at(const std::array<std::uint64_t, 4>& counters) const;
    /// The bank of the port of an engine.
    std::uint32_t bank(const banked_place& place, std::uint32_t engine) const
    {
        const std::uint32_t port = (engine & ~m_shared) ^ place.bank_index;
        return m_transpose ? base::transposed(port, m_index_bits) : port;
    }
    std::uint32_t shared() const { return m_shared; }

private:
    std::array<std::int64_t, 4> m_stride;
    std::uint64_t m_base;
    std::uint32_t m_bank, m_shared, m_index_bits;
    bool m_transpose;
};

/// Number of values of each counter of a banked operand. Rows in a tile: P, or the extent of a group that fits into one
/// tile. With more tiles, rows of the last tile that are out of range are neither read nor written but have positions.
std::array<std::uint64_t, 4> counter_counts(const contract_command& command, operand_role role, const device_limits& g);

// ---- linear ----

/// Place of one element of a linear operand.
struct element_place {
    std::uint64_t row;
    std::uint32_t bank;
    std::uint32_t lane;
};

/// Maps the flat index of a group (batch, contracted, free) of a linear operand to an offset in elements. Groups of up
/// to 65,536 indices use a table, larger ones divide.
class mode_group {
public:
    mode_group(const operand_mode* modes, std::uint32_t count);

    std::int64_t offset(std::uint64_t index) const { return m_table.empty() ? divided(index) : m_table[index]; }

private:
    std::int64_t divided(std::uint64_t index) const;

    std::vector<operand_mode> m_modes;
    std::vector<std::int64_t> m_table;
};

/// A linear operand or result: the linear positions of a beat's elements, and their places.
class linear_operand {
public:
    linear_operand(const contract_command& command, operand_role role, const device_limits& g);

    /// An index of a group as an offset in elements; 0 batch, 1 contracted (result: IA's free), 2 free.
    std::int64_t offset(unsigned group, std::uint64_t index) const { return m_groups[group].offset(index); }

    /// Linear positions of the elements of lanes 0 to beat.lanes - 1.
    void elements(const beat_indices& beat, std::uint64_t* to) const;

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

// ---- from the first to the last ----

/// A counter or a mode: `count` values, `stride` (positions or elements) apart.
struct strided_count {
    std::uint64_t count;
    std::int64_t stride;
};

/// The counters of a banked operand, the modes of a linear one.
std::vector<strided_count> counts_of(const contract_command& command, operand_role role, const device_limits& g);

/// Least and greatest sum of index x stride.
struct reach {
    std::int64_t low = 0;
    std::int64_t high = 0;
};
/// Nothing when low and high are 2^40 or more apart, which fits no device.
std::optional<reach> reach_of(const std::vector<strided_count>& strided);

/// Whether two different sets of indices may have the same sum. False is exact. True is exact when, from the smallest
/// stride to the largest, each stride is a multiple of the previous one; for interleaved modes it may be a false
/// positive.
bool may_repeat(std::vector<strided_count> strided);

/// Range of an operand: rows of every bank in rows of its type, and elements in linear order of its type (banked: of
/// whole rows).
struct operand_reach {
    std::int64_t first_row, last_row;
    std::int64_t first_element, last_element;
};
/// Range with the current base. Nothing when reach_of() of its counts is nothing.
std::optional<operand_reach> reach_of(const contract_command& command, operand_role role, const device_limits& g);

} // namespace tensorloom::fetta
