#pragma once
#include <array>
#include <cstdint>
#include <vector>
#include <tensorloom/models/isa/program/tensor_descriptor.h>

namespace tensorloom::isa {

// How a device cuts a product of a tensor of three modes with a matrix per mode into passes over its nodes or cells.
// Plain arithmetic on sizes: devices, drivers and testbenches use the same.
//
// A product fits when neither its operand nor its result is larger than the device in any mode. Then its stages follow
// each other inside. Otherwise it runs stage by stage over blocks of the device's size, the last of each mode smaller:
// for each block of a stage's output (the last mode fastest), for each block of the summed mode in ascending order, a
// pass multiplies a block of the stage's input by a window of the matrix. Intermediate tensors lie in a workspace.

/// Sizes along modes 1, 2, 3.
using mode_sizes = std::array<std::uint32_t, 3>;

/// Elements of a tensor of these sizes; 2^64 - 1 when there are more.
std::uint64_t volume_of(const mode_sizes& sizes);

/// A box of a tensor.
struct tensor_block {
    mode_sizes first{}; ///< its corner with the smallest indices
    mode_sizes size{};
};

/// A time in which the device streams one window of a matrix: rows operand.first[mode].., columns result.first[mode]...
struct tile_pass {
    tensor_block operand; ///< of the stage's input
    tensor_block result;  ///< of the stage's output, in which it accumulates
    bool opens = false;   ///< the first pass of this block of the output
    bool closes = false;  ///< the last

    /// The larger of the two along the summed mode.
    mode_sizes box() const;
};

/// One stage of a product that runs.
struct tiled_stage {
    unsigned position = 0; ///< 0, 1, 2 in the order
    unsigned mode = 0;     ///< 0, 1, 2: summed
    mode_sizes input{};
    mode_sizes output{};
    mode_sizes operand_tile{}; ///< largest block of the input,
    mode_sizes result_tile{};  ///< ... of the output; they differ along the summed mode alone

    std::uint64_t results() const;             ///< blocks of the output
    std::uint64_t passes_of_result() const;    ///< for each of them
    std::uint64_t passes() const;              ///< in all
    tile_pass pass(std::uint64_t index) const; ///< below passes(); passes of one result follow each other

    /// The pass that streams row `step` of all rows(), counted through the passes in their order.
    std::uint64_t pass_of(std::uint64_t step) const;

    // closed forms
    std::uint64_t rows() const; ///< of matrix windows, in all passes
    std::uint64_t result_elements() const;
};

/// All stages of a product that run, in their order.
struct tile_plan {
    bool fits = true; ///< the stages follow each other inside
    std::vector<tiled_stage> stages;

    std::uint64_t rows() const;   ///< of all stages; 2^64 - 1 when there are more
    std::uint64_t passes() const; ///< likewise

    /// The first element in the workspace of the output of stages[index]; all but the last lie there, one behind the
    /// other.
    std::uint64_t workspace_offset(std::size_t index) const;
    /// Elements that the workspace must have at least; 0 when it needs none; 2^64 - 1 when it would be more than that.
    std::uint64_t workspace_elements() const;
};

/// The plan of a product that sums these modes, 0 to 2, in this order, each of a tensor that has the sizes of the input
/// along modes that have not been summed. Of the input and of the output the device holds so many elements at a time.
tile_plan plan_tiles(const mode_sizes& input, const mode_sizes& output, const std::vector<unsigned>& modes,
                     const mode_sizes& input_tile, const mode_sizes& output_tile);

/// A block of a tensor of order 3, as it lies in memory.
tensor_descriptor block_descriptor(const tensor_descriptor& tensor, const tensor_block& block);

} // namespace tensorloom::isa
