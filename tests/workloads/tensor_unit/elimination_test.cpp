#include <cmath>
#include <cstdint>
#include <random>
#include <string>
#include <vector>
#include <Eigen/Dense>
#include <gtest/gtest.h>
#include <tensorloom/models/base/values/input_error.h>
#include <tensorloom/workloads/tensor_unit/closed_forms.h>
#include <tensorloom/workloads/tensor_unit/gaussian_elimination.h>
#include <tensorloom/workloads/tensor_unit/problems.h>
#include "workloads/tensor_unit/checked_machine.h"
#include "workloads/tensor_unit/random_values.h"
#include "support/message_of.h"

namespace tensorloom::test {
namespace {

using base::element_type;
using mmv::event;
using namespace workloads;
using numbers = std::vector<double>;

// Random, with a diagonal that needs no pivoting; the last row 0.
numbers random_equations(std::mt19937_64& source, std::uint64_t n)
{
    numbers x = random_real(source, n * n);
    for (std::uint64_t i = 0; i < n; ++i) {
        x[i * n + i] += 2 * static_cast<double>(n);
        x[(n - 1) * n + i] = 0;
    }
    return x;
}

// The usual elimination, row by row.
numbers upper_triangle_of(numbers x, std::uint64_t n)
{
    for (std::uint64_t t = 0; t + 1 < n; ++t) {
        for (std::uint64_t i = t + 1; i < n; ++i) {
            const double factor = x[i * n + t] / x[t * n + t];
            for (std::uint64_t j = t; j < n; ++j) { x[i * n + j] -= factor * x[t * n + j]; }
        }
    }
    for (std::uint64_t i = 0; i < n; ++i) {
        for (std::uint64_t j = 0; j < i; ++j) { x[i * n + j] = 0; }
    }
    return x;
}

double largest_error(const numbers& found, const numbers& expected)
{
    double error = 0;
    for (std::size_t i = 0; i < found.size(); ++i) {
        error = std::max(error, std::abs(found[i] - expected[i]) / std::max(1.0, std::abs(expected[i])));
    }
    return error;
}

TEST(elimination, blocks_give_the_triangle_of_the_row_by_row_one)
{
    std::mt19937_64 source(1);
    for (const std::uint32_t q : {2u, 3u, 4u, 8u}) {
        for (std::uint64_t tiles = 1; tiles <= 5; ++tiles) {
            const std::uint64_t n = tiles * q;
            const auto x = random_equations(source, n);
            const auto expected = upper_triangle_of(x, n);
            checked_machine machine(q, element_type::f64, 1u << 20);
            for (const auto shape : {call_shape::tall, call_shape::square}) {
                const auto r = eliminate_forward(machine, shape, x, n);
                EXPECT_LT(largest_error(std::get<numbers>(r.values), expected), 1e-9) << q << " " << n;
                const auto cost = elimination_cost(n, q, shape);
                EXPECT_EQ(r.counts[event::matmul_call], cost.calls);
                EXPECT_EQ(r.counts[event::matmul_row], cost.rows);
                EXPECT_EQ(r.counts[event::cpu_op], cost.cpu_ops);
            }
            const auto scalar = eliminate_forward_scalar(machine, x, n);
            EXPECT_LT(largest_error(std::get<numbers>(scalar.values), expected), 1e-9);
            EXPECT_EQ(scalar.counts[event::matmul_call], 0u);
            EXPECT_EQ(scalar.counts[event::cpu_op], 3 * elimination_updates(n));
            EXPECT_EQ(scalar.counts[event::scalar_op], 3 * elimination_updates(n));
        }
    }
}

TEST(elimination, solves_equations_of_any_number)
{
    std::mt19937_64 source(2);
    for (std::uint64_t n = 1; n <= 19; ++n) {
        numbers a = random_real(source, n * n);
        const numbers b = random_real(source, n);
        for (std::uint64_t i = 0; i < n; ++i) { a[i * n + i] += static_cast<double>(n); }
        using matrix = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
        const auto size = static_cast<Eigen::Index>(n);
        const Eigen::VectorXd x = Eigen::Map<const matrix>(a.data(), size, size)
                                      .partialPivLu()
                                      .solve(Eigen::Map<const Eigen::VectorXd>(b.data(), size));
        checked_machine machine(4, element_type::f64, 1u << 20);
        const auto r = solve_by_elimination(machine, call_shape::tall, a, b, n);
        EXPECT_LT(largest_error(std::get<numbers>(r.values), numbers(x.data(), x.data() + n)), 1e-9) << n;
        const auto cost = solution_cost(n, 4, call_shape::tall);
        EXPECT_EQ(r.counts[event::matmul_call], cost.calls);
        EXPECT_EQ(r.counts[event::matmul_row], cost.rows);
        EXPECT_EQ(r.counts[event::cpu_op], cost.cpu_ops);

        const auto scalar = solve_by_elimination_scalar(machine, a, b, n);
        EXPECT_LT(largest_error(std::get<numbers>(scalar.values), numbers(x.data(), x.data() + n)), 1e-9) << n;
        EXPECT_EQ(scalar.counts[event::matmul_call], 0u);
        // 2 per known term and quotient, 1 per sign.
        EXPECT_EQ(scalar.counts[event::cpu_op], 3 * elimination_updates(n + 1) + n * (n - 1) + 2 * n + n);
    }
}

TEST(elimination, back_substitution_is_charged_by_known_terms_quotients_and_signs)
{
    checked_machine machine(4, element_type::f64, 1u << 20);
    const numbers a{2, 0, 0, 0, 2, 0, 0, 0, 4}, b{2, 4, 8};
    const auto r = solve_by_elimination(machine, call_shape::tall, a, b, 3);
    EXPECT_EQ(std::get<numbers>(r.values), (numbers{1, 2, 2}));
    EXPECT_EQ(r.counts[event::cpu_op], elimination_cost(4, 4, call_shape::tall).cpu_ops + 2 * (1 + 2) + 2 * 3 + 3);
}

TEST(elimination, refuses_what_it_cannot_solve)
{
    checked_machine machine(4, element_type::f64, 1u << 20);
    const numbers singular{0, 1, 1, 0}, b{1, 2};
    EXPECT_THROW(solve_by_elimination(machine, call_shape::tall, singular, b, 2), base::input_error);
    EXPECT_THROW(eliminate_forward(machine, call_shape::tall, numbers(36), 6),
                 base::input_error); // 4 does not divide 6
    checked_machine integers(4, element_type::int64, 1u << 20);
    EXPECT_THROW(eliminate_forward(integers, call_shape::tall, numbers(16), 4), base::input_error);
}

TEST(elimination, names_the_first_row_without_a_pivot)
{
    for (const std::uint64_t row : {0u, 3u, 6u}) {
        numbers x(64);
        for (std::uint64_t i = 0; i + 1 < 8; ++i) { x[i * 8 + i] = i == row ? 0 : 2; }
        const auto expected = "zero pivot in row " + std::to_string(row) + ",";
        checked_machine machine(4, element_type::f64, 1u << 20);
        const auto found = message_of([&] { eliminate_forward(machine, call_shape::tall, x, 8); });
        EXPECT_NE(found.find(expected), std::string::npos) << found;
        EXPECT_THROW(eliminate_forward_scalar(machine, x, 8), base::input_error);
        EXPECT_THROW(elimination_reference(tensor_unit_problem{8}, {{"X", {8, 8}, x}}), base::input_error);
    }
}

// ---- the sign that the paper prints ----

// Blocked elimination on the host. With sign = +1 lines A.4, B.4 and C.4 are X <- X - (X X) / X; with sign = -1 they
// are as printed, X <- (X X) / X - X. Lines B.7 and D.4 are the same in both.
numbers blocked(numbers x, std::uint64_t n, std::uint64_t q, double sign)
{
    const auto at = [&](std::uint64_t i, std::uint64_t j) -> double& { return x[i * n + j]; };
    const auto updated = [&](double now, double product, double pivot) { return sign * (now - product / pivot); };
    for (std::uint64_t k = 0; k < n; k += q) {
        const std::uint64_t end = k + q;
        for (std::uint64_t t = k; t + 1 < end; ++t) {
            for (std::uint64_t i = t + 1; i < end; ++i) {
                for (std::uint64_t j = t + 1; j < end; ++j) {
                    at(i, j) = updated(at(i, j), at(i, t) * at(t, j), at(t, t));
                }
            }
        }
        numbers scaled(q * n);
        for (std::uint64_t j = end; j < n; ++j) {
            for (std::uint64_t t = k; t + 1 < end; ++t) {
                for (std::uint64_t i = t + 1; i < end; ++i) {
                    at(i, j) = updated(at(i, j), at(i, t) * at(t, j), at(t, t));
                }
            }
            for (std::uint64_t i = k; i < end; ++i) { scaled[(i - k) * n + j] = -at(i, j) / at(i, i); }
        }
        for (std::uint64_t i = end; i < n; ++i) {
            for (std::uint64_t t = k; t < end; ++t) {
                for (std::uint64_t j = t + 1; j < end; ++j) {
                    at(i, j) = updated(at(i, j), at(i, t) * at(t, j), at(t, t));
                }
            }
        }
        for (std::uint64_t i = end; i < n; ++i) {
            for (std::uint64_t j = end; j < n; ++j) {
                for (std::uint64_t t = k; t < end; ++t) { at(i, j) += at(i, t) * scaled[(t - k) * n + j]; }
            }
        }
    }
    for (std::uint64_t i = 0; i < n; ++i) {
        for (std::uint64_t j = 0; j < i; ++j) { at(i, j) = 0; }
    }
    return x;
}

TEST(printed_elimination, has_wrong_magnitudes_from_two_blocks_on)
{
    std::mt19937_64 source(3);
    for (const std::uint64_t q : {std::uint64_t{2}, std::uint64_t{4}, std::uint64_t{8}}) {
        for (const std::uint64_t tiles : {std::uint64_t{1}, std::uint64_t{2}, std::uint64_t{3}, std::uint64_t{5}}) {
            const std::uint64_t n = q * tiles;
            const auto x = random_equations(source, n);
            const auto expected = upper_triangle_of(x, n);
            EXPECT_LT(largest_error(blocked(x, n, q, 1), expected), 1e-9); // the corrected lines
            auto printed = blocked(x, n, q, -1);
            // With one block row i only has the sign (-1)^i: harmless. So compare magnitudes.
            auto magnitudes = expected;
            for (auto* values : {&printed, &magnitudes}) {
                for (double& v : *values) { v = std::abs(v); }
            }
            if (tiles == 1) {
                EXPECT_LT(largest_error(printed, magnitudes), 1e-9) << q;
            } else {
                EXPECT_GT(largest_error(printed, magnitudes), 1e-3) << q << " " << tiles;
            }
        }
    }
}

} // namespace
} // namespace tensorloom::test
