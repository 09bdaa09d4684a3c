#pragma once
#include <cstdint>
#include <optional>
#include <vector>
#include <tensorloom/models/arch/fetta/contract_command.h>
#include <tensorloom/models/arch/fetta/geometry.h>
#include <tensorloom/models/arch/fetta/operand_role.h>

namespace tensorloom::arch::fetta {

/// A counter or a mode: `count` values, each `stride` (positions or elements) from the one before.
struct strided_count {
    std::uint64_t count;
    std::int64_t stride;
};

/// The counters of a banked operand, the modes of a linear one.
std::vector<strided_count> counts_of(const contract_command& command, operand_role role, const geometry& g);

/// Least and greatest sum of index x stride.
struct reach {
    std::int64_t low = 0;
    std::int64_t high = 0;
};
/// Nothing when they are 2^40 or more apart, which fits no device.
std::optional<reach> reach_of(const std::vector<strided_count>& counts);

/// Whether two different sets of indices may have the same sum: false is certain. Exact when, taken from the smallest
/// stride to the largest, each stride is a multiple of the one before, and otherwise of modes that interleave true may
/// be said too often.
bool may_repeat(std::vector<strided_count> counts);

/// From the first to the last that an operand takes: rows of every bank, in rows of its own type, and elements of the
/// linear order of its type (a banked operand: those of whole rows).
struct operand_reach {
    std::int64_t first_row, last_row;
    std::int64_t first_element, last_element;
};
/// With the base as it stands. Nothing when reach_of() says nothing.
std::optional<operand_reach> reach_of(const contract_command& command, operand_role role, const geometry& g);

} // namespace tensorloom::arch::fetta
