#pragma once
#include <array>
#include <cstdint>
#include <vector>
#include <tensorloom/models/arch/triada/gemt_command.h>
#include <tensorloom/models/arch/program/tensor_descriptor.h>

namespace tensorloom::arch::triada {

// How a device cuts a GEMT command into passes over its mesh. Plain arithmetic on sizes: the device, drivers and
// testbenches use the same.
//
// A command fits when its box, max(N_s, K_s) along a summed mode and N_s along another, is not larger than the mesh in
// any mode. Then its stages follow each other in the cells. Otherwise it runs stage by stage over blocks of the mesh's
// size, the last of each mode smaller: for each block of a stage's output (the last mode fastest), for each block of
// the summed mode in ascending order, a pass multiplies a block of the stage's input by a window of the matrix.
// Intermediate tensors lie in the workspace.

/// Sizes along modes 1, 2, 3.
using gemt_shape = std::array<std::uint32_t, 3>;

/// Elements of a tensor of these sizes; 2^64 - 1 when there are more.
std::uint64_t volume_of(const gemt_shape& sizes);

/// A box of a tensor.
struct gemt_block {
    gemt_shape first{}; ///< its corner with the smallest indices
    gemt_shape size{};
};

/// A time in which the device streams one window of a matrix: rows operand.first[mode].., columns result.first[mode]...
struct gemt_pass {
    gemt_block operand;  ///< of the stage's input
    gemt_block result;   ///< of the stage's output, in which it accumulates
    bool opens = false;  ///< the first pass of this block of the output
    bool closes = false; ///< the last

    /// The active cells: the larger of the two along the summed mode.
    gemt_shape box() const;
};

/// One stage of a command that runs.
struct gemt_stage {
    unsigned position = 0; ///< 0, 1, 2 in the order
    unsigned mode = 0;     ///< 0, 1, 2: summed
    gemt_shape input{};
    gemt_shape output{};
    gemt_shape tile{}; ///< largest block

    std::uint64_t results() const;             ///< blocks of the output
    std::uint64_t passes_of_result() const;    ///< for each of them
    std::uint64_t passes() const;              ///< in all
    gemt_pass pass(std::uint64_t index) const; ///< below passes(); passes of one result follow each other

    /// The pass that streams row `step` of all rows(), counted through the passes in their order.
    std::uint64_t pass_of(std::uint64_t step) const;

    // closed forms
    std::uint64_t rows() const; ///< of matrix windows, in all passes: time-steps, executed or skipped
    std::uint64_t result_elements() const;
};

/// All stages of a command that run, in their order.
struct gemt_plan {
    bool fits = true; ///< the stages follow each other in the cells
    gemt_shape box{}; ///< the active cells, of all stages and passes together
    std::vector<gemt_stage> stages;

    /// Time-steps of the whole command, executed or skipped.
    std::uint64_t steps() const;

    /// The first element in the workspace of the output of stages[index]; all but the last lie there, one behind the
    /// other.
    std::uint64_t workspace_offset(std::size_t index) const;
};

/// The plan of a command whose fields, X and Y have passed check() on a device with this mesh.
gemt_plan plan_gemt(const gemt_command& command, const gemt_shape& mesh);

/// Elements that the workspace of such a command must have at least; 0 when it needs none; 2^64 - 1 when it would be
/// more than that.
std::uint64_t gemt_workspace_elements(const gemt_command& command, const gemt_shape& mesh);

/// A block of a tensor of order 3, as it lies in memory.
tensor_descriptor block_descriptor(const tensor_descriptor& tensor, const gemt_block& block);

} // namespace tensorloom::arch::triada
