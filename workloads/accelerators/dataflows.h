#pragma once
#include <array>
#include <cstdint>
#include <vector>
#include <tensorloom/models/fetta/isa/events.h>
#include <tensorloom/models/fetta/isa/device_limits.h>
#include <tensorloom/workloads/accelerators/accelerator.h>
#include <tensorloom/workloads/accelerators/tile_loops.h>
#include <tensorloom/workloads/contraction/flat_index.h>
#include <tensorloom/workloads/step_planner/contraction_graph.h>
#include <tensorloom/workloads/step_planner/processing_array.h>

namespace tensorloom::workloads {

/// A dataflow of an array for a contraction: which operand is X, its loops, and the access to each tensor.
struct dataflow {
    bool swapped = false;                    ///< X is the second operand
    tile_loops loops;                        ///< of a fixed or any split
    std::uint64_t cycles = 0;                ///< of engines with copies, whose lines all lie as they are wanted
    fetta::counts counts, kept;              ///< likewise: results leave; sums stay
    std::array<contraction_index, 3> line{}; ///< by contraction_tensor: the index along which its lines are wanted
    std::array<std::uint64_t, 3> width{};    ///< likewise: neighbours at once
};

/// All dataflows for a contraction of a block: every loop order of the machine, with either operand as X. The weight is
/// the core if one operand is a product of cores only, else either operand.
///
///     weight held            X along K, W and Y along N
///     output, nothing held   X along M, W and Y along N
///
/// Engines with copies use the split with the fewest cycles whose tensors and copies fit into the unified memory; K is
/// not split.
std::vector<dataflow> ways_of(const contraction_graph& block, std::size_t contraction, const contraction_form& form,
                              const accelerator& machine, const fetta::device_limits& g);

} // namespace tensorloom::workloads
