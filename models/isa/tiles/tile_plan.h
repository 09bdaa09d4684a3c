#pragma once
#include <array>
#include <cstdint>
#include <vector>
#include <tensorloom/models/isa/program/tensor_descriptor.h>

namespace tensorloom::isa {

// Splits a product of a three-mode tensor with a matrix per mode into passes over a device's nodes or cells. Plain
// arithmetic on sizes, shared by devices, drivers and testbenches.
//
// A product fits when neither its operand nor its result is larger than the device in any mode. Then its stages run one
// after the other inside the device. Otherwise it runs stage by stage over blocks of the device's size (the last block
// of each mode may be smaller): for each block of a stage's output (the last mode fastest), for each block of the
// summed mode in ascending order, a pass multiplies a block of the stage's input by a window of the matrix.
// Intermediate tensors are in a workspace.

/// Sizes along modes 1, 2, 3.
using mode_sizes = std::array<std::uint32_t, 3>;

/// Elements of a tensor of these sizes; saturates at 2^64 - 1.
std::uint64_t volume_of(const mode_sizes& sizes);

/// A block of a tensor.
struct tensor_block {
    mode_sizes first{}; ///< corner with the smallest indices
    mode_sizes size{};
};

/// One pass: the device streams one window of a matrix: rows operand.first[mode].., columns result.first[mode]...
struct tile_pass {
    tensor_block operand; ///< of the stage's input
    tensor_block result;  ///< of the stage's output, in which it accumulates
    bool opens = false;   ///< the first pass of this block of the output
    bool closes = false;  ///< the last

    /// The larger of the two sizes along the summed mode.
    mode_sizes box() const;
};

/// One stage of a product that is not empty.
struct tiled_stage {
    unsigned position = 0; ///< 0, 1, 2 in the order
    unsigned mode = 0;     ///< the summed mode: 0, 1, 2
    mode_sizes input{};
    mode_sizes output{};
    mode_sizes operand_tile{}; ///< largest block of the input,
    mode_sizes result_tile{};  ///< ... of the output; differs only along the summed mode

    std::uint64_t results() const;             ///< blocks of the output
    std::uint64_t passes_of_result() const;    ///< for each of these blocks
    std::uint64_t passes() const;              ///< in total
    tile_pass pass(std::uint64_t index) const; ///< below passes(); passes of one result follow each other

    /// The pass that streams row `step` of all rows(), counted over the passes in order.
    std::uint64_t pass_of(std::uint64_t step) const;

    // Closed forms.
    std::uint64_t rows() const; ///< of matrix windows, over all passes
    std::uint64_t result_elements() const;
};

/// All stages of a product, in order.
struct tile_plan {
    bool fits = true; ///< the stages run one after the other inside the device
    std::vector<tiled_stage> stages;

    std::uint64_t rows() const;   ///< of all stages; saturates at 2^64 - 1
    std::uint64_t passes() const; ///< likewise

    /// Offset in the workspace of the output of stages[index], in elements; all outputs but the last are there, one
    /// after the other.
    std::uint64_t workspace_offset(std::size_t index) const;
    /// Minimum elements of the workspace; 0 when none is needed; saturates at 2^64 - 1.
    std::uint64_t workspace_elements() const;
};

/// The plan of a product that sums these modes, 0 to 2, in this order. A mode has the input's size until it is summed.
/// The device holds this number of elements of the input and of the output at a time.
tile_plan plan_tiles(const mode_sizes& input, const mode_sizes& output, const std::vector<unsigned>& modes,
                     const mode_sizes& input_tile, const mode_sizes& output_tile);

/// The descriptor of a block of a tensor of order 3 in memory.
tensor_descriptor block_descriptor(const tensor_descriptor& tensor, const tensor_block& block);

} // namespace tensorloom::isa
