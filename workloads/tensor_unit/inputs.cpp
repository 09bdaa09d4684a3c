#include <tensorloom/workloads/tensor_unit/inputs.h>
#include <complex>
#include <tensorloom/workloads/tensor_unit/polynomial_evaluation.h>

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

std::vector<tensor_unit_input> square_operands(const tensor_unit_problem& p)
{
    const std::uint64_t n = p.size;
    return {{"A", {n, n}, lin_numbers(n * n, 1)}, {"B", {n, n}, lin_numbers(n * n, 3)}};
}

std::vector<tensor_unit_input> rectangular_operands(const tensor_unit_problem& p)
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

std::vector<tensor_unit_input> sparse_operands(const tensor_unit_problem& p)
{
    const std::uint64_t n = p.size;
    whole a(n * n), b(n * n);
    for (std::uint64_t i = 0; i < n; ++i) {
        a[i * n + 5 * i % n] = static_cast<std::int64_t>(1 + i % 4);
        b[i * n + 7 * i % n] = static_cast<std::int64_t>(1 + i % 3);
    }
    return {{"A", {n, n}, a}, {"B", {n, n}, b}};
}

std::vector<tensor_unit_input> equations(const tensor_unit_problem& p)
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

std::vector<tensor_unit_input> directed_edges(const tensor_unit_problem& p)
{
    const std::uint64_t n = p.size;
    whole edges(n * n);
    for (std::uint64_t i = 0; i < n * n; ++i) { edges[i] = (i * 2654435761u >> 7) % n < 1 ? 1 : 0; }
    return {{"edges", {n, n}, edges}};
}

std::vector<tensor_unit_input> connected_edges(const tensor_unit_problem& p)
{
    const std::uint64_t n = p.size;
    whole edges(n * n);
    for (std::uint64_t v = 1; v < n; ++v) {
        const std::uint64_t u = (v * v + 1) % v;
        edges[v * n + u] = edges[u * n + v] = 1;
    }
    return {{"edges", {n, n}, edges}};
}

std::vector<tensor_unit_input> complex_signal(const tensor_unit_problem& p)
{
    const whole re = lin_numbers(p.size, 1), im = lin_numbers(p.size, 3);
    std::vector<std::complex<double>> x;
    for (std::uint64_t i = 0; i < p.size; ++i) {
        x.emplace_back(static_cast<double>(re[i]), static_cast<double>(im[i]));
    }
    return {{"x", {p.size}, x}};
}

std::vector<tensor_unit_input> grid_and_cross(const tensor_unit_problem& p)
{
    return {{"grid", {p.size, p.size}, lin_numbers(p.size * p.size, 1)},
            {"weights", {3, 3}, whole{0, 1, 0, 1, 1, 1, 0, 1, 0}}};
}

std::vector<tensor_unit_input> two_long_numbers(const tensor_unit_problem& p)
{
    return {{"x", {p.size}, counted(p.size, 40503, 7, 65536)}, {"y", {p.size}, counted(p.size, 25173, 13849, 65536)}};
}

std::vector<tensor_unit_input> polynomial_and_points(const tensor_unit_problem& p)
{
    const auto modulus = static_cast<std::uint64_t>(evaluation_modulus);
    return {{"coefficients", {p.size}, counted(p.size, 101, 3, modulus)},
            {"points", {p.points}, counted(p.points, 37, 5, modulus)}};
}

} // namespace tensorloom::workloads
