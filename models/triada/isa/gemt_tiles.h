#pragma once
#include <cstdint>
#include <tensorloom/models/isa/tiles/tile_plan.h>
#include <tensorloom/models/triada/isa/gemt_command.h>

namespace tensorloom::triada {

/// The passes over the mesh that a GEMT command is split into (isa/tiles/tile_plan.h). A command fits when its box,
/// max(N_s, K_s) along a summed mode and N_s along another, is not larger than the mesh in any mode.
///
/// The workspace of a command that does not fit has, one after the other, a copy of X in tiles (with convert_x), the
/// tensors between the stages, and a copy of Y in tiles (with convert_y).
struct gemt_plan : isa::tile_plan {
    isa::mode_sizes box{};             ///< the active cells over all stages and passes
    std::uint64_t x_copy_elements = 0; ///< in the workspace, before the intermediate tensors
    std::uint64_t y_copy_elements = 0; ///< ... after them, counted as elements of the device's format

    /// Time-steps of the whole command, executed or skipped.
    std::uint64_t steps() const { return rows(); }
    /// Minimum elements of the workspace; 0 when none is needed; saturates at 2^64 - 1.
    std::uint64_t workspace_elements() const;
};

/// The plan of a command whose fields, X and Y have passed check() on a device with this mesh.
gemt_plan plan_gemt(const gemt_command& command, const isa::mode_sizes& mesh);

/// Smallest workspace of such a command in elements; 0 when it needs none; at most 2^64 - 1 (saturating).
std::uint64_t gemt_workspace_elements(const gemt_command& command, const isa::mode_sizes& mesh);

} // namespace tensorloom::triada
