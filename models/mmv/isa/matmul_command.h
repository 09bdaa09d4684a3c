#pragma once
#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>
#include <tensorloom/models/base/values/byte_layout.h>
#include <tensorloom/models/isa/program/shell_commands.h>

namespace tensorloom::mmv {

/// A matrix in the scratchpad, stored row by row.
struct matrix_operand {
    std::uint32_t address = 0;                           ///< of its first element, in bytes
    std::int32_t row_stride = 0;                         ///< from a row to the next, in elements
    std::array<std::int32_t, isa::stepped_loops> step{}; ///< bytes per iteration of the innermost loop, and of the next
};

/// The payload of MATMUL.
namespace matmul_fields {

inline constexpr base::layout_field result("result", 0, 4, 1, "address of z, in bytes; words",
                                           base::field_kind::address);
inline constexpr base::layout_field result_stride("result_stride", 4, 4, 1, "from a row of z to the next, in words",
                                                  base::field_kind::signed_number);
inline constexpr base::layout_field result_step("result_step", 8, 4, isa::stepped_loops,
                                                "signed bytes per iteration of the innermost loop, and of the next",
                                                base::field_kind::signed_number);
inline constexpr base::layout_field left("left", 16, 4, 1, "address of x, in bytes; elements of the device's format",
                                         base::field_kind::address);
inline constexpr base::layout_field left_stride("left_stride", 20, 4, 1, "from a row of x to the next, in elements",
                                                base::field_kind::signed_number);
inline constexpr base::layout_field left_step("left_step", 24, 4, isa::stepped_loops, "as result_step",
                                              base::field_kind::signed_number);
inline constexpr base::layout_field
    weights("weights", 32, 4, 1, "address of R, in bytes; elements of the device's format", base::field_kind::address);
inline constexpr base::layout_field weights_stride("weights_stride", 36, 4, 1,
                                                   "from a row of R to the next, in elements",
                                                   base::field_kind::signed_number);
inline constexpr base::layout_field weights_step("weights_step", 40, 4, isa::stepped_loops, "as result_step",
                                                 base::field_kind::signed_number);
inline constexpr base::layout_field
    words("words", 48, 4, 1, "element (i, j) of x and z exists when i*s + j < words; ceil(words/s) rows stream");
inline constexpr base::layout_field left_columns("left_columns", 52, 4, 1,
                                                 "columns of x and rows of R, 1 to s; the others count as 0");
inline constexpr base::layout_field
    result_columns("result_columns", 56, 4, 1, "columns of z and R, 1 to s; the others are not written, count as 0");
inline constexpr base::layout_field reserved("reserved", 60, 4, 1, "0", base::field_kind::reserved);
inline constexpr base::layout_field all[] = {result,       result_stride,  result_step,    left,         left_stride,
                                             left_step,    weights,        weights_stride, weights_step, words,
                                             left_columns, result_columns, reserved};

} // namespace matmul_fields

inline constexpr base::byte_layout matmul_layout{"mmv_matmul", matmul_fields::all};
static_assert(matmul_layout.is_whole() && matmul_layout.bytes() == 64,
              "a byte of the MATMUL payload has no field, or two");

/// z = x R on the matrix unit, weight-stationary: R is s x s, x streams row by row.
///
/// Rows of z do not overlap. z may be x itself (same address and row stride, word = element, rows of x do not overlap);
/// any other overlap of z with x or R is refused. R stays in the array: it is reloaded when its address, row stride or
/// columns differ from those of the previous call, or when it has been overwritten since.
struct matmul_command {
    static constexpr std::size_t payload_bytes = matmul_layout.bytes();

    matrix_operand result, left, weights;
    std::uint32_t words = 0;
    std::uint32_t left_columns = 0;
    std::uint32_t result_columns = 0;
    std::uint32_t reserved = 0;

    /// Rows that stream through an array of this side.
    std::uint64_t rows(std::uint32_t side) const { return (std::uint64_t{words} + side - 1) / side; }
    /// The command in this iteration: addresses advanced, steps 0.
    matmul_command at(const isa::loop_indices& iteration) const;

    std::vector<std::uint8_t> encode() const;
    static matmul_command decode(const std::uint8_t* payload);
};

} // namespace tensorloom::mmv
