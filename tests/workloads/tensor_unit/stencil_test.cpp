#include <algorithm>
#include <cmath>
#include <complex>
#include <cstdint>
#include <random>
#include <vector>
#include <gtest/gtest.h>
#include <tensorloom/models/base/values/input_error.h>
#include <tensorloom/workloads/tensor_unit/closed_forms.h>
#include <tensorloom/workloads/tensor_unit/stencil.h>
#include "workloads/tensor_unit/checked_machine.h"
#include "workloads/tensor_unit/random_values.h"

namespace tensorloom::test {
namespace {

using base::element_type;
using mmv::event;
using namespace workloads;
using whole = std::vector<std::int64_t>;

// Sweeps over the window with k points around it that are computed, too, or held at 0.
template <class T>
std::vector<T> swept(const std::vector<T>& grid, const std::vector<T>& w, std::int64_t n, std::int64_t k, bool held)
{
    const std::int64_t margin = k + 1, side = n + 2 * margin;
    std::vector<T> plane(static_cast<std::size_t>(side * side)), next;
    const auto at = [side](std::int64_t i, std::int64_t j) { return static_cast<std::size_t>(i * side + j); };
    for (std::int64_t i = 0; i < n; ++i) {
        for (std::int64_t j = 0; j < n; ++j) {
            plane[at(i + margin, j + margin)] = grid[static_cast<std::size_t>(i * n + j)];
        }
    }
    for (std::int64_t sweep = 0; sweep < k; ++sweep) {
        next.assign(plane.size(), T(0));
        const std::int64_t first = held ? margin : 1, end = held ? margin + n : side - 1;
        for (std::int64_t i = first; i < end; ++i) {
            for (std::int64_t j = first; j < end; ++j) {
                for (std::int64_t a = -1; a <= 1; ++a) {
                    for (std::int64_t b = -1; b <= 1; ++b) {
                        next[at(i, j)] += w[static_cast<std::size_t>(3 * a + b + 4)] * plane[at(i + a, j + b)];
                    }
                }
            }
        }
        plane = next;
    }
    std::vector<T> out;
    for (std::int64_t i = 0; i < n; ++i) {
        for (std::int64_t j = 0; j < n; ++j) { out.push_back(plane[at(i + margin, j + margin)]); }
    }
    return out;
}

TEST(stencil, is_exact_for_whole_weights_of_any_shape)
{
    std::mt19937_64 source(1);
    const std::pair<std::int64_t, std::int64_t> sizes[] = {{1, 1}, {3, 1},  {4, 2},  {6, 3}, {3, 3},
                                                           {8, 4}, {10, 5}, {12, 6}, {7, 7}, {16, 8}};
    for (const std::uint32_t q : {2u, 4u, 8u}) {
        checked_machine machine(q, element_type::c128), integers(q, element_type::int64);
        for (const auto& [n, k] : sizes) {
            const auto size = static_cast<std::uint64_t>(n), sweeps = static_cast<std::uint64_t>(k);
            const whole grid = random_whole(source, size * size, -50, 50), w = random_whole(source, 9, -3, 3);
            const whole expected = swept(grid, w, n, k, false);
            for (const auto shape : {call_shape::tall, call_shape::square}) {
                const auto r = stencil_sweeps(machine, shape, grid, w, size, sweeps);
                ASSERT_EQ(std::get<whole>(r.values), expected) << q << " " << n << " " << k;
                const auto cost = stencil_cost(size, sweeps, q, shape);
                ASSERT_EQ(r.counts[event::matmul_call], cost.calls);
                ASSERT_EQ(r.counts[event::matmul_row], cost.rows);
                ASSERT_EQ(r.counts[event::cpu_op], cost.cpu_ops);
            }
            const auto scalar = stencil_sweeps_scalar(integers, grid, w, size, sweeps);
            ASSERT_EQ(std::get<whole>(scalar.values), expected);
            ASSERT_EQ(scalar.counts[event::matmul_call], 0u);
            const auto sparse = stencil_sweeps_scalar(integers, grid, w, size, sweeps, swept_weights::not_zero);
            ASSERT_EQ(std::get<whole>(sparse.values), expected);
            std::uint64_t products = 0;
            for (std::uint64_t margin = 0; margin < sweeps; ++margin) {
                const auto not_zero = w.size() - static_cast<std::uint64_t>(std::count(w.begin(), w.end(), 0));
                products += not_zero * (size + 2 * margin) * (size + 2 * margin);
            }
            ASSERT_EQ(sparse.counts[event::cpu_op], 2 * products);
        }
    }
}

TEST(stencil, takes_real_weights_and_gives_real_numbers)
{
    std::mt19937_64 source(2);
    checked_machine machine(4, element_type::c128);
    const auto grid = random_real(source, 64), w = random_real(source, 9);
    const auto expected = swept(grid, w, 8, 4, false);
    const auto r = stencil_sweeps(machine, call_shape::tall, grid, w, 8, 4);
    const auto& found = std::get<std::vector<double>>(r.values);
    ASSERT_EQ(found.size(), expected.size());
    for (std::size_t i = 0; i < found.size(); ++i) { EXPECT_NEAR(std::abs(found[i] - expected[i]), 0, 1e-11) << i; }
}

TEST(stencil, sweeps_the_plane_around_the_grid_too)
{
    const whole grid(36, 1), cross{0, 1, 0, 1, 1, 1, 0, 1, 0};
    checked_machine machine(4, element_type::c128);
    const auto once = stencil_sweeps(machine, call_shape::tall, grid, cross, 6, 1);
    EXPECT_EQ(std::get<whole>(once.values), swept(grid, cross, 6, 1, true));
    const auto twice = stencil_sweeps(machine, call_shape::tall, grid, cross, 6, 2);
    EXPECT_NE(std::get<whole>(twice.values), swept(grid, cross, 6, 2, true)); // what is outside would be held at 0
    EXPECT_EQ(std::get<whole>(twice.values), swept(grid, cross, 6, 2, false));
}

TEST(stencil, refuses_what_it_does_not_compute)
{
    checked_machine machine(4, element_type::c128), three(3, element_type::c128), real(4, element_type::f64);
    const whole grid(36, 1), w(9, 1);
    EXPECT_THROW(stencil_sweeps(machine, call_shape::tall, grid, w, 6, 4), base::input_error); // 4 does not divide 6
    EXPECT_THROW(stencil_sweeps(machine, call_shape::tall, grid, w, 6, 0), base::input_error);
    EXPECT_THROW(stencil_sweeps(machine, call_shape::tall, grid, whole(8), 6, 3), base::input_error);
    EXPECT_THROW(stencil_sweeps(three, call_shape::tall, grid, w, 6, 3), base::input_error);
    EXPECT_THROW(stencil_sweeps(real, call_shape::tall, grid, w, 6, 3), base::input_error);
    // Sums of 9^6 2^30 do not come back exactly.
    EXPECT_THROW(stencil_sweeps(machine, call_shape::tall, whole(36, std::int64_t{1} << 30), w, 6, 6),
                 base::input_error);
}

TEST(stencil, refuses_no_sum_that_comes_back_exactly)
{
    // 9^3 x 2^34 x 16 is below 2^48, twice that is not.
    checked_machine machine(4, element_type::c128);
    std::mt19937_64 source(3);
    const std::int64_t large = std::int64_t{1} << 34;
    const whole grid = random_whole(source, 36, -large, large), w(9, 1);
    EXPECT_EQ(std::get<whole>(stencil_sweeps(machine, call_shape::tall, grid, w, 6, 3).values),
              swept(grid, w, 6, 3, false));
    EXPECT_THROW(stencil_sweeps(machine, call_shape::tall, whole(36, 2 * large), w, 6, 3), base::input_error);
}

} // namespace
} // namespace tensorloom::test
