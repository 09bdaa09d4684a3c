#include <tensorloom/workloads/tensor_unit/scratchpad_matrix.h>

namespace tensorloom::workloads {

scratchpad_matrix scratchpad_matrix::block(std::uint64_t row, std::uint64_t column, std::uint64_t its_rows,
                                           std::uint64_t its_columns) const
{
    const std::int64_t elements =
        static_cast<std::int64_t>(row) * row_stride + static_cast<std::int64_t>(column) * column_stride;
    scratchpad_matrix part = *this;
    part.address =
        static_cast<std::uint32_t>(address + elements * static_cast<std::int64_t>(arch::element_bytes(type)));
    part.rows = its_rows;
    part.columns = its_columns;
    return part;
}

scratchpad_matrix scratchpad_matrix::transposed() const
{
    scratchpad_matrix other = *this;
    other.rows = columns;
    other.columns = rows;
    other.row_stride = column_stride;
    other.column_stride = row_stride;
    return other;
}

scratchpad_matrix scratchpad_matrix::stepped(std::int64_t elements) const
{
    scratchpad_matrix other = *this;
    other.step = elements;
    return other;
}

scratchpad_matrix scratchpad_matrix::with_repeated_row(std::uint64_t its_rows) const
{
    scratchpad_matrix other = *this;
    other.rows = its_rows;
    other.row_stride = 0;
    return other;
}

scratchpad_matrix scratchpad_matrix::with_repeated_column(std::uint64_t its_columns) const
{
    scratchpad_matrix other = *this;
    other.columns = its_columns;
    other.column_stride = 0;
    return other;
}

std::int32_t scratchpad_matrix::step_bytes() const
{
    return static_cast<std::int32_t>(step * static_cast<std::int64_t>(arch::element_bytes(type)));
}

arch::mmv::matrix_operand scratchpad_matrix::as_tensor_operand() const
{
    return {address, static_cast<std::int32_t>(row_stride), {step_bytes(), 0}};
}

arch::vector::strided_operand scratchpad_matrix::as_scalar_operand() const
{
    return {address,
            {0, static_cast<std::int32_t>(row_stride), static_cast<std::int32_t>(column_stride)},
            {step_bytes(), 0}};
}

} // namespace tensorloom::workloads
