#include <tensorloom/workloads/tensor_unit/problems.h>
#include <algorithm>
#include <cmath>
#include <complex>
#include <random>
#include <type_traits>
#include <utility>
#include <tensorloom/workloads/tensor_unit/gaussian_elimination.h>
#include <tensorloom/workloads/tensor_unit/polynomials.h>
#include <tensorloom/workloads/transform.h>

namespace tensorloom::workloads {
namespace {

using whole = std::vector<std::int64_t>;

// (factor i + offset) mod modulus
whole counted(std::uint64_t n, std::uint64_t factor, std::uint64_t offset, std::uint64_t modulus)
{
    whole values(n);
    for (std::uint64_t i = 0; i < n; ++i) { values[i] = static_cast<std::int64_t>((factor * i + offset) % modulus); }
    return values;
}

} // namespace

std::vector<std::int64_t> lin_numbers(std::uint64_t n, std::int64_t k)
{
    whole values = counted(n, 7919 * static_cast<std::uint64_t>(k), 13, 23);
    for (auto& v : values) { v -= 11; }
    return values;
}

tensor_unit_inputs square_operands(const tensor_unit_problem& p)
{
    const std::uint64_t n = p.size;
    return {{"A", {n, n}, lin_numbers(n * n, 1)}, {"B", {n, n}, lin_numbers(n * n, 3)}};
}

tensor_unit_inputs rectangular_operands(const tensor_unit_problem& p)
{
    const std::uint64_t n = p.size, r = p.inner;
    // Rows of A are those of an N x N matrix where it has that many columns.
    const std::uint64_t side = r < n ? n : r;
    const whole all = lin_numbers(n * side, 1);
    whole a;
    for (std::uint64_t i = 0; i < n; ++i) {
        const auto row = all.begin() + static_cast<std::ptrdiff_t>(i * side);
        a.insert(a.end(), row, row + static_cast<std::ptrdiff_t>(r));
    }
    return {{"A", {n, r}, a}, {"B", {r, n}, lin_numbers(r * n, 3)}};
}

tensor_unit_inputs sparse_operands(const tensor_unit_problem& p)
{
    const std::uint64_t n = p.size;
    whole a(n * n), b(n * n);
    for (std::uint64_t i = 0; i < n; ++i) {
        a[i * n + 5 * i % n] = static_cast<std::int64_t>(1 + i % 4);
        b[i * n + 7 * i % n] = static_cast<std::int64_t>(1 + i % 3);
    }
    return {{"A", {n, n}, a}, {"B", {n, n}, b}};
}

tensor_unit_inputs equations(const tensor_unit_problem& p)
{
    const std::uint64_t n = p.size;
    const whole numbers = lin_numbers(n * n, 1);
    std::vector<double> x(n * n);
    for (std::uint64_t i = 0; i + 1 < n; ++i) {
        for (std::uint64_t j = 0; j < n; ++j) {
            x[i * n + j] = static_cast<double>(numbers[i * n + j]) / 11.0 + (i == j ? 4.0 * static_cast<double>(n) : 0);
        }
    }
    return {{"X", {n, n}, x}};
}

tensor_unit_inputs equations_and_right_side(const tensor_unit_problem& p)
{
    const std::uint64_t n = p.size;
    const whole numbers = lin_numbers(n * n, 1), right = lin_numbers(n, 3);
    std::vector<double> a(n * n);
    for (std::uint64_t i = 0; i < n * n; ++i) { a[i] = static_cast<double>(numbers[i]) / 11.0; }
    for (std::uint64_t i = 0; i < n; ++i) { a[i * n + i] += 4.0 * static_cast<double>(n); }
    return {{"A", {n, n}, a}, {"b", {n}, std::vector<double>(right.begin(), right.end())}};
}

namespace {

// Draws pairs of vertices until `join` has accepted as many as are missing.
template <class Join> void join_at_random(const tensor_unit_problem& p, std::uint64_t present, const Join& join)
{
    std::mt19937_64 source(p.seed);
    while (present < p.edges) {
        const std::uint64_t u = source() % p.size, v = source() % p.size;
        if (join(u, v)) { ++present; }
    }
}

} // namespace

tensor_unit_inputs directed_edges(const tensor_unit_problem& p)
{
    const std::uint64_t n = p.size;
    whole edges(n * n);
    std::uint64_t present = 0;
    for (std::uint64_t i = 0; i < n * n && (p.edges == 0 || present < p.edges); ++i) {
        edges[i] = (i * 2654435761u >> 7) % n < 1 ? 1 : 0;
        present += edges[i] != 0 ? 1 : 0;
    }
    join_at_random(p, present,
                   [&](std::uint64_t u, std::uint64_t v) { return std::exchange(edges[u * n + v], 1) == 0; });
    return {{"edges", {n, n}, edges}};
}

tensor_unit_inputs connected_edges(const tensor_unit_problem& p)
{
    const std::uint64_t n = p.size;
    whole edges(n * n);
    const auto join = [&](std::uint64_t u, std::uint64_t v) {
        if (u == v || edges[u * n + v] != 0) { return false; }
        edges[v * n + u] = edges[u * n + v] = 1;
        return true;
    };
    for (std::uint64_t v = 1; v < n; ++v) { join((v * v + 1) % v, v); }
    join_at_random(p, n - 1, join);
    return {{"edges", {n, n}, edges}};
}

std::uint64_t count_directed_edges(const tensor_unit_inputs& inputs)
{
    const whole edges = whole_numbers(inputs.at(0).values, "edges");
    return edges.size() - static_cast<std::uint64_t>(std::count(edges.begin(), edges.end(), 0));
}

std::uint64_t count_undirected_edges(const tensor_unit_inputs& inputs) { return count_directed_edges(inputs) / 2; }

tensor_unit_inputs complex_signal(const tensor_unit_problem& p)
{
    const whole re = lin_numbers(p.size, 1), im = lin_numbers(p.size, 3);
    std::vector<std::complex<double>> x;
    for (std::uint64_t i = 0; i < p.size; ++i) {
        x.emplace_back(static_cast<double>(re[i]), static_cast<double>(im[i]));
    }
    return {{"x", {p.size}, x}};
}

tensor_unit_inputs grid_and_cross(const tensor_unit_problem& p)
{
    return {{"grid", {p.size, p.size}, lin_numbers(p.size * p.size, 1)},
            {"weights", {3, 3}, whole{0, 1, 0, 1, 1, 1, 0, 1, 0}}};
}

tensor_unit_inputs two_long_numbers(const tensor_unit_problem& p)
{
    const std::uint64_t base = std::uint64_t{1} << limb_bits(p.kappa);
    return {{"x", {p.size}, counted(p.size, 40503, 7, base)}, {"y", {p.size}, counted(p.size, 25173, 13849, base)}};
}

tensor_unit_inputs polynomial_and_points(const tensor_unit_problem& p)
{
    const auto modulus = static_cast<std::uint64_t>(evaluation_modulus);
    return {{"coefficients", {p.size}, counted(p.size, 101, 3, modulus)},
            {"points", {p.points}, counted(p.points, 37, 5, modulus)}};
}

tensor_unit_inputs plain_polynomial_and_points(const tensor_unit_problem& p)
{
    whole points = counted(p.points, 1, 0, 3);
    for (auto& x : points) { --x; }
    return {{"coefficients", {p.size}, lin_numbers(p.size, 1)}, {"points", {p.points}, points}};
}

namespace {

// Sums that are not whole are in long double, and rounded once.
using wide_complex = std::complex<long double>;
using wide_numbers = std::vector<wide_complex>;

template <class To, class From> To converted(const From& x)
{
    if constexpr (std::is_same_v<To, wide_complex>) {
        return {static_cast<long double>(std::real(x)), static_cast<long double>(std::imag(x))};
    } else {
        return static_cast<To>(x);
    }
}

tensor_unit_values rounded(const whole& values) { return values; }
tensor_unit_values rounded(const std::vector<long double>& values)
{
    return std::vector<double>(values.begin(), values.end());
}
tensor_unit_values rounded(const wide_numbers& values)
{
    std::vector<std::complex<double>> result;
    for (const auto& x : values) { result.emplace_back(static_cast<double>(x.real()), static_cast<double>(x.imag())); }
    return result;
}

// Both operands as numbers of the larger of their kinds.
template <class Action> tensor_unit_values of_both(const tensor_unit_inputs& inputs, const Action& action)
{
    return std::visit(
        [&](const auto& a, const auto& b) -> tensor_unit_values {
            using x = typename std::decay_t<decltype(a)>::value_type;
            using y = typename std::decay_t<decltype(b)>::value_type;
            constexpr bool is_complex = !std::is_arithmetic_v<x> || !std::is_arithmetic_v<y>;
            constexpr bool is_whole = std::is_integral_v<x> && std::is_integral_v<y>;
            using z =
                std::conditional_t<is_complex, wide_complex, std::conditional_t<is_whole, std::int64_t, long double>>;
            std::vector<z> left, right;
            for (const auto& v : a) { left.push_back(converted<z>(v)); }
            for (const auto& v : b) { right.push_back(converted<z>(v)); }
            return rounded(action(left, right));
        },
        inputs.at(0).values, inputs.at(1).values);
}

// Numbers of edges from a vertex to every one, -1 where there is no path; `start` itself is 0.
whole distances_from(const whole& edges, std::uint64_t n, std::uint64_t start)
{
    whole distance(n, -1);
    std::vector<std::uint64_t> queue{start};
    distance[start] = 0;
    for (std::size_t next = 0; next < queue.size(); ++next) {
        const std::uint64_t from = queue[next];
        for (std::uint64_t to = 0; to < n; ++to) {
            if (edges[from * n + to] != 0 && distance[to] < 0) {
                distance[to] = distance[from] + 1;
                queue.push_back(to);
            }
        }
    }
    return distance;
}

wide_complex unit_root(std::uint64_t a, std::uint64_t n) { return {cosine_of_turn(a % n, n), -sine_of_turn(a % n, n)}; }

wide_numbers fourier(const wide_numbers& x)
{
    const std::uint64_t n = x.size();
    std::uint64_t factor = 2;
    while (factor < n && n % factor != 0) { ++factor; }
    if (n <= 1) { return x; }
    if (factor >= n) {
        wide_numbers y(n);
        for (std::uint64_t k = 0; k < n; ++k) {
            for (std::uint64_t i = 0; i < n; ++i) { y[k] += x[i] * unit_root(i * k, n); }
        }
        return y;
    }
    // Every factor-th number by itself.
    const std::uint64_t rest = n / factor;
    wide_numbers y(n), part(rest);
    for (std::uint64_t f = 0; f < factor; ++f) {
        for (std::uint64_t i = 0; i < rest; ++i) { part[i] = x[i * factor + f]; }
        const auto transformed = fourier(part);
        for (std::uint64_t k = 0; k < n; ++k) { y[k] += transformed[k % rest] * unit_root(f * k, n); }
    }
    return y;
}

wide_numbers complex_values(const tensor_unit_values& values)
{
    return std::visit(
        [](const auto& numbers) {
            wide_numbers all;
            for (const auto& x : numbers) { all.push_back(converted<wide_complex>(x)); }
            return all;
        },
        values);
}

} // namespace

tensor_unit_values product_reference(const tensor_unit_problem&, const tensor_unit_inputs& inputs)
{
    const std::uint64_t rows = inputs.at(0).shape.at(0), inner = inputs.at(0).shape.at(1);
    const std::uint64_t columns = inputs.at(1).shape.at(1);
    return of_both(inputs, [&](const auto& a, const auto& b) {
        std::decay_t<decltype(a)> c(rows * columns);
        for (std::uint64_t i = 0; i < rows; ++i) {
            for (std::uint64_t k = 0; k < inner; ++k) {
                for (std::uint64_t j = 0; j < columns; ++j) {
                    c[i * columns + j] += a[i * inner + k] * b[k * columns + j];
                }
            }
        }
        return c;
    });
}

tensor_unit_values elimination_reference(const tensor_unit_problem& p, const tensor_unit_inputs& inputs)
{
    const std::uint64_t n = p.size;
    std::vector<double> x;
    for (const auto& v : complex_values(inputs.at(0).values)) { x.push_back(static_cast<double>(v.real())); }
    for (std::uint64_t t = 0; t < n; ++t) {
        for (std::uint64_t i = t + 1; i < n; ++i) {
            const double factor = x[i * n + t] / x[t * n + t];
            for (std::uint64_t j = t + 1; j < n; ++j) { x[i * n + j] -= factor * x[t * n + j]; }
            x[i * n + t] = 0;
        }
    }
    require_pivots(x, n);
    return x;
}

tensor_unit_values solution_reference(const tensor_unit_problem& p, const tensor_unit_inputs& inputs)
{
    const std::uint64_t n = p.size;
    std::vector<std::vector<long double>> rows(n);
    const wide_numbers a = complex_values(inputs.at(0).values), b = complex_values(inputs.at(1).values);
    for (std::uint64_t i = 0; i < n; ++i) {
        for (std::uint64_t j = 0; j < n; ++j) { rows[i].push_back(a[i * n + j].real()); }
        rows[i].push_back(b[i].real());
    }
    for (std::uint64_t t = 0; t < n; ++t) {
        const auto largest =
            std::max_element(rows.begin() + static_cast<std::ptrdiff_t>(t), rows.end(),
                             [t](const auto& x, const auto& y) { return std::abs(x[t]) < std::abs(y[t]); });
        std::swap(rows[t], *largest);
        for (std::uint64_t i = 0; i < n; ++i) { // the rows above, too: what is left is a diagonal
            if (i == t) { continue; }
            const long double factor = rows[i][t] / rows[t][t];
            for (std::uint64_t j = t; j <= n; ++j) { rows[i][j] -= factor * rows[t][j]; }
        }
    }
    std::vector<double> x;
    for (std::uint64_t i = 0; i < n; ++i) { x.push_back(static_cast<double>(rows[i][n] / rows[i][i])); }
    return x;
}

tensor_unit_values closure_reference(const tensor_unit_problem& p, const tensor_unit_inputs& inputs)
{
    const std::uint64_t n = p.size;
    const whole edges = whole_numbers(inputs.at(0).values, "edges");
    whole reached(n * n);
    for (std::uint64_t start = 0; start < n; ++start) {
        const whole distance = distances_from(edges, n, start);
        for (std::uint64_t to = 0; to < n; ++to) {
            for (std::uint64_t from = 0; from < n; ++from) { // the last edge of the path
                if (distance[from] >= 0 && edges[from * n + to] != 0) { reached[start * n + to] = 1; }
            }
        }
    }
    return reached;
}

tensor_unit_values distances_reference(const tensor_unit_problem& p, const tensor_unit_inputs& inputs)
{
    const whole edges = whole_numbers(inputs.at(0).values, "edges");
    whole all;
    for (std::uint64_t start = 0; start < p.size; ++start) {
        const whole distance = distances_from(edges, p.size, start);
        all.insert(all.end(), distance.begin(), distance.end());
    }
    return all;
}

tensor_unit_values fourier_reference(const tensor_unit_problem&, const tensor_unit_inputs& inputs)
{
    return rounded(fourier(complex_values(inputs.at(0).values)));
}

tensor_unit_values inverse_fourier_reference(const tensor_unit_problem& p, const tensor_unit_inputs& inputs)
{
    wide_numbers x = complex_values(inputs.at(0).values);
    for (auto& v : x) { v = std::conj(v); }
    x = fourier(x);
    for (auto& v : x) { v = std::conj(v) / static_cast<long double>(p.size); }
    return rounded(x);
}

tensor_unit_values stencil_reference(const tensor_unit_problem& p, const tensor_unit_inputs& inputs)
{
    const std::uint64_t n = p.size, margin = p.sweeps + 1, side = n + 2 * margin;
    return of_both(inputs, [&](const auto& grid, const auto& w) {
        std::decay_t<decltype(grid)> plane(side * side), out(n * n);
        for (std::uint64_t i = 0; i < n * n; ++i) { plane[(i / n + margin) * side + i % n + margin] = grid[i]; }
        for (std::uint64_t sweep = 0; sweep < p.sweeps; ++sweep) {
            auto next = plane;
            for (std::uint64_t i = 1; i + 1 < side; ++i) {
                for (std::uint64_t j = 1; j + 1 < side; ++j) {
                    auto& sum = next[i * side + j] = 0;
                    for (std::uint64_t a = 0; a < 3; ++a) {
                        for (std::uint64_t b = 0; b < 3; ++b) {
                            sum += w[3 * a + b] * plane[(i + a - 1) * side + j + b - 1];
                        }
                    }
                }
            }
            plane = std::move(next);
        }
        for (std::uint64_t i = 0; i < n * n; ++i) { out[i] = plane[(i / n + margin) * side + i % n + margin]; }
        return out;
    });
}

tensor_unit_values long_product_reference(const tensor_unit_problem& p, const tensor_unit_inputs& inputs)
{
    const whole x = whole_numbers(inputs.at(0).values, "x"), y = whole_numbers(inputs.at(1).values, "y");
    const unsigned bits = limb_bits(p.kappa);
    whole z(2 * p.size);
    for (std::uint64_t i = 0; i < p.size; ++i) {
        std::uint64_t carry = 0;
        for (std::uint64_t j = 0; j < p.size; ++j) {
            carry += static_cast<std::uint64_t>(z[i + j]) + static_cast<std::uint64_t>(x[i] * y[j]);
            z[i + j] = static_cast<std::int64_t>(carry % (1u << bits));
            carry >>= bits;
        }
        z[i + p.size] = static_cast<std::int64_t>(carry);
    }
    return z;
}

tensor_unit_values polynomial_reference(const tensor_unit_problem&, const tensor_unit_inputs& inputs)
{
    const whole a = whole_numbers(inputs.at(0).values, "coefficients");
    const whole points = whole_numbers(inputs.at(1).values, "points");
    whole values;
    for (const std::int64_t x : points) {
        std::int64_t sum = 0, power = 1;
        for (const std::int64_t c : a) {
            sum = (sum + c * power) % evaluation_modulus;
            power = power * x % evaluation_modulus;
        }
        values.push_back(sum);
    }
    return values;
}

tensor_unit_values plain_polynomial_reference(const tensor_unit_problem&, const tensor_unit_inputs& inputs)
{
    const wide_numbers a = complex_values(inputs.at(0).values), points = complex_values(inputs.at(1).values);
    std::vector<long double> values;
    for (const auto& x : points) {
        long double sum = 0;
        for (auto c = a.rbegin(); c != a.rend(); ++c) { sum = sum * x.real() + c->real(); }
        values.push_back(sum);
    }
    const auto is_whole = [](const tensor_unit_input& i) { return std::holds_alternative<whole>(i.values); };
    const bool fits = std::all_of(values.begin(), values.end(), [](auto x) { return std::abs(x) < 0x1p63L; });
    if (!fits || !std::all_of(inputs.begin(), inputs.end(), is_whole)) { return rounded(values); }
    return whole(values.begin(), values.end());
}

} // namespace tensorloom::workloads
