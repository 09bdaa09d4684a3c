#pragma once
#include <array>
#include <cstdint>
#include <tensorloom/models/arch/values/element_type.h>
#include <tensorloom/models/arch/mmv/matmul_command.h>
#include <tensorloom/models/arch/vector/strided_command.h>

namespace tensorloom::workloads {

/// A matrix in the scratchpad, or a part of one: where it begins and how far its neighbours are, in elements.
///
/// A stride of 0 repeats a row or a column. Only matrices whose neighbours in a row are 1 apart are operands of the
/// tensor unit.
struct scratchpad_matrix {
    std::uint32_t address = 0; ///< of its first element, in bytes
    std::uint64_t rows = 0;
    std::uint64_t columns = 0;
    std::int64_t row_stride = 0;
    std::int64_t column_stride = 1;
    arch::element_type type = arch::element_type::int64;
    std::int64_t step = 0; ///< elements that it advances with every iteration of the innermost loop

    scratchpad_matrix block(std::uint64_t row, std::uint64_t column, std::uint64_t its_rows,
                            std::uint64_t its_columns) const;
    scratchpad_matrix transposed() const;
    scratchpad_matrix stepped(std::int64_t elements) const;
    /// Its first row as that of all `rows`, its first column as that of all `columns`.
    scratchpad_matrix with_repeated_row(std::uint64_t its_rows) const;
    scratchpad_matrix with_repeated_column(std::uint64_t its_columns) const;

    std::int32_t step_bytes() const;
    arch::mmv::matrix_operand as_tensor_operand() const;
    arch::vector::strided_operand as_scalar_operand() const;
};

} // namespace tensorloom::workloads
