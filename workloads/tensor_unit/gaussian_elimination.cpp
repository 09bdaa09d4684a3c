#include <tensorloom/workloads/tensor_unit/gaussian_elimination.h>
#include <algorithm>
#include <cmath>
#include <complex>
#include <string>
#include <tensorloom/models/base/values/input_error.h>
#include <tensorloom/workloads/tensor_unit/closed_forms.h>
#include <tensorloom/workloads/tensor_unit/tensor_unit_program.h>

namespace tensorloom::workloads {
namespace {

using base::element_type;
using mmv::opcode;

void record_elimination(tensor_unit_program& program, const scratchpad_matrix& x)
{
    const scratch_scope room(program.builder());
    const std::uint64_t q = program.side();
    const auto width = static_cast<std::int64_t>(q);
    const std::uint64_t tiles = x.rows / q;
    const auto scaled = program.place(q, x.columns); // X'
    const auto piece = program.place(x.rows, q);
    const std::uint64_t updates = q * (q * (q - 1) / 2); // of a block beside the diagonal
    for (std::uint64_t k = 0; k < tiles; ++k) {
        const std::uint64_t first = k * q, next = first + q, rest = x.rows - next;
        const auto diagonal = x.block(first, first, q, q);
        program.scalar(opcode::eliminate_diagonal, diagonal, 3 * elimination_updates(q));
        if (rest == 0) { break; }
        const auto row = scaled.block(0, next, q, rest);
        program.scalar(opcode::eliminate_row, x.block(first, next, q, rest), diagonal, row,
                       rest / q * (3 * updates + 2 * q * q));
        const auto column = x.block(next, first, rest, q);
        program.scalar(opcode::eliminate_column, column, diagonal, rest / q * 3 * updates);
        const auto sum = x.block(next, next, rest, q).stepped(width);
        program.loop(rest / q);
        program.call(column, row.block(0, 0, q, q).stepped(width), piece);
        program.scalar(opcode::s_add, sum, sum, piece, rest * q);
        program.end();
    }
}

void check(const mmv_session& session)
{
    require_format(session, "elimination", {element_type::f64, element_type::f32});
}

tensor_unit_result upper_triangle(tensor_unit_program& program, const scratchpad_matrix& x)
{
    auto result = program.result_of(x, {x.rows, x.columns});
    auto& values = std::get<std::vector<double>>(result.values);
    require_pivots(values, x.rows);
    for (std::uint64_t i = 0; i < x.rows; ++i) {
        for (std::uint64_t j = 0; j < i; ++j) { values[i * x.columns + j] = 0; }
    }
    return result;
}

// y = -x from the last unknown on: the scalar unit's quotient is that of eliminate_row, -z / a.
scratchpad_matrix record_back_substitution(tensor_unit_program& program, const scratchpad_matrix& x,
                                           std::uint64_t unknowns)
{
    const auto negated = program.row_of(unknowns).transposed();
    for (std::uint64_t i = unknowns; i-- > 0;) {
        const auto sum = x.block(i, x.columns - 1, 1, 1);
        const std::uint64_t known = unknowns - 1 - i;
        if (known > 0) {
            program.scalar(opcode::s_mac, sum.with_repeated_column(known), x.block(i, i + 1, 1, known),
                           negated.block(i + 1, 0, known, 1).transposed(), 2 * known);
        }
        program.scalar(opcode::eliminate_row, sum, x.block(i, i, 1, 1), negated.block(i, 0, 1, 1), 2);
    }
    const auto solution = program.cleared_row_of(unknowns);
    program.scalar(opcode::s_sub, solution, solution, negated.transposed(), unknowns);
    return solution;
}

// Numbers of any kind as real ones.
std::vector<double> real_numbers(const tensor_unit_values& values)
{
    return std::visit(
        [](const auto& numbers) {
            std::vector<double> reals;
            for (const auto& x : numbers) {
                if constexpr (std::is_same_v<std::decay_t<decltype(x)>, std::complex<double>>) {
                    if (x.imag() != 0) { base::refuse("equations", "a complex number", "real ones"); }
                    reals.push_back(x.real());
                } else {
                    reals.push_back(static_cast<double>(x));
                }
            }
            return reals;
        },
        values);
}

} // namespace

void require_elimination_size(std::uint64_t size, std::uint64_t side)
{
    if (size == 0 || size % side != 0) {
        base::refuse("size of the elimination", std::to_string(size),
                     "a multiple of the array's " + std::to_string(side) + " rows");
    }
}

void require_pivots(const std::vector<double>& eliminated, std::uint64_t size)
{
    for (std::uint64_t k = 0; k + 1 < size; ++k) {
        const double pivot = eliminated[k * size + k];
        if (pivot != 0 && std::isfinite(pivot)) { continue; }
        base::refuse("elimination",
                     std::string(pivot == 0 ? "a zero pivot" : "a pivot that is not finite") + " in row " +
                         std::to_string(k),
                     "pivots that are neither 0 nor infinite (no pivoting)");
    }
}

tensor_unit_result eliminate_forward(mmv_session& session, call_shape shape, const tensor_unit_values& x,
                                     std::uint64_t size)
{
    check(session);
    require_count("equations", count_of(x), size * size);
    require_elimination_size(size, session.limits().side);
    tensor_unit_program program(session, shape);
    const auto matrix = program.loaded(x, size, size);
    record_elimination(program, matrix);
    return upper_triangle(program, matrix);
}

tensor_unit_result eliminate_forward_scalar(mmv_session& session, const tensor_unit_values& x, std::uint64_t size)
{
    check(session);
    require_count("equations", count_of(x), size * size);
    tensor_unit_program program(session, call_shape::tall);
    const auto matrix = program.loaded(x, size, size);
    program.scalar(opcode::eliminate_diagonal, matrix, 3 * elimination_updates(size));
    return upper_triangle(program, matrix);
}

namespace {

// The equations as a matrix of this size; `record` eliminates it.
template <class Record>
tensor_unit_result solve(tensor_unit_program& program, const tensor_unit_values& a, const tensor_unit_values& b,
                         std::uint64_t unknowns, std::uint64_t size, const Record& record)
{
    require_count("coefficients", count_of(a), unknowns * unknowns);
    require_count("right side", count_of(b), unknowns);
    const auto coefficients = real_numbers(a), right = real_numbers(b);
    std::vector<double> x(size * size);
    for (std::uint64_t i = 0; i + 1 < size; ++i) {
        if (i < unknowns) {
            std::copy_n(coefficients.begin() + static_cast<std::ptrdiff_t>(i * unknowns), unknowns,
                        x.begin() + static_cast<std::ptrdiff_t>(i * size));
            x[i * size + size - 1] = right[i];
        } else {
            x[i * size + i] = 1;
        }
    }
    const auto matrix = program.loaded(x, size, size);
    record(matrix);
    const auto solution = record_back_substitution(program, matrix, unknowns);
    auto result = program.result_of(solution, {unknowns});
    const auto& values = std::get<std::vector<double>>(result.values);
    const auto bad = std::find_if(values.begin(), values.end(), [](double v) { return !std::isfinite(v); });
    if (bad != values.end()) {
        base::refuse("unknown " + std::to_string(bad - values.begin()), std::to_string(*bad),
                     "a finite number (elimination without pivoting needs pivots that are not 0)");
    }
    return result;
}

} // namespace

tensor_unit_result solve_by_elimination(mmv_session& session, call_shape shape, const tensor_unit_values& a,
                                        const tensor_unit_values& b, std::uint64_t unknowns)
{
    check(session);
    tensor_unit_program program(session, shape);
    return solve(program, a, b, unknowns, program.whole_tiles(unknowns + 1),
                 [&](const scratchpad_matrix& x) { record_elimination(program, x); });
}

tensor_unit_result solve_by_elimination_scalar(mmv_session& session, const tensor_unit_values& a,
                                               const tensor_unit_values& b, std::uint64_t unknowns)
{
    check(session);
    tensor_unit_program program(session, call_shape::tall);
    return solve(program, a, b, unknowns, unknowns + 1, [&](const scratchpad_matrix& x) {
        program.scalar(opcode::eliminate_diagonal, x, 3 * elimination_updates(x.rows));
    });
}

} // namespace tensorloom::workloads
