#pragma once
#include <array>
#include <cstdint>
#include <optional>
#include <vector>
#include <tensorloom/models/fetta/isa/contract_command.h>
#include <tensorloom/models/fetta/isa/device_limits.h>
#include <tensorloom/models/base/values/integers.h>

namespace tensorloom::fetta {

// Where the elements of an operand or of the result lie in the banks, by the formulas of contract_operand: banked,
// linear, and from where to where either reaches. Row, beat: geometry.h.

/// What a beat holds: `side` elements, which differ in one index.
struct beat_indices {
    /// Indices of the first element. IA, IB: batch, contracted, free. Result: batch, IA's free, IB's free.
    std::array<std::uint64_t, 3> index{};
    std::uint32_t along = 0; ///< which of them the lanes go along, 1 or 2
    /// Elements whose indices are all in range: lanes 0 to lanes - 1; 0: nothing to read or write.
    std::uint32_t lanes = 0;
    /// The batch index, and the free index of at least one lane, are in range: the port takes part, with zeros for what
    /// is missing.
    bool present = false;
};

// ---- banked ----

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

/// How many values each counter of a banked operand has. Rows in a tile: P, or the extent of a group that fits into one
/// tile. With more tiles the rows of the last one that are out of range are neither read nor written, but they do have
/// positions.
std::array<std::uint64_t, 4> counter_counts(const contract_command& command, operand_role role, const device_limits& g);

// ---- linear ----

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

/// A linear operand or result: which elements of the linear order a beat has, and where they lie.
class linear_operand {
public:
    linear_operand(const contract_command& command, operand_role role, const device_limits& g);

    /// An index of a group as an offset in elements; 0 batch, 1 contracted (result: IA's free), 2 free.
    std::int64_t offset(unsigned group, std::uint64_t index) const { return m_groups[group].offset(index); }

    /// Indices in the linear order of the elements of lanes 0 to beat.lanes - 1.
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

/// A counter or a mode: `count` values, each `stride` (positions or elements) from the one before.
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
/// Nothing when they are 2^40 or more apart, which fits no device.
std::optional<reach> reach_of(const std::vector<strided_count>& strided);

/// Whether two different sets of indices may have the same sum: false is certain. Exact when, taken from the smallest
/// stride to the largest, each stride is a multiple of the one before, and otherwise of modes that interleave true may
/// be said too often.
bool may_repeat(std::vector<strided_count> strided);

/// From the first to the last that an operand takes: rows of every bank, in rows of its own type, and elements of the
/// linear order of its type (a banked operand: those of whole rows).
struct operand_reach {
    std::int64_t first_row, last_row;
    std::int64_t first_element, last_element;
};
/// With the base as it stands. Nothing when reach_of() says nothing.
std::optional<operand_reach> reach_of(const contract_command& command, operand_role role, const device_limits& g);

} // namespace tensorloom::fetta
