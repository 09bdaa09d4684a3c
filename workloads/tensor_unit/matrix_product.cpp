#include <tensorloom/workloads/tensor_unit/matrix_product.h>
#include <algorithm>

namespace tensorloom::workloads {
namespace {

using base::element_type;
using mmv::opcode;

// How operands are placed: as elements that calls take, or as words.
using placing = scratchpad_matrix (tensor_unit_program::*)(const tensor_unit_values&, std::uint64_t, std::uint64_t);

tensor_unit_result product(const product_recorder& record, placing place, mmv_session& session, call_shape shape,
                           const tensor_unit_values& a, const tensor_unit_values& b, const product_size& size)
{
    require_count("left operand", count_of(a), size.rows * size.inner);
    require_count("right operand", count_of(b), size.inner * size.columns);
    tensor_unit_program program(session, shape);
    const auto left = (program.*place)(a, size.rows, size.inner);
    const auto right = (program.*place)(b, size.inner, size.columns);
    const auto result = program.place(size.rows, size.columns);
    record(program, left, right, result);
    return program.result_of(result, {size.rows, size.columns});
}

} // namespace

void record_tensor_product(tensor_unit_program& program, const scratchpad_matrix& left, const scratchpad_matrix& right,
                           const scratchpad_matrix& result)
{
    const scratch_scope room(program.builder());
    const std::uint64_t q = program.side();
    const auto width = static_cast<std::int64_t>(q);
    const std::uint64_t inner_tiles = program.tiles(left.columns);
    const auto piece = program.place(result.rows, q);
    for (std::uint64_t j = 0; j < program.tiles(right.columns); ++j) {
        const auto to = result.block(0, j * q, result.rows, q);
        program.call(left.block(0, 0, left.rows, q), right.block(0, j * q, q, q), to);
        if (inner_tiles == 1) { continue; }
        program.loop(inner_tiles - 1);
        program.call(left.block(0, q, left.rows, q).stepped(width),
                     right.block(q, j * q, q, q).stepped(width * right.row_stride), piece);
        program.scalar(opcode::s_add, to, to, piece, result.rows * q);
        program.end();
    }
}

void record_scalar_product(tensor_unit_program& program, const scratchpad_matrix& left, const scratchpad_matrix& right,
                           const scratchpad_matrix& result)
{
    program.set(result, 0);
    const auto stride = [](const scratchpad_matrix& m) { return static_cast<std::int32_t>(m.row_stride); };
    const std::uint64_t per_row = result.columns * left.columns;
    const std::uint64_t most_rows = std::max<std::uint64_t>(1, mmv::max_scalar_operations / 2 / per_row);
    for (std::uint64_t row = 0; row < result.rows; row += most_rows) {
        const auto rows = std::min(most_rows, result.rows - row);
        isa::vector::strided_command c;
        c.result = {result.block(row, 0, rows, result.columns).address, {stride(result), 1, 0}, {}};
        c.a = {left.block(row, 0, rows, left.columns).address, {stride(left), 0, 1}, {}};
        c.b = {right.address, {0, 1, stride(right)}, {}};
        c.size = {static_cast<std::uint32_t>(rows), static_cast<std::uint32_t>(result.columns),
                  static_cast<std::uint32_t>(left.columns)};
        c.cpu_ops = 2 * c.elements();
        program.scalar(opcode::s_mac, c);
    }
}

tensor_unit_result product_by_calls(const product_recorder& record, mmv_session& session, call_shape shape,
                                    const tensor_unit_values& a, const tensor_unit_values& b, const product_size& size)
{
    return product(record, &tensor_unit_program::operand, session, shape, a, b, size);
}

tensor_unit_result tensor_product(mmv_session& session, call_shape shape, const tensor_unit_values& a,
                                  const tensor_unit_values& b, const product_size& size)
{
    require_format(session, "products", product_formats);
    return product_by_calls(record_tensor_product, session, shape, a, b, size);
}

tensor_unit_result scalar_product(mmv_session& session, const tensor_unit_values& a, const tensor_unit_values& b,
                                  const product_size& size)
{
    require_format(session, "products", product_formats);
    return product(record_scalar_product, &tensor_unit_program::loaded, session, call_shape::tall, a, b, size);
}

} // namespace tensorloom::workloads
