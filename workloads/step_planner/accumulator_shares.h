#pragma once
#include <cstdint>
#include <vector>
#include <tensorloom/models/fetta/isa/device_limits.h>
#include <tensorloom/workloads/step_planner/contraction_graph.h>

namespace tensorloom::workloads {

/// Contractions that keep sums in the accumulators from block to block.
struct accumulator_shares {
    std::vector<std::uint64_t> rows; ///< available for its sums; 0: none
    std::vector<bool> added;         ///< its sums continue but do not fit: the vector unit adds them
};

/// Shares for sums over this many blocks: the smallest sums first, as many as leave some rows for other contractions.
/// `apart`: one contraction at a time has all rows.
accumulator_shares accumulator_shares_of(const contraction_graph& block, const fetta::device_limits& g,
                                         std::uint64_t blocks, bool apart);

} // namespace tensorloom::workloads
