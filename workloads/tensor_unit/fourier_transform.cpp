#include <tensorloom/workloads/tensor_unit/fourier_transform.h>
#include <array>
#include <complex>
#include <string>
#include <tensorloom/models/base/values/input_error.h>
#include <tensorloom/workloads/tensor_unit/closed_forms.h>
#include <tensorloom/workloads/transform.h>

namespace tensorloom::workloads {
namespace {

using base::element_type;
using mmv::opcode;
using complex_numbers = std::vector<std::complex<double>>;

std::complex<double> root(std::uint64_t a, std::uint64_t n, fourier_direction direction)
{
    const auto sine = static_cast<double>(sine_of_turn(a % n, n));
    return {static_cast<double>(cosine_of_turn(a % n, n)), direction == fourier_direction::forward ? 0.0 - sine : sine};
}

// `copies` transforms of n numbers along the diagonal.
complex_numbers transforms(std::uint64_t n, std::uint64_t copies, fourier_direction direction)
{
    const std::uint64_t side = n * copies;
    complex_numbers values(side * side);
    for (std::uint64_t c = 0; c < copies; ++c) {
        for (std::uint64_t i = 0; i < n; ++i) {
            for (std::uint64_t k = 0; k < n; ++k) {
                values[(c * n + i) * side + c * n + k] = root(i * k, n, direction);
            }
        }
    }
    return values;
}

// One element after the other, in three modes.
isa::vector::strided_operand modes(const scratchpad_matrix& m, std::uint64_t i, std::uint64_t j, std::uint64_t k)
{
    return {m.address, {static_cast<std::int32_t>(i), static_cast<std::int32_t>(j), static_cast<std::int32_t>(k)}, {}};
}

isa::vector::strided_command over(std::uint64_t i, std::uint64_t j, std::uint64_t k, std::uint64_t cpu_ops)
{
    isa::vector::strided_command c;
    c.size = {static_cast<std::uint32_t>(i), static_cast<std::uint32_t>(j), static_cast<std::uint32_t>(k)};
    c.cpu_ops = cpu_ops;
    return c;
}

void check(const mmv_session& session, const tensor_unit_values& rows, std::uint64_t batch, std::uint64_t points)
{
    require_format(session, "transforms", {element_type::c128});
    if (batch == 0 || points == 0) { base::refuse("transform", "no numbers", "at least one"); }
    require_count("numbers to transform", count_of(rows), batch * points);
}

} // namespace

void require_fourier_size(std::uint64_t points, std::uint64_t side)
{
    if (!is_fourier_size(points, side)) {
        base::refuse("size of the transform", std::to_string(points),
                     "a power of " + std::to_string(side) + " times a divisor of " + std::to_string(side));
    }
}

fourier_tables::fourier_tables(tensor_unit_program& program, std::uint64_t points, fourier_direction direction)
    : m_points(points), m_direction(direction)
{
    const std::uint64_t q = program.side();
    require_fourier_size(points, q);
    std::uint64_t n = points;
    if (n > q) { m_level = program.operand(transforms(q, 1, direction), q, q); }
    for (; n > q; n /= q) {
        const std::uint64_t rest = n / q;
        complex_numbers factors(rest * q);
        for (std::uint64_t c = 0; c < rest; ++c) {
            for (std::uint64_t k = 0; k < q; ++k) { factors[c * q + k] = root(c * k, n, direction); }
        }
        m_twiddles.push_back(program.loaded_row(factors));
    }
    m_leaf = program.operand(transforms(n, q / n, direction), q, q);
    if (direction == fourier_direction::inverse) {
        const double scale = 1.0 / static_cast<double>(points);
        m_scales = program.loaded_row(complex_numbers{scale, scale * scale});
    }
}

fourier_data::fourier_data(tensor_unit_program& program, std::uint64_t numbers)
    : m_program(program), m_now(program.cleared(program.tiles(numbers), program.side())),
      m_spare(program.cleared(program.tiles(numbers), program.side()))
{}

void fourier_data::load(const tensor_unit_values& numbers) { m_program.load_row(m_now, numbers); }

void fourier_data::transform(const fourier_tables& tables, std::uint64_t batch)
{
    transform_unscaled(tables, batch);
    scale(tables, batch * tables.m_points, 1);
}

void fourier_data::transform_squares(const fourier_tables& tables, std::uint64_t batch)
{
    for (unsigned side = 0; side < 2; ++side) {
        transform_unscaled(tables, batch * tables.m_points);
        transpose(batch, tables.m_points);
    }
    scale(tables, batch * tables.m_points * tables.m_points, 2);
}

void fourier_data::transform_unscaled(const fourier_tables& tables, std::uint64_t batch)
{
    const std::uint64_t q = m_program.side(), points = tables.m_points, numbers = batch * points;
    if (points == 1) { return; }
    const auto call = [&](const scratchpad_matrix& weights) {
        scratchpad_matrix left = m_now, result = m_spare;
        left.rows = result.rows = (numbers + q - 1) / q;
        m_program.call(left, weights, result);
        swap();
    };
    if (points <= q) { return call(tables.m_leaf); }
    // Rows (c, b) of the numbers c, c + N/q, .. of row b.
    auto gather = over(batch, points / q, q, m_program.charge_of_moves(numbers));
    gather.a = modes(m_now, points, 1, points / q);
    gather.result = modes(m_spare, q, batch * q, 1);
    move(gather);
    std::uint64_t transforms = batch, left = points;
    for (std::size_t level = 0; left > q; ++level, left /= q, transforms *= q) {
        call(tables.m_level);
        multiply_by_twiddles(tables, level, left, transforms);
    }
    call(tables.m_leaf);
    // Row b + batch K has the outputs K + (N / left) k, k < left, of row b.
    auto order = over(batch, points / left, left, m_program.charge_of_moves(numbers));
    order.a = modes(m_now, left, batch * left, 1);
    order.result = modes(m_spare, points, 1, points / left);
    move(order);
}

void fourier_data::multiply_by_twiddles(const fourier_tables& tables, std::size_t level, std::uint64_t points,
                                        std::uint64_t transforms)
{
    const std::uint64_t q = m_program.side(), rest = points / q, row = transforms * q;
    const auto& factors = tables.m_twiddles[level];
    const auto multiply = [&](isa::vector::strided_command& product) {
        product.cpu_ops = product.elements() + m_program.charge_of_moves(product.elements(), 2 * product.elements());
        m_program.scalar(opcode::s_mul, product);
    };
    // Row (c, t) has output k of number c: of a transform of the rest, t + transforms k.
    if (rest <= q) {
        auto product = over(transforms, q, rest, 0);
        product.a = modes(m_now, q, 1, row);
        product.b = modes(factors, 0, 1, q);
        product.result = modes(m_spare, rest, transforms * rest, 1);
        multiply(product);
        return swap();
    }
    // Of the rest, numbers rest / q apart come together in a row: c = r rest/q + c', r in a loop.
    const std::uint64_t apart = rest / q;
    auto product = over(apart, transforms, q, 0);
    const auto stepped = [](const scratchpad_matrix& m, std::uint64_t i, std::uint64_t j, std::uint64_t k,
                            std::uint64_t step) {
        auto operand = modes(m, i, j, k);
        operand.step[0] = m.stepped(static_cast<std::int64_t>(step)).step_bytes();
        return operand;
    };
    product.a = stepped(m_now, row, q, 1, apart * row);
    product.b = stepped(factors, q, 0, 1, apart * q);
    product.result = stepped(m_spare, row * q, q, row, 1);
    m_program.loop(q);
    multiply(product);
    m_program.end();
    swap();
}

void fourier_data::move(const isa::vector::strided_command& command)
{
    m_program.scalar(opcode::move, command);
    swap();
}

void fourier_data::scale(const fourier_tables& tables, std::uint64_t numbers, std::uint64_t sides)
{
    if (tables.m_direction == fourier_direction::forward) { return; }
    scratchpad_matrix all = m_now;
    all.rows = 1;
    all.columns = numbers;
    m_program.scalar(opcode::s_mul, all, all, tables.m_scales.block(0, sides - 1, 1, 1).with_repeated_column(numbers),
                     numbers);
}

void fourier_data::transpose(std::uint64_t batch, std::uint64_t points)
{
    const std::uint64_t numbers = batch * points * points;
    auto turn = over(batch, points, points, m_program.charge_of_moves(numbers, numbers));
    turn.result = modes(m_spare, points * points, 1, points);
    turn.a = modes(m_now, points * points, points, 1);
    move(turn);
}

tensor_unit_result fourier_transform(mmv_session& session, const tensor_unit_terms& terms, fourier_direction direction,
                                     const tensor_unit_values& rows, std::uint64_t batch, std::uint64_t points)
{
    check(session, rows, batch, points);
    tensor_unit_program program(session, terms);
    const fourier_tables tables(program, points, direction);
    fourier_data data(program, batch * points);
    data.load(rows);
    data.transform(tables, batch);
    auto result = data.now();
    result.rows = 1;
    result.columns = batch * points;
    return program.result_of(result, {batch, points});
}

tensor_unit_result fourier_transform_scalar(mmv_session& session, fourier_direction direction,
                                            const tensor_unit_values& rows, std::uint64_t batch, std::uint64_t points)
{
    check(session, rows, batch, points);
    tensor_unit_program program(session, call_shape::tall);
    complex_numbers steps(points);
    for (std::uint64_t n = 0; n < points; ++n) { steps[n] = root(n, points, direction); }
    const auto x = program.loaded_row(rows), step = program.loaded_row(steps);
    const auto y = program.cleared_row_of(batch * points);
    // Factors of output k: step^k; at first all 1.
    const auto factors = program.loaded_row(complex_numbers(points, 1.0));
    auto sum = over(batch, points, 1, 2 * batch * points);
    sum.result = modes(y, points, 0, 0);
    sum.result.step[0] = y.stepped(1).step_bytes();
    sum.a = modes(x, points, 1, 0);
    sum.b = modes(factors, 0, 1, 0);
    program.loop(points);
    program.scalar(opcode::s_mac, sum);
    program.scalar(opcode::s_mul, factors, factors, step, points);
    program.end();
    if (direction == fourier_direction::inverse) {
        const auto scale = program.loaded_row(complex_numbers{1.0 / static_cast<double>(points)});
        program.scalar(opcode::s_mul, y, y, scale.with_repeated_column(y.columns), y.columns);
    }
    return program.result_of(y, {batch, points});
}

void require_radix_2_size(std::uint64_t points)
{
    if (points == 0 || (points & (points - 1)) != 0) {
        base::refuse("size of the transform by radix 2", std::to_string(points), "a power of two");
    }
}

namespace {

// A copy of a row with its numbers in bit-reversed order: element i at the place of i's bits backwards. N is a power of
// two; a command moves up to three of the bits.
scratchpad_matrix record_bit_reversal(tensor_unit_program& program, const scratchpad_matrix& row)
{
    const std::uint64_t n = row.columns;
    const auto reversed = program.row_of(n);
    std::array<std::uint64_t, 3> size{1, 1, 1}, from{}, to{}; // of the highest bits, as modes
    std::uint64_t rest = n;
    for (std::size_t mode = 0; mode < size.size() && rest > 1; ++mode) {
        rest /= 2;
        size[mode] = 2;
        from[mode] = rest;
        to[mode] = n / 2 / rest;
    }
    for (std::uint64_t first = 0, place = 0; first < rest; ++first) {
        auto copy = over(size[0], size[1], size[2], program.charge_of_moves(n / rest));
        copy.a = modes(row.block(0, first, 1, 1), from[0], from[1], from[2]);
        copy.result = modes(reversed.block(0, place, 1, 1), to[0], to[1], to[2]);
        program.scalar(opcode::move, copy);
        std::uint64_t bit = n / 2; // the next number, its bits backwards: the carry runs downwards
        for (; (place & bit) != 0; bit /= 2) { place -= bit; }
        place += bit;
    }
    return reversed;
}

} // namespace

tensor_unit_result fourier_transform_radix_2(mmv_session& session, fourier_direction direction,
                                             const tensor_unit_values& numbers, std::uint64_t points,
                                             charge_table charges)
{
    check(session, numbers, 1, points);
    require_radix_2_size(points);
    tensor_unit_program program(session, {call_shape::tall, charges});
    const auto x = program.loaded_row(numbers), differences = program.row_of(points);
    complex_numbers factors(points / 2);
    for (std::uint64_t j = 0; j < factors.size(); ++j) { factors[j] = root(j, points, direction); }
    const auto factor = factors.empty() ? x : program.loaded_row(factors);
    // In every transform of n numbers, number j of the first half with that of the second one.
    for (std::uint64_t n = points; n > 1; n /= 2) {
        const std::uint64_t transforms = points / n, half = n / 2;
        const auto first = modes(x, 0, n, 1), second = modes(x.block(0, half, 1, 1), 0, n, 1);
        auto butterflies = over(1, transforms, half, points / 2);
        butterflies.a = first;
        butterflies.b = second;
        butterflies.result = modes(differences, 0, half, 1);
        program.scalar(opcode::s_sub, butterflies);
        butterflies.result = first;
        program.scalar(opcode::s_add, butterflies);
        butterflies.a = modes(differences, 0, half, 1);
        butterflies.b = modes(factor, 0, 0, transforms);
        butterflies.result = second;
        program.scalar(opcode::s_mul, butterflies);
    }
    const auto spectrum = record_bit_reversal(program, x);
    if (direction == fourier_direction::inverse) {
        const auto scale = program.loaded_row(complex_numbers{1.0 / static_cast<double>(points)});
        program.scalar(opcode::s_mul, spectrum, spectrum, scale.with_repeated_column(points), points);
    }
    return program.result_of(spectrum, {points});
}

} // namespace tensorloom::workloads
