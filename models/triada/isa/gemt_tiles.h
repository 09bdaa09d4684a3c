#pragma once
#include <cstdint>
#include <tensorloom/models/isa/tiles/tile_plan.h>
#include <tensorloom/models/triada/isa/gemt_command.h>

namespace tensorloom::triada {

/// The passes over the mesh that a GEMT command is split into (isa/tiles/tile_plan.h). A command fits when its box,
/// max(N_s, K_s) along a summed mode and N_s along another, is not larger than the mesh in any mode.
struct gemt_plan : isa::tile_plan {
    isa::mode_sizes box{}; ///< the active cells over all stages and passes

    /// Time-steps of the whole command, executed or skipped.
    std::uint64_t steps() const { return rows(); }
};

/// The plan of a command whose fields, X and Y have passed check() on a device with this mesh.
gemt_plan plan_gemt(const gemt_command& command, const isa::mode_sizes& mesh);

/// Smallest workspace of such a command in elements; 0 when it needs none; at most 2^64 - 1 (saturating).
std::uint64_t gemt_workspace_elements(const gemt_command& command, const isa::mode_sizes& mesh);

} // namespace tensorloom::triada
