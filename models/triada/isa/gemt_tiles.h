#pragma once
#include <cstdint>
#include <tensorloom/models/isa/tiles/tile_plan.h>
#include <tensorloom/models/triada/isa/gemt_command.h>

namespace tensorloom::triada {

/// How a device cuts a GEMT command into passes over its mesh (isa/tiles/tile_plan.h). A command fits when its box,
/// max(N_s, K_s) along a summed mode and N_s along another, is not larger than the mesh in any mode.
struct gemt_plan : isa::tile_plan {
    isa::mode_sizes box{}; ///< the active cells, of all stages and passes together

    /// Time-steps of the whole command, executed or skipped.
    std::uint64_t steps() const { return rows(); }
};

/// The plan of a command whose fields, X and Y have passed check() on a device with this mesh.
gemt_plan plan_gemt(const gemt_command& command, const isa::mode_sizes& mesh);

/// Elements that the workspace of such a command must have at least; 0 when it needs none; 2^64 - 1 when it would be
/// more than that.
std::uint64_t gemt_workspace_elements(const gemt_command& command, const isa::mode_sizes& mesh);

} // namespace tensorloom::triada
