#include <tensorloom/workloads/tensor_unit/transitive_closure.h>
#include <string>
#include <vector>
#include <tensorloom/workloads/tensor_unit/tensor_unit_program.h>

namespace tensorloom::workloads {
namespace {

using arch::element_type;
using arch::vector::opcode;

void check(const mmv_machine& machine, const tensor_unit_values& edges, std::uint64_t vertices)
{
    require_format(machine, "closures", {element_type::int64, element_type::int32, element_type::f64});
    require_count("edges", count_of(edges), vertices * vertices);
    const auto numbers = whole_numbers(edges, "edges");
    for (const std::int64_t& e : numbers) {
        if (e != 0 && e != 1) {
            refuse("edges, element " + std::to_string(&e - numbers.data()), std::to_string(e), "0 or 1");
        }
    }
}

// What lies before and after block k, of rows or of columns: first, size.
struct range {
    std::uint64_t first, size;
};
std::vector<range> beside(std::uint64_t k, std::uint64_t q, std::uint64_t size)
{
    std::vector<range> ranges;
    if (k > 0) { ranges.push_back({0, k * q}); }
    if ((k + 1) * q < size) { ranges.push_back({(k + 1) * q, size - (k + 1) * q}); }
    return ranges;
}

// x has whole tiles.
void record_closure(tensor_unit_program& program, const scratchpad_matrix& x)
{
    const std::uint64_t q = program.side();
    const auto width = static_cast<std::int64_t>(q);
    const auto staged = program.place(x.rows, q), product = program.place(x.rows, q);
    for (std::uint64_t k = 0; k < x.rows / q; ++k) {
        const auto others = beside(k, q, x.rows);
        const auto diagonal = x.block(k * q, k * q, q, q);
        program.scalar(opcode::close_diagonal, diagonal, 2 * q * q * q);
        for (const auto& o : others) {
            program.scalar(opcode::close_row, x.block(k * q, o.first, q, o.size), diagonal, 2 * q * q * o.size);
        }
        std::uint64_t rows = 0;
        for (const auto& o : others) {
            const auto column = x.block(o.first, k * q, o.size, q);
            program.scalar(opcode::close_column, column, diagonal, 2 * q * q * o.size);
            program.scalar(opcode::move, staged.block(rows, 0, o.size, q), column, 0);
            rows += o.size;
        }
        for (const auto& columns : others) {
            program.loop(columns.size / q);
            program.call(staged.block(0, 0, rows, q), x.block(k * q, columns.first, q, q).stepped(width), product);
            std::uint64_t done = 0;
            for (const auto& o : others) {
                const auto to = x.block(o.first, columns.first, o.size, q).stepped(width);
                program.scalar(opcode::s_add_clamped, to, to, product.block(done, 0, o.size, q), 2 * o.size * q);
                done += o.size;
            }
            program.end();
        }
    }
}

} // namespace

tensor_unit_result transitive_closure(mmv_machine& machine, call_shape shape, const tensor_unit_values& edges,
                                      std::uint64_t vertices)
{
    check(machine, edges, vertices);
    tensor_unit_program program(machine, shape);
    const auto x = program.operand(edges, vertices, vertices);
    const std::uint64_t size = program.whole_tiles(vertices);
    record_closure(program, x.block(0, 0, size, size));
    return program.result_of(x, {vertices, vertices});
}

tensor_unit_result transitive_closure_scalar(mmv_machine& machine, const tensor_unit_values& edges,
                                             std::uint64_t vertices)
{
    check(machine, edges, vertices);
    tensor_unit_program program(machine, call_shape::tall);
    const auto x = program.loaded(edges, vertices, vertices);
    program.scalar(opcode::close_diagonal, x, 2 * vertices * vertices * vertices);
    return program.result_of(x, {vertices, vertices});
}

} // namespace tensorloom::workloads
