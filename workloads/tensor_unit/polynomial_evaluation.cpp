#include <tensorloom/workloads/tensor_unit/polynomial_evaluation.h>
#include <algorithm>
#include <string>
#include <tensorloom/workloads/tensor_unit/tensor_unit_program.h>

namespace tensorloom::workloads {
namespace {

using arch::element_type;
using arch::mmv::opcode;

std::vector<std::int64_t> checked(const tensor_unit_values& values, const char* what)
{
    auto numbers = whole_numbers(values, what);
    if (numbers.empty()) { refuse(what, "none", "at least one"); }
    for (const std::int64_t& x : numbers) {
        if (x < 0 || x >= evaluation_modulus) {
            refuse(std::string(what) + ", element " + std::to_string(&x - numbers.data()), std::to_string(x),
                   "0 to " + std::to_string(evaluation_modulus - 1));
        }
    }
    return numbers;
}

// z = a b mod the modulus, or added to z.
void modular(tensor_unit_program& program, opcode code, const scratchpad_matrix& z, const scratchpad_matrix& a,
             const scratchpad_matrix& b, std::uint64_t cpu_ops)
{
    program.scalar(code, z, a, b, cpu_ops, static_cast<std::uint64_t>(evaluation_modulus));
}

} // namespace

tensor_unit_result evaluate_polynomial(mmv_runtime& runtime, call_shape shape, const tensor_unit_values& coefficients,
                                       const tensor_unit_values& points)
{
    require_format(runtime, "polynomials", {element_type::int64});
    const auto a = checked(coefficients, "coefficients"), x = checked(points, "points");
    tensor_unit_program program(runtime, shape);
    const std::uint64_t q = program.side(), p = x.size();
    const auto at = program.loaded_row(x).transposed();
    const auto weights = program.by_columns(program.loaded_row(a));

    const auto powers = program.cleared(p, q);
    const auto column = [&](const scratchpad_matrix& m, std::uint64_t j) { return m.block(0, j, p, 1); };
    const auto power_of_q = program.row_of(p).transposed(), factor = program.row_of(p).transposed();
    program.set(column(powers, 0), 1);
    for (std::uint64_t j = 1; j <= q; ++j) {
        modular(program, opcode::s_mul_mod, j < q ? column(powers, j) : power_of_q, column(powers, j - 1), at, p);
    }
    program.set(factor, 1);

    const auto result = program.cleared_row_of(p).transposed();
    const auto piece = program.place(p, q);
    const auto add_group = [&](std::uint64_t first, std::uint64_t count) {
        program.call(powers, weights.block(0, first, q, q).stepped(static_cast<std::int64_t>(q)), piece);
        program.loop(count);
        modular(program, opcode::s_mac_mod, result, column(piece, 0).stepped(1), factor, 2 * p);
        modular(program, opcode::s_mul_mod, factor, factor, power_of_q, p);
        program.end();
    };
    const std::uint64_t columns = program.tiles(a.size());
    if (columns >= q) {
        program.loop(columns / q);
        add_group(0, q);
        program.end();
    }
    if (columns % q != 0) { add_group(columns / q * q, columns % q); }
    return program.result_of(result.transposed(), {p});
}

tensor_unit_result evaluate_polynomial_scalar(mmv_runtime& runtime, const tensor_unit_values& coefficients,
                                              const tensor_unit_values& points)
{
    require_format(runtime, "polynomials", {element_type::int64});
    const auto a = checked(coefficients, "coefficients"), x = checked(points, "points");
    tensor_unit_program program(runtime, call_shape::tall);
    const std::uint64_t p = x.size();
    const auto at = program.loaded_row(x), row = program.loaded_row(a);
    const auto result = program.cleared_row_of(p), before = program.row_of(p);
    scratchpad_matrix coefficient = row.block(0, a.size() - 1, 1, p).stepped(-1); // from the highest on
    coefficient.column_stride = 0;
    program.loop(a.size());
    program.scalar(opcode::move, before, result, 0);
    program.scalar(opcode::move, result, coefficient, 0);
    modular(program, opcode::s_mac_mod, result, before, at, 2 * p);
    program.end();
    return program.result_of(result, {p});
}

} // namespace tensorloom::workloads
