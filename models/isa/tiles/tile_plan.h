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
// of each mode may be smaller): for each group of blocks of a stage's output (the last mode fastest), for each block of
// the summed mode in ascending order, for each block of the group, a pass multiplies a block of the stage's input by a
// window of the matrix. The blocks of a group differ only along the summed mode, and a loaded block of the input serves
// all of them; by default a group is one block. Intermediate tensors are in a workspace.

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
    tensor_block operand;             ///< of the stage's input
    tensor_block result;              ///< of the stage's output, in which it accumulates
    bool opens = false;               ///< the first pass of this block of the output
    bool closes = false;              ///< the last
    std::uint64_t operand_number = 0; ///< loads of operands before; passes with the same number share one
    std::uint64_t result_number = 0;  ///< blocks of the output opened before
    std::uint64_t first_row = 0;      ///< rows streamed by the passes before

    /// The larger of the two sizes along the summed mode.
    mode_sizes box() const;
};

/// One stage of a product that is not empty.
struct tiled_stage {
    unsigned position = 0; ///< 0, 1, 2 in the order
    unsigned mode = 0;     ///< the summed mode: 0, 1, 2
    mode_sizes input{};
    mode_sizes output{};
    mode_sizes operand_tile{};  ///< largest block of the input,
    mode_sizes result_tile{};   ///< ... of the output; differs only along the summed mode
    std::uint32_t partials = 1; ///< most blocks of the output that share a loaded operand, at least 1

    std::uint64_t results() const;             ///< blocks of the output
    std::uint64_t passes_of_result() const;    ///< for each of these blocks
    std::uint64_t passes() const;              ///< in total
    tile_pass pass(std::uint64_t index) const; ///< below passes(); passes of one group follow each other

    /// The pass that streams row `step` of all rows(), counted over the passes in order.
    std::uint64_t pass_of(std::uint64_t step) const;

    // Closed forms.
    std::uint64_t rows() const; ///< of matrix windows, over all passes
    std::uint64_t result_elements() const;
    std::uint64_t operands() const;         ///< blocks of the input loaded, each as often as it is
    std::uint64_t operand_elements() const; ///< loaded: the input's, once per group along the summed mode

private:
    /// Blocks of the output that share operands.
    struct result_group {
        std::uint64_t number;               ///< of groups before
        std::uint64_t first;                ///< number of its first result
        std::uint64_t size;                 ///< results
        std::array<std::uint64_t, 3> block; ///< of the first result, in the grid of blocks
    };
    result_group group_of(std::uint64_t result) const;
    std::uint64_t groups_along_mode() const;
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
/// The device holds this number of elements of the input and of the output at a time. `partials`: results that share an
/// operand.
tile_plan plan_tiles(const mode_sizes& input, const mode_sizes& output, const std::vector<unsigned>& modes,
                     const mode_sizes& input_tile, const mode_sizes& output_tile, std::uint32_t partials = 1);

/// The descriptor of a block of a tensor of order 3 in memory.
tensor_descriptor block_descriptor(const tensor_descriptor& tensor, const tensor_block& block);

/// The same in a tensor that is stored tile by tile: the blocks of a grid of `tile`, the last ones smaller, one after
/// the other in C order of the grid, each contiguous in C order. `tensor`: its base, type and sizes. The block is one
/// of the grid, or several that are neighbours along the last mode: then the descriptor is that of the first.
tensor_descriptor tile_descriptor(const tensor_descriptor& tensor, const mode_sizes& tile, const tensor_block& block);

} // namespace tensorloom::isa
