#pragma once
#include <cstddef>
#include <cstdint>
#include <vector>
#include <tensorloom/models/mmv/isa/matmul_command.h>

namespace tensorloom::mmv {

/// The payload of PRODUCT.
namespace product_fields {

// Operands as those of MATMUL.
using matmul_fields::left, matmul_fields::left_stride, matmul_fields::left_step;
using matmul_fields::result, matmul_fields::result_stride, matmul_fields::result_step;
using matmul_fields::weights, matmul_fields::weights_stride, matmul_fields::weights_step;
inline constexpr base::layout_field rows("rows", 48, 4, 1, "rows of x and z, at least 1");
inline constexpr base::layout_field depth("depth", 52, 4, 1, "columns of x and rows of R, at least 1");
inline constexpr base::layout_field columns("columns", 56, 4, 1, "columns of R and z, at least 1");
inline constexpr base::layout_field call_rows("call_rows", 60, 2, 1,
                                              "rows of a call of the array, 0 for all: calls begin at least "
                                              "`call_interval` cycles apart");
inline constexpr base::layout_field tile_columns("tile_columns", 62, 2, 1, "columns of a tile, 1 to s; 0 for s");
inline constexpr base::layout_field all[] = {result,    result_stride, result_step,    left,         left_stride,
                                             left_step, weights,       weights_stride, weights_step, rows,
                                             depth,     columns,       call_rows,      tile_columns};

} // namespace product_fields

inline constexpr base::byte_layout product_layout{"mmv_product", product_fields::all};
static_assert(product_layout.is_whole() && product_layout.bytes() == 64,
              "a byte of the PRODUCT payload has no field, or two");

/// z = x R, or z += x R, for matrices of any size on the matrix unit: a tile of the array for every block of R of s
/// rows and `tile_columns` columns, with all rows of x.
///
///     for the blocks of columns of R, ascending
///         for the blocks of rows of R, ascending     z's columns (+)= x's columns of the block, times the block
///
/// The first tile of a column replaces z, unless the flag accumulate is set; each other one is added to z, rounded
/// once. Rows of z do not overlap, and z overlaps neither x nor R. Afterwards the array holds no weights for MATMUL.
struct product_command {
    static constexpr std::uint16_t flag_accumulate = 1; ///< z keeps its values, and all sums are added to them
    static constexpr std::size_t payload_bytes = product_layout.bytes();

    matrix_operand result, left, weights;
    std::uint32_t rows = 0;
    std::uint32_t depth = 0;
    std::uint32_t columns = 0;
    std::uint16_t call_rows = 0;
    std::uint16_t tile_columns = 0;

    std::uint64_t columns_of_tile(std::uint32_t side) const { return tile_columns == 0 ? side : tile_columns; }
    /// Tiles on an array of this side.
    std::uint64_t tiles(std::uint32_t side) const
    {
        const std::uint64_t wide = columns_of_tile(side);
        return ((std::uint64_t{depth} + side - 1) / side) * ((columns + wide - 1) / wide);
    }
    /// Calls of a tile.
    std::uint64_t calls() const { return call_rows == 0 ? 1 : (std::uint64_t{rows} + call_rows - 1) / call_rows; }
    /// The command in this iteration: addresses advanced, steps 0.
    product_command at(const isa::loop_indices& iteration) const;

    std::vector<std::uint8_t> encode() const;
    static product_command decode(const std::uint8_t* payload);
};

inline constexpr base::named_value product_flag_values[] = {
    {product_command::flag_accumulate, "accumulate", "z keeps its values, and all sums are added to them"},
};

} // namespace tensorloom::mmv
