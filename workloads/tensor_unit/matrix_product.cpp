#include <tensorloom/workloads/tensor_unit/matrix_product.h>
#include <array>
#include <string>
#include <tensorloom/workloads/tensor_unit/tensor_unit_program.h>

namespace tensorloom::workloads {

namespace {

using arch::element_type;
using arch::mmv::opcode;

void check(const mmv_runtime& runtime, const tensor_unit_values& a, const tensor_unit_values& b,
           const product_size& size)
{
    require_format(
        runtime, "products",
        {element_type::int64, element_type::int32, element_type::int8, element_type::f64, element_type::c128});
    require_count("left operand", count_of(a), size.rows * size.inner);
    require_count("right operand", count_of(b), size.inner * size.columns);
}

} // namespace

void record_tensor_product(tensor_unit_program& program, const scratchpad_matrix& left, const scratchpad_matrix& right,
                           const scratchpad_matrix& result)
{
    const tensor_unit_program::scoped_room room(program);
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
    arch::vector::strided_command c;
    const auto stride = [](const scratchpad_matrix& m) { return static_cast<std::int32_t>(m.row_stride); };
    c.result = {result.address, {stride(result), 1, 0}, {}};
    c.a = {left.address, {stride(left), 0, 1}, {}};
    c.b = {right.address, {0, 1, stride(right)}, {}};
    c.size = {static_cast<std::uint32_t>(result.rows), static_cast<std::uint32_t>(result.columns),
              static_cast<std::uint32_t>(left.columns)};
    c.cpu_ops = 2 * c.elements();
    program.scalar(opcode::s_mac, c);
}

tensor_unit_result tensor_product(mmv_runtime& runtime, call_shape shape, const tensor_unit_values& a,
                                  const tensor_unit_values& b, const product_size& size)
{
    check(runtime, a, b, size);
    tensor_unit_program program(runtime, shape);
    const auto left = program.operand(a, size.rows, size.inner);
    const auto right = program.operand(b, size.inner, size.columns);
    const auto result = program.place(size.rows, size.columns);
    record_tensor_product(program, left, right, result);
    return program.result_of(result, {size.rows, size.columns});
}

tensor_unit_result scalar_product(mmv_runtime& runtime, const tensor_unit_values& a, const tensor_unit_values& b,
                                  const product_size& size)
{
    check(runtime, a, b, size);
    tensor_unit_program program(runtime, call_shape::tall);
    const auto left = program.loaded(a, size.rows, size.inner);
    const auto right = program.loaded(b, size.inner, size.columns);
    const auto result = program.place(size.rows, size.columns);
    record_scalar_product(program, left, right, result);
    return program.result_of(result, {size.rows, size.columns});
}

namespace {

// The quarters of a matrix: [[a, b], [c, d]].
struct quarters {
    explicit quarters(const scratchpad_matrix& whole)
        : half(whole.rows / 2), a(whole.block(0, 0, half, half)), b(whole.block(0, half, half, half)),
          c(whole.block(half, 0, half, half)), d(whole.block(half, half, half, half))
    {}
    std::uint64_t half;
    scratchpad_matrix a, b, c, d;
};

void add(tensor_unit_program& program, const scratchpad_matrix& z, const scratchpad_matrix& x,
         const scratchpad_matrix& y)
{
    program.scalar(opcode::s_add, z, x, y, z.rows * z.columns);
}

void subtract(tensor_unit_program& program, const scratchpad_matrix& z, const scratchpad_matrix& x,
              const scratchpad_matrix& y)
{
    program.scalar(opcode::s_sub, z, x, y, z.rows * z.columns);
}

void strassen(tensor_unit_program& program, const scratchpad_matrix& left, const scratchpad_matrix& right,
              const scratchpad_matrix& result)
{
    if (result.rows <= program.side()) { return program.call(left, right, result); }
    const tensor_unit_program::scoped_room room(program);
    const quarters x(left), y(right), z(result);
    const std::uint64_t h = x.half;
    const auto s = program.place(h, h), t = program.place(h, h);
    std::array<scratchpad_matrix, 7> m;
    for (auto& one : m) { one = program.place(h, h); }

    add(program, s, x.a, x.d);
    add(program, t, y.a, y.d);
    strassen(program, s, t, m[0]);
    add(program, s, x.c, x.d);
    strassen(program, s, y.a, m[1]);
    subtract(program, t, y.b, y.d);
    strassen(program, x.a, t, m[2]);
    subtract(program, t, y.c, y.a);
    strassen(program, x.d, t, m[3]);
    add(program, s, x.a, x.b);
    strassen(program, s, y.d, m[4]);
    subtract(program, s, x.c, x.a);
    add(program, t, y.a, y.b);
    strassen(program, s, t, m[5]);
    subtract(program, s, x.b, x.d);
    add(program, t, y.c, y.d);
    strassen(program, s, t, m[6]);

    add(program, z.a, m[0], m[3]);
    subtract(program, z.a, z.a, m[4]);
    add(program, z.a, z.a, m[6]);
    add(program, z.b, m[2], m[4]);
    add(program, z.c, m[1], m[3]);
    subtract(program, z.d, m[0], m[1]);
    add(program, z.d, z.d, m[2]);
    add(program, z.d, z.d, m[5]);
}

void eightfold(tensor_unit_program& program, const scratchpad_matrix& left, const scratchpad_matrix& right,
               const scratchpad_matrix& result)
{
    if (result.rows <= program.side()) { return program.call(left, right, result); }
    const tensor_unit_program::scoped_room room(program);
    const quarters x(left), y(right), z(result);
    const auto second = program.place(x.half, x.half);
    const auto sum_of_two = [&](const scratchpad_matrix& x0, const scratchpad_matrix& y0, const scratchpad_matrix& x1,
                                const scratchpad_matrix& y1, const scratchpad_matrix& to) {
        eightfold(program, x0, y0, to);
        eightfold(program, x1, y1, second);
        add(program, to, to, second);
    };
    sum_of_two(x.a, y.a, x.b, y.c, z.a);
    sum_of_two(x.a, y.b, x.b, y.d, z.b);
    sum_of_two(x.c, y.a, x.d, y.c, z.c);
    sum_of_two(x.c, y.b, x.d, y.d, z.d);
}

tensor_unit_result product(product_recorder record, mmv_runtime& runtime, call_shape shape, const tensor_unit_values& a,
                           const tensor_unit_values& b, std::uint64_t size)
{
    require_format(runtime, "recursive products",
                   {element_type::int64, element_type::int32, element_type::f64, element_type::c128});
    require_recursive_size(size, runtime.limits().side);
    require_count("left operand", count_of(a), size * size);
    require_count("right operand", count_of(b), size * size);
    tensor_unit_program program(runtime, shape);
    const auto left = program.operand(a, size, size);
    const auto right = program.operand(b, size, size);
    const auto result = program.place(size, size);
    record(program, left, right, result);
    return program.result_of(result, {size, size});
}

} // namespace

bool halves_to_tiles(std::uint64_t size, std::uint64_t side)
{
    if (size <= side) { return size > 0; }
    while (size > side && size % 2 == 0) { size /= 2; }
    return size == side;
}

void require_recursive_size(std::uint64_t size, std::uint64_t side)
{
    if (!halves_to_tiles(size, side)) {
        refuse("size of a recursive product", std::to_string(size),
               "at most " + std::to_string(side) + ", or " + std::to_string(side) + " times a power of two");
    }
}

tensor_unit_result strassen_product(mmv_runtime& runtime, call_shape shape, const tensor_unit_values& a,
                                    const tensor_unit_values& b, std::uint64_t size)
{
    return product(strassen, runtime, shape, a, b, size);
}

tensor_unit_result eightfold_product(mmv_runtime& runtime, call_shape shape, const tensor_unit_values& a,
                                     const tensor_unit_values& b, std::uint64_t size)
{
    return product(eightfold, runtime, shape, a, b, size);
}

} // namespace tensorloom::workloads
