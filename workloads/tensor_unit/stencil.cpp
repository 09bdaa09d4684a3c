#include <tensorloom/workloads/tensor_unit/stencil.h>
#include <algorithm>
#include <cmath>
#include <complex>
#include <string>
#include <vector>
#include <tensorloom/models/base/values/input_error.h>
#include <tensorloom/workloads/mmv/word_values.h>
#include <tensorloom/workloads/tensor_unit/closed_forms.h>
#include <tensorloom/workloads/tensor_unit/fourier_transform.h>
#include <tensorloom/workloads/tensor_unit/tensor_unit_program.h>

namespace tensorloom::workloads {
namespace {

using base::element_type;
using mmv::opcode;

void check(const tensor_unit_values& grid, const tensor_unit_values& weights, std::uint64_t size, std::uint64_t sweeps)
{
    require_count("grid", count_of(grid), size * size);
    require_count("weights of the stencil", count_of(weights), 9);
    if (size == 0 || sweeps == 0) {
        base::refuse("stencil", std::to_string(sweeps) + " sweeps over side " + std::to_string(size),
                     "at least 1 of each");
    }
}

// A square of `side` numbers out of rows that are `stride` apart.
scratchpad_matrix square(const scratchpad_matrix& at, std::uint64_t first, std::uint64_t side, std::uint64_t stride)
{
    scratchpad_matrix m = at;
    m.row_stride = static_cast<std::int64_t>(stride);
    m.column_stride = 1;
    m.step = 0;
    return m.block(first / stride, first % stride, side, side);
}

// (2a+1) x (2a+1) coefficients.
struct polynomial {
    scratchpad_matrix coefficients;
    std::uint64_t reach; // a
};

polynomial record_product(tensor_unit_program& program, const polynomial& x, const polynomial& y)
{
    const std::uint64_t reach = x.reach + y.reach, side = 2 * reach + 1;
    const polynomial product{program.place(side, side), reach};
    const scratch_scope room(program.builder());
    const std::uint64_t f = transform_side(side);
    const fourier_tables forward(program, f, fourier_direction::forward), back(program, f, fourier_direction::inverse);
    fourier_data data(program, 2 * f * f);
    const auto copy = [&](const scratchpad_matrix& to, const scratchpad_matrix& from) {
        program.scalar(opcode::move, to, from, program.charge_of_moves(to.rows * to.columns));
    };
    copy(square(data.now(), 0, 2 * x.reach + 1, f), x.coefficients);
    copy(square(data.now(), f * f, 2 * y.reach + 1, f), y.coefficients);
    data.transform_squares(forward, 2);
    program.scalar(opcode::s_mul, square(data.now(), 0, f, f), square(data.now(), 0, f, f),
                   square(data.now(), f * f, f, f), f * f);
    data.transform_squares(back, 1);
    copy(product.coefficients, square(data.now(), 0, side, f));
    return product;
}

polynomial record_power(tensor_unit_program& program, const polynomial& w, std::uint64_t exponent)
{
    if (exponent == 1) { return w; }
    const polynomial half = record_power(program, w, exponent / 2);
    const polynomial even = record_product(program, half, half);
    return exponent % 2 == 0 ? even : record_product(program, even, w);
}

// Ker[-a mod P][-b mod P] = W[k+a][k+b], transformed.
scratchpad_matrix record_kernel(tensor_unit_program& program, const fourier_tables& forward, const polynomial& w)
{
    const std::uint64_t p = forward.points(), k = w.reach;
    fourier_data data(program, p * p);
    // What wraps around (a > 0) comes from the end, the rest from the start, backwards.
    struct part {
        std::uint64_t from, to, size;
    };
    const part parts[] = {{0, k, k + 1}, {k + 1, p - 1, k}};
    for (const auto& rows : parts) {
        for (const auto& columns : parts) {
            scratchpad_matrix to = square(data.now(), 0, p, p).block(rows.to, columns.to, rows.size, columns.size);
            to.row_stride = -to.row_stride;
            to.column_stride = -1;
            program.scalar(opcode::move, to, w.coefficients.block(rows.from, columns.from, rows.size, columns.size),
                           program.charge_of_moves(rows.size * columns.size));
        }
    }
    data.transform_squares(forward, 1);
    return data.now();
}

isa::vector::strided_operand stepped_modes(const scratchpad_matrix& m, std::uint64_t i, std::uint64_t j,
                                           std::uint64_t step)
{
    return {m.address,
            {static_cast<std::int32_t>(i), static_cast<std::int32_t>(j), 1},
            {m.stepped(static_cast<std::int64_t>(step)).step_bytes(), 0}};
}

// Moves size x size numbers per block, a row of blocks per iteration. `plane` lies in rows of `stride`, blocks are k
// apart in it, p x p in `blocks`.
void record_blocks(tensor_unit_program& program, std::uint64_t rows, std::uint64_t k, std::uint64_t p,
                   std::uint64_t size, const scratchpad_matrix& plane, const scratchpad_matrix& blocks, bool gather)
{
    const auto stride = static_cast<std::uint64_t>(plane.row_stride);
    isa::vector::strided_command c;
    const auto in_plane = stepped_modes(plane, k, stride, k * stride),
               in_blocks = stepped_modes(blocks, p * p, p, rows * p * p);
    c.result = gather ? in_blocks : in_plane;
    c.a = gather ? in_plane : in_blocks;
    c.size = {static_cast<std::uint32_t>(rows), static_cast<std::uint32_t>(size), static_cast<std::uint32_t>(size)};
    c.cpu_ops = program.charge_of_moves(c.elements());
    program.loop(rows);
    program.scalar(opcode::move, c);
    program.end();
}

template <class T> std::vector<T> on_plane(const std::vector<T>& grid, std::uint64_t size, std::uint64_t margin)
{
    const std::uint64_t side = size + 2 * margin;
    std::vector<T> plane(side * side);
    for (std::uint64_t r = 0; r < size; ++r) {
        std::copy_n(grid.begin() + static_cast<std::ptrdiff_t>(r * size), size,
                    plane.begin() + static_cast<std::ptrdiff_t>((r + margin) * side + margin));
    }
    return plane;
}

tensor_unit_values values_on_plane(const tensor_unit_values& grid, std::uint64_t size, std::uint64_t margin)
{
    return std::visit([&](const auto& g) -> tensor_unit_values { return on_plane(g, size, margin); }, grid);
}

using whole = std::vector<std::int64_t>;
using complex_numbers = std::vector<std::complex<double>>;

// The transforms' error stays below 1/4 while (sum |w|)^k max |in| P is at most this.
constexpr double largest_exact_sum = 281474976710656.0; // 2^48

void check_roundable(const whole& grid, const whole& weights, std::uint64_t sweeps, std::uint64_t side)
{
    double sum = 0, largest = 0;
    for (const std::int64_t w : weights) { sum += std::abs(static_cast<double>(w)); }
    for (const std::int64_t x : grid) { largest = std::max(largest, std::abs(static_cast<double>(x))); }
    const double reach = std::pow(sum, static_cast<double>(sweeps)) * largest * static_cast<double>(side);
    if (reach > largest_exact_sum) {
        base::refuse("stencil of whole numbers", "results up to " + message_text(reach / static_cast<double>(side)),
                     "at most " + message_text(largest_exact_sum / static_cast<double>(side)) +
                         ", which the transforms get exactly");
    }
}

} // namespace

void require_stencil_size(std::uint64_t size, std::uint64_t sweeps, std::uint64_t side)
{
    if ((side & (side - 1)) != 0) {
        base::refuse("rows of the array for the stencil", std::to_string(side), "a power of two");
    }
    if (size % sweeps != 0) {
        base::refuse("sweeps of the stencil", std::to_string(sweeps), "a divisor of the side " + std::to_string(size));
    }
}

tensor_unit_result stencil_sweeps(mmv_session& session, const tensor_unit_terms& terms, const tensor_unit_values& grid,
                                  const tensor_unit_values& weights, std::uint64_t size, std::uint64_t sweeps)
{
    require_format(session, "the stencil", {element_type::c128});
    check(grid, weights, size, sweeps);
    const std::uint64_t q = session.limits().side;
    require_stencil_size(size, sweeps, q);
    const std::uint64_t k = sweeps, p = transform_side(3 * k), blocks = (size / k) * (size / k);
    const bool whole_numbered = std::holds_alternative<whole>(grid) && std::holds_alternative<whole>(weights);
    if (whole_numbered) { check_roundable(std::get<whole>(grid), std::get<whole>(weights), k, p); }

    tensor_unit_program program(session, terms);
    scratchpad_matrix plane = program.loaded_row(values_on_plane(grid, size, k));
    plane.row_stride = static_cast<std::int64_t>(size + 2 * k);
    const polynomial sweep{program.loaded(weights, 3, 3), 1};
    const polynomial power = record_power(program, sweep, k);

    const fourier_tables forward(program, p, fourier_direction::forward), back(program, p, fourier_direction::inverse);
    const auto kernel = record_kernel(program, forward, power);
    fourier_data data(program, blocks * p * p);
    record_blocks(program, size / k, k, p, 3 * k, plane, data.now(), true);
    data.transform_squares(forward, blocks);
    scratchpad_matrix products = data.now();
    products.rows = blocks;
    products.columns = p * p;
    products.row_stride = static_cast<std::int64_t>(p * p);
    scratchpad_matrix factors = kernel;
    factors.columns = p * p;
    program.scalar(opcode::s_mul, products, products, factors.with_repeated_row(blocks), blocks * p * p);
    data.transform_squares(back, blocks);
    scratchpad_matrix out = program.row_of(size * size);
    out.row_stride = static_cast<std::int64_t>(size);
    record_blocks(program, size / k, k, p, k, out, data.now().block(0, k * p + k, 1, 1), false);
    out.rows = size;
    out.columns = size;

    auto result = program.result_of(out, {size, size});
    const auto& complex_values = std::get<complex_numbers>(result.values);
    if (whole_numbered) {
        whole rounded;
        for (const auto& x : complex_values) { rounded.push_back(std::llround(x.real())); }
        result.values = rounded;
    } else if (!std::holds_alternative<complex_numbers>(grid) && !std::holds_alternative<complex_numbers>(weights)) {
        std::vector<double> real;
        for (const auto& x : complex_values) { real.push_back(x.real()); }
        result.values = real;
    }
    return result;
}

namespace {

// Numbers of the weights by which a sweep multiplies.
std::vector<std::uint64_t> weights_of(const tensor_unit_values& weights, swept_weights swept)
{
    std::vector<std::uint64_t> taken;
    std::visit(
        [&](const auto& w) {
            using number = typename std::decay_t<decltype(w)>::value_type;
            for (std::uint64_t i = 0; i < w.size(); ++i) {
                if (swept == swept_weights::all || w[i] != number{}) { taken.push_back(i); }
            }
        },
        weights);
    return taken;
}

} // namespace

tensor_unit_result stencil_sweeps_scalar(mmv_session& session, const tensor_unit_values& grid,
                                         const tensor_unit_values& weights, std::uint64_t size, std::uint64_t sweeps,
                                         swept_weights swept)
{
    require_format(
        session, "the stencil",
        {element_type::int64, element_type::int32, element_type::f64, element_type::f32, element_type::c128});
    check(grid, weights, size, sweeps);
    tensor_unit_program program(session, call_shape::tall);
    const std::uint64_t side = size + 2 * sweeps;
    const auto as_plane = [side](scratchpad_matrix m) {
        m.row_stride = static_cast<std::int64_t>(side);
        m.rows = side;
        m.columns = side;
        return m;
    };
    auto from = as_plane(program.loaded_row(values_on_plane(grid, size, sweeps)));
    auto to = as_plane(program.cleared_row_of(side * side));
    const auto w = program.loaded_row(weights);
    const auto taken = weights_of(weights, swept);
    for (std::uint64_t margin = 1; margin <= sweeps; ++margin) {
        const std::uint64_t n = side - 2 * margin;
        const auto inner = to.block(margin, margin, n, n);
        program.set(inner, 0);
        for (const std::uint64_t i : taken) {
            program.scalar(opcode::s_mac, inner, from.block(margin + i / 3 - 1, margin + i % 3 - 1, n, n),
                           w.block(0, i, 1, 1).with_repeated_row(n).with_repeated_column(n), 2 * n * n);
        }
        std::swap(from, to);
    }
    return program.result_of(from.block(sweeps, sweeps, size, size), {size, size});
}

} // namespace tensorloom::workloads
