#include <complex>
#include <cstdint>
#include <random>
#include <utility>
#include <vector>
#include <fftw3.h>
#include <gtest/gtest.h>
#include <tensorloom/models/base/values/input_error.h>
#include <tensorloom/workloads/tensor_unit/closed_forms.h>
#include <tensorloom/workloads/tensor_unit/fourier_transform.h>
#include "workloads/tensor_unit/checked_machine.h"
#include "workloads/tensor_unit/random_values.h"

namespace tensorloom::test {
namespace {

using base::element_type;
using mmv::event;
using namespace workloads;
using complex_numbers = std::vector<std::complex<double>>;

complex_numbers random_numbers(std::mt19937_64& source, std::size_t n)
{
    const auto re = random_real(source, n), im = random_real(source, n);
    complex_numbers x;
    for (std::size_t i = 0; i < n; ++i) { x.emplace_back(re[i], im[i]); }
    return x;
}

// Rows by FFTW, which does not divide.
complex_numbers fftw_rows(complex_numbers x, std::size_t batch, std::size_t n, int sign)
{
    for (std::size_t b = 0; b < batch; ++b) {
        auto* row = reinterpret_cast<fftw_complex*>(x.data() + b * n);
        fftw_plan plan = fftw_plan_dft_1d(static_cast<int>(n), row, row, sign, FFTW_ESTIMATE);
        fftw_execute(plan);
        fftw_destroy_plan(plan);
    }
    return x;
}

double largest_error(const tensor_unit_result& r, const complex_numbers& expected)
{
    const auto& found = std::get<complex_numbers>(r.values);
    EXPECT_EQ(found.size(), expected.size());
    double error = 0;
    for (std::size_t i = 0; i < found.size(); ++i) { error = std::max(error, std::abs(found[i] - expected[i])); }
    return error;
}

struct size_case {
    std::uint32_t q;
    std::vector<std::uint64_t> sizes;
};
const size_case cases[] = {{2, {1, 2, 4, 8, 64}},
                           {3, {1, 3, 9, 27, 81}},
                           {4, {1, 2, 4, 8, 16, 32, 64, 128}},
                           {6, {1, 2, 3, 6, 12, 18, 36, 72}},
                           {16, {1, 4, 8, 16, 32, 64, 128, 256}}};

TEST(fourier_transform, is_that_of_fftw_for_every_size_and_batch)
{
    std::mt19937_64 source(1);
    for (const auto& c : cases) {
        checked_machine machine(c.q, element_type::c128, 1u << 20);
        for (const std::uint64_t n : c.sizes) {
            for (const std::uint64_t batch : {std::uint64_t{1}, std::uint64_t{3}}) {
                const auto x = random_numbers(source, batch * n);
                const auto forward = fftw_rows(x, batch, n, FFTW_FORWARD);
                auto back = fftw_rows(x, batch, n, FFTW_BACKWARD);
                for (auto& v : back) { v /= static_cast<double>(n); }
                for (const auto shape : {call_shape::tall, call_shape::square}) {
                    const auto r = fourier_transform(machine, shape, fourier_direction::forward, x, batch, n);
                    EXPECT_LT(largest_error(r, forward), 1e-12 * static_cast<double>(n)) << c.q << " " << n;
                    const auto cost = fourier_cost(batch, n, c.q, shape, fourier_direction::forward);
                    EXPECT_EQ(r.counts[event::matmul_call], cost.calls);
                    EXPECT_EQ(r.counts[event::matmul_row], cost.rows);
                    EXPECT_EQ(r.counts[event::cpu_op], cost.cpu_ops);
                }
                const auto inverse =
                    fourier_transform(machine, call_shape::tall, fourier_direction::inverse, x, batch, n);
                EXPECT_LT(largest_error(inverse, back), 1e-12);
                EXPECT_EQ(inverse.counts[event::cpu_op],
                          fourier_cost(batch, n, c.q, call_shape::tall, fourier_direction::inverse).cpu_ops);
            }
        }
    }
}

TEST(fourier_transform, by_its_definition_gives_the_same_without_calls)
{
    std::mt19937_64 source(2);
    checked_machine machine(4, element_type::c128, 1u << 20);
    for (const std::uint64_t n : {std::uint64_t{1}, std::uint64_t{5}, std::uint64_t{60}, std::uint64_t{256}}) {
        const auto x = random_numbers(source, 2 * n);
        const auto r = fourier_transform_scalar(machine, fourier_direction::forward, x, 2, n);
        EXPECT_LT(largest_error(r, fftw_rows(x, 2, n, FFTW_FORWARD)), 1e-12 * static_cast<double>(n));
        EXPECT_EQ(r.counts[event::matmul_call], 0u);
        auto back = fftw_rows(x, 2, n, FFTW_BACKWARD);
        for (auto& v : back) { v /= static_cast<double>(n); }
        const auto inverse = fourier_transform_scalar(machine, fourier_direction::inverse, x, 2, n);
        EXPECT_LT(largest_error(inverse, back), 1e-12);
    }
}

TEST(fourier_transform, by_radix_2_gives_the_same_with_few_operations)
{
    std::mt19937_64 source(3);
    checked_machine machine(4, element_type::c128, 1u << 20);
    std::uint64_t levels = 0;
    for (std::uint64_t n = 1; n <= 512; n *= 2, ++levels) {
        const auto x = random_numbers(source, n);
        const auto r = fourier_transform_radix_2(machine, fourier_direction::forward, x, n);
        EXPECT_LT(largest_error(r, fftw_rows(x, 1, n, FFTW_FORWARD)), 1e-14 * static_cast<double>(n)) << n;
        EXPECT_EQ(r.shape, (std::vector<std::uint64_t>{n}));
        EXPECT_EQ(r.counts[event::matmul_call], 0u);
        EXPECT_EQ(r.counts[event::cpu_op], levels * (n / 2 * 3)); // a sum, a difference, a product
        auto back = fftw_rows(x, 1, n, FFTW_BACKWARD);
        for (auto& v : back) { v /= static_cast<double>(n); }
        const auto inverse = fourier_transform_radix_2(machine, fourier_direction::inverse, x, n);
        EXPECT_LT(largest_error(inverse, back), 1e-14) << n;
        EXPECT_EQ(inverse.counts[event::cpu_op], radix_2_cost(n, fourier_direction::inverse).cpu_ops);
    }
    for (const std::uint64_t n : {3u, 12u}) {
        EXPECT_THROW(fourier_transform_radix_2(machine, fourier_direction::forward, complex_numbers(n), n),
                     base::input_error);
    }
}

TEST(fourier_transform, is_charged_for_every_word_that_its_programs_move)
{
    std::mt19937_64 source(4);
    for (const auto& c : cases) {
        for (const std::uint64_t n : c.sizes) {
            for (const std::uint64_t batch : {std::uint64_t{1}, std::uint64_t{3}}) {
                const auto x = random_numbers(source, batch * n);
                const auto run = [&](checked_machine& machine, charge_table charges) {
                    const tensor_unit_terms terms{call_shape::tall, charges};
                    const auto r = fourier_transform(machine, terms, fourier_direction::forward, x, batch, n);
                    EXPECT_EQ(r.counts[event::cpu_op],
                              fourier_cost(batch, n, c.q, terms, fourier_direction::forward).cpu_ops);
                    return r.counts[event::cpu_op];
                };
                checked_machine charged(c.q, element_type::c128, 1u << 20), free(c.q, element_type::c128, 1u << 20);
                std::uint64_t products = 0; // with twiddle factors, stored where the next level needs them
                for (std::uint64_t left = n; left > c.q; left /= c.q) { products += batch * n; }
                EXPECT_EQ(run(free, charge_table::moves_free), products) << c.q << " " << n;
                const std::uint64_t with_moves = run(charged, charge_table::moves_charged);
                EXPECT_EQ(with_moves, products + products + charged.moved());
                EXPECT_EQ(charged.moved(), n > c.q ? 2 * batch * n : 0); // into the first rows, and into order
            }
        }
    }
}

TEST(fourier_transform, is_compared_with_radix_2_at_the_same_charges)
{
    // 6 levels of calls, 4096 numbers each; 5 products and, by v1, 10 moves of each number, in fact 7. 12 levels of 3
    // operations per pair.
    struct expected {
        charge_table charges;
        std::uint64_t unit, radix_2;
    };
    const expected all[] = {{charge_table::v1, 86016, 73728},
                            {charge_table::moves_free, 45056, 73728},
                            {charge_table::moves_charged, 73728, 77824}};
    for (const auto& e : all) {
        const auto forward = fourier_direction::forward;
        EXPECT_EQ(fourier_cost(1, 4096, 4, {call_shape::tall, e.charges}, forward).time(4, 0), e.unit);
        EXPECT_EQ(radix_2_cost(4096, forward, e.charges).cpu_ops, e.radix_2);
    }
}

TEST(fourier_transform, of_one_impulse_has_exact_zeros_and_ones)
{
    checked_machine machine(4, element_type::c128, 1u << 20);
    complex_numbers x(16);
    x[4] = 1;
    const auto r = fourier_transform(machine, call_shape::tall, fourier_direction::forward, x, 1, 16);
    const complex_numbers turns{1.0, {0, -1}, -1.0, {0, 1}};
    for (std::size_t k = 0; k < 16; ++k) { EXPECT_EQ(std::get<complex_numbers>(r.values)[k], turns[k % 4]) << k; }
}

TEST(fourier_transform, refuses_sizes_that_are_no_power_times_a_divisor)
{
    checked_machine machine(4, element_type::c128, 1u << 20), real(4, element_type::f64, 1u << 20);
    for (const std::uint64_t n : {std::uint64_t{3}, std::uint64_t{6}, std::uint64_t{12}, std::uint64_t{20}}) {
        EXPECT_THROW(fourier_transform(machine, call_shape::tall, fourier_direction::forward, complex_numbers(n), 1, n),
                     base::input_error)
            << n;
    }
    EXPECT_THROW(fourier_transform(real, call_shape::tall, fourier_direction::forward, complex_numbers(4), 1, 4),
                 base::input_error);
    EXPECT_THROW(fourier_transform(machine, call_shape::tall, fourier_direction::forward, complex_numbers(5), 1, 4),
                 base::input_error);
}

} // namespace
} // namespace tensorloom::test
