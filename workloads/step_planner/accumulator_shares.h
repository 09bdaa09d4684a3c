#pragma once
#include <cstdint>
#include <vector>
#include <tensorloom/models/fetta/isa/device_limits.h>
#include <tensorloom/workloads/step_planner/contraction_graph.h>

namespace tensorloom::workloads {

/// Who keeps sums in the accumulators from block to block of the batch, by contraction.
struct accumulator_shares {
    std::vector<std::uint64_t> rows; ///< that its sums may take; 0: none
    std::vector<bool> added;         ///< its sums go on, and have no room: the vector unit adds them
};

/// Shares for sums over so many blocks: the smallest first, as many as leave some rows to what is not kept. `apart`: a
/// contraction at a time has all rows.
accumulator_shares accumulator_shares_of(const contraction_graph& block, const fetta::device_limits& g,
                                         std::uint64_t blocks, bool apart);

} // namespace tensorloom::workloads
