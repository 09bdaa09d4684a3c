#include <tensorloom/workloads/tensor_unit/value_check.h>
#include <cmath>
#include <complex>
#include <cstdint>
#include <limits>
#include <random>
#include <string>
#include <vector>
#include <gtest/gtest.h>
#include "workloads/tensor_unit/checked_machine.h"
#include "workloads/tensor_unit/random_values.h"

namespace tensorloom::test {
namespace {

using base::element_type;
using namespace workloads;
using real_numbers = std::vector<double>;
using complex_list = std::vector<std::complex<double>>;

struct checked_run {
    const tensor_unit_algorithm* algorithm = nullptr;
    tensor_unit_problem problem;
    std::vector<tensor_unit_input> inputs;
    element_type format = element_type::f64;
    tensor_unit_values values;

    static constexpr std::uint32_t side = 4;

    void compute()
    {
        if (unit() == 0x1p-24) {
            for (auto& input : inputs) {
                if (auto* reals = std::get_if<real_numbers>(&input.values)) {
                    for (double& x : *reals) { x = static_cast<float>(x); }
                }
            }
        }
        checked_machine machine(side, format, 16u << 20);
        values = algorithm->run(machine, problem, inputs).values;
    }
    tensor_unit_check check() const
    {
        return check_values(*algorithm, problem, inputs, values, side, base::accumulator_type(format));
    }
    double unit() const { return base::accumulator_type(format) == element_type::f32 ? 0x1p-24 : 0x1p-53; }
    double modulus_of(std::size_t i) const
    {
        return std::visit(
            [&](const auto& v) { return std::abs(std::complex<double>(std::real(v[i]), std::imag(v[i]))); }, values);
    }
    void add(std::size_t element, double amount)
    {
        std::visit([&](auto& v) { v[element] += static_cast<std::decay_t<decltype(v[0])>>(amount); }, values);
    }
};

// Random numbers in place of the whole ones of the docs. Elimination gets a heavy diagonal.
checked_run random_run(const std::string& name, std::uint64_t size, element_type format)
{
    checked_run r;
    r.algorithm = &find_tensor_unit_algorithm(name);
    r.format = format;
    r.problem.size = size;
    if (r.algorithm->uses(tensor_unit_option::cutoff)) { r.problem.cutoff = 4; }
    r.problem = completed_problem(*r.algorithm, r.problem, checked_run::side);
    r.inputs = r.algorithm->inputs(r.problem);
    std::mt19937_64 source(size);
    for (auto& input : r.inputs) {
        const std::size_t n = count_of(input.values);
        const auto re = random_real(source, n), im = random_real(source, n);
        if (format == element_type::c128 && name.find("stencil") == std::string::npos) {
            complex_list numbers;
            for (std::size_t i = 0; i < n; ++i) { numbers.emplace_back(re[i], im[i]); }
            input.values = numbers;
        } else {
            input.values = re;
        }
    }
    if (name.find("ge_forward") == 0 || name.find("solve") == 0) {
        auto& a = std::get<real_numbers>(r.inputs[0].values);
        for (std::size_t i = 0; i < size; ++i) { a[i * size + i] += static_cast<double>(size); }
        if (name.find("ge_forward") == 0) { std::fill(a.end() - static_cast<std::ptrdiff_t>(size), a.end(), 0.0); }
    }
    r.compute();
    return r;
}

struct named_run {
    const char* algorithm;
    std::uint64_t size;
    element_type format;
};
constexpr named_run real_runs[] = {{"dense", 37, element_type::f64},
                                   {"dense", 37, element_type::f32},
                                   {"strassen", 32, element_type::f32},
                                   {"stencil_scalar", 12, element_type::f32},
                                   {"dense", 37, element_type::c128},
                                   {"rect", 23, element_type::f64},
                                   {"dense_scalar", 37, element_type::f64},
                                   {"rect_scalar", 23, element_type::c128},
                                   {"strassen", 32, element_type::f64},
                                   {"recursive8", 32, element_type::f64},
                                   {"laderman", 36, element_type::f64},
                                   {"laderman", 36, element_type::c128},
                                   {"dft", 256, element_type::c128},
                                   {"dft", 32, element_type::c128},
                                   {"dft_inverse", 64, element_type::c128},
                                   {"dft_scalar", 60, element_type::c128},
                                   {"dft_inverse_scalar", 60, element_type::c128},
                                   {"dft_radix2", 128, element_type::c128},
                                   {"dft_inverse_radix2", 128, element_type::c128},
                                   {"stencil", 12, element_type::c128},
                                   {"stencil_scalar", 12, element_type::f64},
                                   {"stencil_scalar", 12, element_type::c128}};

TEST(tensor_unit_bounds, hold_for_random_numbers_and_are_near_what_goes_wrong)
{
    for (const auto& [name, size, format] : real_runs) {
        auto r = random_run(name, size, format);
        const auto check = r.check();
        EXPECT_TRUE(check.passed) << name;
        EXPECT_GT(check.max_abs_error, 0) << name;
        EXPECT_LT(check.max_rel_error, 100 * r.unit()) << name;
        EXPECT_LT(check.worst_of_bound, 1) << name;
        // The weights of a stencil cancel; their moduli do not.
        const bool cancels = std::string(name) == "stencil";
        EXPECT_GT(check.worst_of_bound, cancels ? 1e-7 : 1e-4) << name;
        EXPECT_FALSE(check.backward_error) << name;
        r.add(3, (cancels ? 1e10 : 1e6) * r.unit() * r.modulus_of(3)); // in f64 once within a tolerance of 1e-9
        EXPECT_FALSE(r.check().passed) << name;
        EXPECT_EQ(r.check().first_wrong.value_or(0), 3u) << name;
    }
}

TEST(tensor_unit_bounds, of_a_product_are_gamma_times_the_sum_of_moduli)
{
    auto r = random_run("dense", 5, element_type::f64);
    const auto& a = std::get<real_numbers>(r.inputs[0].values);
    const auto& b = std::get<real_numbers>(r.inputs[1].values);
    double moduli = 0, sum = 0;
    for (std::size_t k = 0; k < 5; ++k) {
        moduli += std::abs(a[k] * b[5 * k]);
        sum += a[k] * b[5 * k];
    }
    const double bound = 1.01 * 7 * 0x1p-53 / (1 - 7 * 0x1p-53) * moduli;
    auto& values = std::get<real_numbers>(r.values);
    values[0] = sum + 20 * bound; // the worst element
    EXPECT_NEAR(r.check().bound, bound, 1e-9 * bound);
    EXPECT_NEAR(r.check().worst_of_bound, 20, 1);
}

TEST(tensor_unit_residuals, are_small_for_right_results_and_large_for_others)
{
    for (const char* name : {"ge_forward", "ge_forward_scalar", "solve", "solve_scalar"}) {
        for (const auto format : {element_type::f64, element_type::f32}) {
            auto r = random_run(name, 16, format);
            const auto check = r.check();
            EXPECT_TRUE(check.passed) << name;
            EXPECT_GT(check.worst_of_bound, 1e-4) << name;
            EXPECT_LT(check.worst_of_bound, 1) << name;
            EXPECT_EQ(check.backward_error.has_value(), std::string(name).find("solve") == 0);
            r.add(5, 1e5 * r.unit() * r.modulus_of(5));
            EXPECT_FALSE(r.check().passed) << name;
        }
    }
    auto r = random_run("ge_forward", 8, element_type::f64);
    r.add(8, 1e-300); // below the diagonal
    EXPECT_EQ(r.check().first_wrong.value_or(0), 8u);
}

// A = H D H, H = I - 2 v v^T, D from 1 down to 1e-10. Its condition is 1e10, so that right solutions are off by 1e-9 to
// 1e-6; they solve equations that are off by less than a rounding.
TEST(tensor_unit_residuals, of_a_right_solution_do_not_depend_on_the_condition)
{
    constexpr std::size_t n = 40;
    std::mt19937_64 source(7);
    auto v = random_real(source, n);
    double norm = 0;
    for (const double x : v) { norm += x * x; }
    for (double& x : v) { x /= std::sqrt(norm); }
    const auto reflected = [&v](std::size_t i, std::size_t j) { return (i == j ? 1 : 0) - 2 * v[i] * v[j]; };
    real_numbers a(n * n);
    for (std::size_t i = 0; i < n; ++i) {
        for (std::size_t j = 0; j < n; ++j) {
            for (std::size_t k = 0; k < n; ++k) {
                a[i * n + j] +=
                    reflected(i, k) * std::pow(10.0, -10.0 * static_cast<double>(k) / (n - 1)) * reflected(k, j);
            }
        }
    }
    for (const char* name : {"solve", "solve_scalar"}) {
        auto r = random_run(name, n, element_type::f64);
        r.inputs[0].values = a;
        r.compute();
        const auto check = r.check();
        EXPECT_TRUE(check.passed) << name;
        EXPECT_GT(check.max_rel_error, 1e-9) << name;
        EXPECT_LT(*check.backward_error, 1e-15) << name;
        for (std::size_t i = 0; i < n; ++i) { r.add(i, 1e-9 * r.modulus_of(i) * (i % 2 == 0 ? 1 : -1)); }
        EXPECT_FALSE(r.check().passed) << name; // no nearer to the reference, but of other equations
    }
}

TEST(tensor_unit_bounds, are_0_for_whole_numbers_and_graphs)
{
    for (const auto& a : tensor_unit_algorithms()) {
        if (a.formats.front() != element_type::int64) { continue; }
        checked_run r;
        r.algorithm = &a;
        r.problem.size = a.name == "laderman" ? 12 : 16;
        if (a.uses(tensor_unit_option::cutoff)) { r.problem.cutoff = 4; }
        r.problem = completed_problem(a, r.problem, checked_run::side);
        r.inputs = a.inputs(r.problem);
        for (const auto format : a.formats) {
            const bool graph = a.name.find("tclosure") == 0 || a.name.find("apsd") == 0;
            if (!base::is_integer(format) && !graph) { continue; }
            r.format = format;
            r.compute();
            EXPECT_TRUE(r.check().passed) << a.name;
            EXPECT_EQ(r.check().bounded, "equal") << a.name;
            EXPECT_EQ(r.check().bound, 0) << a.name;
            r.add(1, 1);
            EXPECT_FALSE(r.check().passed) << a.name;
        }
    }
}

TEST(tensor_unit_bounds, exist_for_every_algorithm_and_format)
{
    for (const auto& a : tensor_unit_algorithms()) {
        checked_run r;
        r.algorithm = &a;
        r.problem.size = a.name == "laderman" ? 12 : 16;
        if (a.uses(tensor_unit_option::cutoff)) { r.problem.cutoff = 4; }
        r.problem = completed_problem(a, r.problem, checked_run::side);
        r.inputs = a.inputs(r.problem);
        for (const auto format : a.formats) {
            r.format = format;
            r.compute();
            EXPECT_TRUE(r.check().passed) << a.name;
        }
    }
}

TEST(tensor_unit_check_of_values, takes_no_infinity_from_finite_numbers)
{
    auto r = random_run("dense", 4, element_type::f64);
    for (auto& input : r.inputs) { input.values = real_numbers(16, 1e200); }
    r.compute();
    EXPECT_EQ(r.check().first_wrong.value_or(99), 0u);
    EXPECT_EQ(r.check().max_abs_error, std::numeric_limits<double>::infinity());
    EXPECT_EQ(r.check().max_rel_error, std::numeric_limits<double>::infinity());
    std::get<real_numbers>(r.inputs[0].values)[5] = std::nan("");
    std::get<real_numbers>(r.inputs[1].values).assign(16, 2.0);
    r.compute();
    EXPECT_TRUE(r.check().passed); // a row of NaN, as in the reference
    r.add(0, 1e190);
    EXPECT_FALSE(r.check().passed);
}

} // namespace
} // namespace tensorloom::test
