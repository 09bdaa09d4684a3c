#include <tensorloom/workloads/tensor_unit/matrix_product.h>
#include <algorithm>
#include <type_traits>
#include <variant>

namespace tensorloom::workloads {
namespace {

using base::element_type;
using mmv::opcode;

void require_size(const tensor_unit_values& a, const tensor_unit_values& b, const product_size& size)
{
    require_count("left operand", count_of(a), size.rows * size.inner);
    require_count("right operand", count_of(b), size.inner * size.columns);
}

scratchpad_matrix operand_in_order(tensor_unit_program& program, const tensor_unit_values& values,
                                   std::uint64_t columns, const element_order& order)
{
    const auto placed = std::visit(
        [&](const auto& numbers) -> tensor_unit_values {
            std::decay_t<decltype(numbers)> in_order(order.elements);
            for (std::uint64_t i = 0; i < numbers.size(); ++i) {
                in_order[order.place(i / columns, i % columns)] = numbers[i];
            }
            return in_order;
        },
        values);
    return program.operand(placed, order.elements / program.side(), program.side());
}

tensor_unit_values row_by_row(const tensor_unit_values& values, std::uint64_t rows, std::uint64_t columns,
                              const element_order& order)
{
    return std::visit(
        [&](const auto& in_order) -> tensor_unit_values {
            std::decay_t<decltype(in_order)> numbers(rows * columns);
            for (std::uint64_t i = 0; i < numbers.size(); ++i) {
                numbers[i] = in_order[order.place(i / columns, i % columns)];
            }
            return numbers;
        },
        values);
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

element_order by_panels(std::uint64_t rows, std::uint64_t columns, std::uint64_t side)
{
    const auto whole = [side](std::uint64_t n) { return (n + side - 1) / side * side; };
    const std::uint64_t panel = whole(rows) * side;
    return {whole(columns) * whole(rows), [panel, side](std::uint64_t row, std::uint64_t column) {
                return column / side * panel + row * side + column % side;
            }};
}

tensor_unit_result product_in_order(const product_recorder& record, mmv_session& session, call_shape shape,
                                    const tensor_unit_values& a, const tensor_unit_values& b, const product_size& size,
                                    const element_order& left, const element_order& right, const element_order& result)
{
    require_size(a, b, size);
    tensor_unit_program program(session, shape);
    const auto x = operand_in_order(program, a, size.inner, left);
    const auto y = operand_in_order(program, b, size.columns, right);
    const auto z = program.place(result.elements / program.side(), program.side());
    record(program, x, y, z);
    return program.result_of(row_by_row(program.values_of(z), size.rows, size.columns, result),
                             {size.rows, size.columns});
}

void record_panel_product(tensor_unit_program& program, const scratchpad_matrix& left, const scratchpad_matrix& right,
                          const scratchpad_matrix& result, const product_size& size)
{
    const scratch_scope room(program.builder());
    const std::uint64_t q = program.side(), inner_tiles = program.tiles(size.inner);
    const std::uint64_t panel = program.whole_tiles(size.rows), inner = program.whole_tiles(size.inner);
    const auto piece = program.place(size.rows, q);
    for (std::uint64_t j = 0; j < program.tiles(size.columns); ++j) {
        const auto to = result.block(j * panel, 0, size.rows, q);
        program.call(left.block(0, 0, size.rows, q), right.block(j * inner, 0, q, q), to);
        if (inner_tiles == 1) { continue; }
        program.loop(inner_tiles - 1);
        program.call(left.block(panel, 0, size.rows, q).stepped(static_cast<std::int64_t>(panel * q)),
                     right.block(j * inner + q, 0, q, q).stepped(static_cast<std::int64_t>(q * q)), piece);
        program.add(to, to, piece);
        program.end();
    }
}

tensor_unit_result tensor_product(mmv_session& session, call_shape shape, const tensor_unit_values& a,
                                  const tensor_unit_values& b, const product_size& size)
{
    require_format(session, "products", product_formats);
    const std::uint64_t q = session.limits().side;
    const auto record = [&](tensor_unit_program& program, const scratchpad_matrix& left, const scratchpad_matrix& right,
                            const scratchpad_matrix& result) {
        record_panel_product(program, left, right, result, size);
    };
    return product_in_order(record, session, shape, a, b, size, by_panels(size.rows, size.inner, q),
                            by_panels(size.inner, size.columns, q), by_panels(size.rows, size.columns, q));
}

tensor_unit_result scalar_product(mmv_session& session, const tensor_unit_values& a, const tensor_unit_values& b,
                                  const product_size& size)
{
    require_format(session, "products", product_formats);
    require_size(a, b, size);
    tensor_unit_program program(session, call_shape::tall);
    const auto left = program.loaded(a, size.rows, size.inner);
    const auto right = program.loaded(b, size.inner, size.columns);
    const auto result = program.place(size.rows, size.columns);
    record_scalar_product(program, left, right, result);
    return program.result_of(result, {size.rows, size.columns});
}

} // namespace tensorloom::workloads
