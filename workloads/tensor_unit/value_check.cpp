#include <tensorloom/workloads/tensor_unit/value_check.h>
#include <algorithm>
#include <cmath>
#include <complex>
#include <limits>
#include <stdexcept>
#include <type_traits>
#include <tensorloom/workloads/result_check.h>
#include <tensorloom/workloads/tensor_unit/closed_forms.h>
#include <tensorloom/workloads/tensor_unit/recursive_product.h>

namespace tensorloom::workloads {
namespace {

using inputs_list = std::vector<tensor_unit_input>;
using moduli_list = std::vector<double>;
using real_matrix = std::vector<long double>; // row by row

constexpr double own_rounding = 1.01;

template <class T> auto widened_value(const T& value)
{
    if constexpr (std::is_arithmetic_v<T>) {
        return static_cast<long double>(value);
    } else {
        return std::complex<long double>(value.real(), value.imag());
    }
}

moduli_list moduli_of(const tensor_unit_values& values)
{
    return std::visit(
        [](const auto& numbers) {
            moduli_list moduli;
            for (const auto& x : numbers) { moduli.push_back(static_cast<double>(std::abs(widened_value(x)))); }
            return moduli;
        },
        values);
}

real_matrix real_values(const tensor_unit_values& values)
{
    return std::visit(
        [](const auto& numbers) {
            real_matrix reals;
            for (const auto& x : numbers) { reals.push_back(std::real(widened_value(x))); }
            return reals;
        },
        values);
}

double sum_of(const moduli_list& moduli)
{
    double sum = 0;
    for (const double x : moduli) { sum += x; }
    return sum;
}

// What the bounds of an algorithm's results are made of.
struct bounded_run {
    const tensor_unit_problem& problem;
    const inputs_list& inputs;
    std::uint64_t side;
    bool is_complex;
    std::size_t elements;
    base::element_type word;

    bool is_single() const { return word == base::element_type::f32; }
    // The smallest numbers above 0 of the sums' format: all, and those with all digits.
    double smallest() const
    {
        return is_single() ? static_cast<double>(std::numeric_limits<float>::denorm_min())
                           : std::numeric_limits<double>::denorm_min();
    }
    double smallest_normal() const
    {
        return is_single() ? static_cast<double>(std::numeric_limits<float>::min())
                           : std::numeric_limits<double>::min();
    }

    // Relative error of this many real roundings one after the other.
    double growth(double roundings) const
    {
        const double times = is_complex ? 2 : 1, larger = is_complex ? std::sqrt(2.0) : 1;
        return own_rounding * larger * rounding_growth(times * roundings, is_single() ? f32_unit : f64_unit);
    }
    moduli_list everywhere(double bound) const { return moduli_list(elements, bound); }
};

// ---- products ----

moduli_list bound_of_product(const bounded_run& r)
{
    const auto a = moduli_of(r.inputs.at(0).values), b = moduli_of(r.inputs.at(1).values);
    const std::uint64_t rows = r.inputs[0].shape.at(0), inner = r.inputs[0].shape.at(1);
    const std::uint64_t columns = r.inputs[1].shape.at(1);
    const double roundings = static_cast<double>(inner) + 2;
    const double growth = r.growth(roundings);
    moduli_list c(rows * columns, 2 * roundings * r.smallest());
    for (std::uint64_t i = 0; i < rows; ++i) {
        for (std::uint64_t k = 0; k < inner; ++k) {
            const double factor = growth * a[i * inner + k]; // so that no bound overflows before its result
            for (std::uint64_t j = 0; j < columns; ++j) { c[i * columns + j] += factor * b[k * columns + j]; }
        }
    }
    return c;
}

double rounded_terms(const product_scheme::terms& sum) { return static_cast<double>(sum.size()) - 1; }

// E of a product of n x n: error <= E u max|A| max|B|.
double recursive_roundings(const product_scheme& scheme, std::uint64_t n, std::uint64_t leaf)
{
    const auto rows = static_cast<double>(n);
    if (n <= leaf) { return rows * (rows + 2); }
    const std::uint64_t part = n / scheme.parts;
    const double of_part = recursive_roundings(scheme, part, leaf);
    double most = 0;
    for (const auto& result : scheme.results) {
        double sum = 0;
        for (const auto& term : result) {
            const auto& [left, right] = scheme.products[term.index];
            const double size = static_cast<double>(left.size() * right.size()); // in max|A| max|B|
            const double sums = rounded_terms(left) + rounded_terms(right) + rounded_terms(result);
            sum += size * (of_part + static_cast<double>(part) * sums);
        }
        most = std::max(most, sum);
    }
    return most;
}

template <const product_scheme& (*scheme)()> moduli_list bound_of_recursion(const bounded_run& r)
{
    const auto a = moduli_of(r.inputs.at(0).values), b = moduli_of(r.inputs.at(1).values);
    const double left = *std::max_element(a.begin(), a.end()), right = *std::max_element(b.begin(), b.end());
    const double roundings = recursive_roundings(scheme(), r.problem.size, std::max(r.problem.cutoff, r.side)) + 1;
    return r.everywhere(r.growth(roundings) * left * right + roundings * r.smallest());
}

// ---- transforms ----

// Of a transform on the tensor unit: per level a product with q x q factors, rounded themselves, and twiddle factors.
double level_roundings(std::uint64_t points, std::uint64_t side)
{
    return static_cast<double>(fourier_levels(points, side)) * (static_cast<double>(side) + 4);
}
// Factors are powers of a step, one product per row.
double roundings_by_definition(std::uint64_t points, std::uint64_t) { return 4 * static_cast<double>(points) + 2; }
// A sum, a rounded factor and a product.
double radix_2_roundings(std::uint64_t points, std::uint64_t) { return 4 * std::log2(static_cast<double>(points)) + 1; }

constexpr double roundings_of_scale = 3; // 1 / N and its product; the reference

template <double (*roundings)(std::uint64_t, std::uint64_t)> moduli_list bound_of_transform(const bounded_run& r)
{
    const double sum = sum_of(moduli_of(r.inputs.at(0).values));
    return r.everywhere(r.growth(roundings(r.problem.size, r.side) + roundings_of_scale) * sum +
                        static_cast<double>(r.problem.size) * r.smallest());
}

template <double (*roundings)(std::uint64_t, std::uint64_t)> moduli_list bound_of_inverse(const bounded_run& r)
{
    auto bound = bound_of_transform<roundings>(r);
    for (double& x : bound) { x = x / static_cast<double>(r.problem.size) + r.smallest(); }
    return bound;
}

// ---- stencil ----

// Roundings of a cyclic convolution of f x f: transforms along both sides, forward and back, and a product.
double convolution_roundings(std::uint64_t f, std::uint64_t side) { return 3 * 2 * level_roundings(f, side) + 8; }

// Of a coefficient of the weights of `sweeps` sweeps, by squaring; in units of the sum of their moduli.
double power_roundings(std::uint64_t sweeps, std::uint64_t side)
{
    if (sweeps == 1) { return 0; }
    const std::uint64_t half = sweeps / 2;
    const double even = 2 * power_roundings(half, side) + convolution_roundings(transform_side(4 * half + 1), side);
    return sweeps % 2 == 0 ? even : even + convolution_roundings(transform_side(2 * sweeps + 1), side);
}

// Sum of |x| within `reach` rows and columns of the block of `size` rows from (row, column).
double surroundings(const moduli_list& x, std::uint64_t n, std::uint64_t row, std::uint64_t column, std::uint64_t size)
{
    const auto first = [size](std::uint64_t at) { return at < size ? 0 : at - size; };
    double sum = 0;
    for (std::uint64_t i = first(row); i < std::min(n, row + 2 * size); ++i) {
        for (std::uint64_t j = first(column); j < std::min(n, column + 2 * size); ++j) { sum += x[i * n + j]; }
    }
    return sum;
}

moduli_list bound_of_stencil(const bounded_run& r)
{
    const std::uint64_t n = r.problem.size, k = r.problem.sweeps;
    const auto x = moduli_of(r.inputs.at(0).values);
    const double weights = std::pow(sum_of(moduli_of(r.inputs.at(1).values)), static_cast<double>(k));
    const double roundings = convolution_roundings(transform_side(3 * k), r.side) + power_roundings(k, r.side);
    bounded_run transforms = r;
    transforms.is_complex = true; // of real numbers, too
    const double growth = transforms.growth(roundings) * weights;
    moduli_list bound(n * n);
    for (std::uint64_t i = 0; i < n; i += k) {
        for (std::uint64_t j = 0; j < n; j += k) {
            const double of_block = growth * surroundings(x, n, i, j, k) + r.smallest_normal();
            for (std::uint64_t at = 0; at < k * k; ++at) { bound[(i + at / k) * n + j + at % k] = of_block; }
        }
    }
    return bound;
}

moduli_list bound_of_sweeps(const bounded_run& r)
{
    inputs_list moduli = r.inputs;
    for (auto& input : moduli) { input.values = moduli_of(input.values); }
    auto bound = std::get<moduli_list>(find_tensor_unit_algorithm("stencil_scalar").reference(r.problem, moduli));
    const double roundings = 10 * static_cast<double>(r.problem.sweeps) + 1, growth = r.growth(roundings);
    for (double& x : bound) { x = growth * x + roundings * r.smallest_normal(); }
    return bound;
}

// ---- polynomials ----

// Powers up to the q-th, each a product; sums of q terms; Horner's rule over columns, whose factor is rounded q times.
double column_roundings(std::uint64_t coefficients, std::uint64_t side)
{
    const std::uint64_t columns = (coefficients + side - 1) / side;
    return static_cast<double>(2 * side + columns * (side + 1));
}
double horner_roundings(std::uint64_t coefficients, std::uint64_t) { return 2 * static_cast<double>(coefficients); }

template <double (*roundings)(std::uint64_t, std::uint64_t)> moduli_list bound_of_polynomial(const bounded_run& r)
{
    const auto a = moduli_of(r.inputs.at(0).values);
    const double count = roundings(a.size(), r.side), growth = r.growth(count);
    moduli_list bound;
    for (const double x : moduli_of(r.inputs.at(1).values)) {
        double sum = 0, underflow = 1; // what is lost below the smallest number, in a coefficient's power or a sum
        for (auto c = a.rbegin(); c != a.rend(); ++c) {
            sum = sum * x + *c;
            underflow = underflow * x + *c + 1;
        }
        bound.push_back(growth * sum + count * underflow * r.smallest());
    }
    return bound;
}

// ---- which bound an algorithm has ----

struct bound_row {
    std::string_view algorithm;
    moduli_list (*bound)(const bounded_run&);
    const char* text;
};

constexpr const char* of_product = "gamma sum |a| |b|";
constexpr const char* of_recursion = "E u max|A| max|B|";
constexpr const char* of_transform = "gamma sum |x|";
constexpr const char* of_stencil = "gamma (sum |w|)^k sum |x|";
constexpr const char* of_polynomial = "gamma sum |a| |x|^i";
constexpr bound_row bounds[] = {
    {"dense", bound_of_product, of_product},
    {"rect", bound_of_product, of_product},
    {"dense_scalar", bound_of_product, of_product},
    {"rect_scalar", bound_of_product, of_product},
    {"strassen", bound_of_recursion<strassen_scheme>, of_recursion},
    {"recursive8", bound_of_recursion<eightfold_scheme>, of_recursion},
    {"laderman", bound_of_recursion<laderman_scheme>, of_recursion},
    {"dft", bound_of_transform<level_roundings>, of_transform},
    {"dft_scalar", bound_of_transform<roundings_by_definition>, of_transform},
    {"dft_radix2", bound_of_transform<radix_2_roundings>, of_transform},
    {"dft_inverse", bound_of_inverse<level_roundings>, of_transform},
    {"dft_inverse_scalar", bound_of_inverse<roundings_by_definition>, of_transform},
    {"dft_inverse_radix2", bound_of_inverse<radix_2_roundings>, of_transform},
    {"stencil", bound_of_stencil, of_stencil},
    {"stencil_scalar", bound_of_sweeps, of_stencil},
    {"stencil_sparse", bound_of_sweeps, of_stencil},
    {"polynomial", bound_of_polynomial<column_roundings>, of_polynomial},
    {"polynomial_scalar", bound_of_polynomial<horner_roundings>, of_polynomial},
};

// ---- residuals ----

struct residuals {
    std::vector<long double> error, bound; // per element of the result
    std::optional<double> backward_error;
};

// Rows of L follow from U: l U = a. Their error is that of the elimination in the columns left of the diagonal, times
// the inverse of the leading block of U: as this block times the rest of U, it is what a column of U becomes of the
// columns left of it (`combined`).
residuals elimination_residuals(const bounded_run& r, const tensor_unit_values& found)
{
    const std::uint64_t n = r.problem.size;
    const real_matrix a = real_values(r.inputs.at(0).values), u = real_values(found);
    const double growth = r.growth(static_cast<double>(n) + 4);
    residuals result{real_matrix(n * n), real_matrix(n * n), {}};
    real_matrix combined(n * n);
    for (std::uint64_t i = 0; i < n; ++i) {
        real_matrix row(a.begin() + static_cast<std::ptrdiff_t>(i * n),
                        a.begin() + static_cast<std::ptrdiff_t>((i + 1) * n)),
            moduli(n);
        for (std::uint64_t k = 0; k < i; ++k) {
            const long double l = row[k] / u[k * n + k];
            for (std::uint64_t j = k; j < n; ++j) {
                row[j] -= l * u[k * n + j];
                moduli[j] += std::abs(l * u[k * n + j]);
            }
        }
        for (std::uint64_t j = 0; j < i; ++j) { result.error[i * n + j] = std::abs(u[i * n + j]); } // 0
        for (std::uint64_t j = i; j < n; ++j) {
            long double bound = moduli[j] + std::abs(u[i * n + j]);
            for (std::uint64_t k = 0; k < i; ++k) { bound += moduli[k] * std::abs(combined[k * n + j]); }
            result.error[i * n + j] = std::abs(row[j] - u[i * n + j]);
            result.bound[i * n + j] = growth * bound;
        }
        if (i + 1 == n) { break; }
        for (std::uint64_t k = 0; k <= i; ++k) { // column i of the inverse, times row i of U
            const long double inverse = (k == i ? 1 : -combined[k * n + i]) / u[i * n + i];
            for (std::uint64_t j = i + 1; j < n; ++j) { combined[k * n + j] += inverse * u[i * n + j]; }
        }
    }
    return result;
}

residuals solution_residuals(const bounded_run& r, const tensor_unit_values& found)
{
    const std::uint64_t n = r.problem.size;
    const real_matrix a = real_values(r.inputs.at(0).values), b = real_values(r.inputs.at(1).values);
    const real_matrix x = real_values(found);
    real_matrix lu = a;
    for (std::uint64_t k = 0; k < n; ++k) {
        for (std::uint64_t i = k + 1; i < n; ++i) {
            const long double l = lu[i * n + k] /= lu[k * n + k];
            for (std::uint64_t j = k + 1; j < n; ++j) { lu[i * n + j] -= l * lu[k * n + j]; }
        }
    }
    real_matrix of_u(n); // |U| |x|
    for (std::uint64_t k = 0; k < n; ++k) {
        for (std::uint64_t j = k; j < n; ++j) { of_u[k] += std::abs(lu[k * n + j] * x[j]); }
    }
    const double growth = r.growth(3 * (static_cast<double>(n + r.side) + 4));
    residuals result{real_matrix(n), real_matrix(n), 0.0};
    for (std::uint64_t i = 0; i < n; ++i) {
        long double residual = b[i], moduli = std::abs(b[i]), factors = of_u[i] + std::abs(b[i]);
        for (std::uint64_t j = 0; j < n; ++j) {
            residual -= a[i * n + j] * x[j];
            moduli += std::abs(a[i * n + j] * x[j]);
        }
        for (std::uint64_t k = 0; k < i; ++k) { factors += std::abs(lu[i * n + k]) * of_u[k]; }
        result.error[i] = std::abs(residual);
        result.bound[i] = growth * factors + static_cast<long double>(n) * r.smallest();
        const long double backward = residual == 0 ? 0 : std::abs(residual) / moduli;
        result.backward_error = std::max(*result.backward_error, static_cast<double>(backward));
    }
    return result;
}

struct residual_row {
    std::string_view algorithm;
    residuals (*of)(const bounded_run&, const tensor_unit_values&);
    const char* text;
};

constexpr const char* of_elimination = "residual of L U = A, gamma |L| |U|";
constexpr const char* of_solution = "residual of A x = b, gamma |L| |U| |x|";
constexpr residual_row backward[] = {
    {"ge_forward", elimination_residuals, of_elimination},
    {"ge_forward_scalar", elimination_residuals, of_elimination},
    {"solve", solution_residuals, of_solution},
    {"solve_scalar", solution_residuals, of_solution},
};

// Counts of paths and edges in f64 are whole numbers, which f64 holds.
bool is_exact(const tensor_unit_algorithm& algorithm, const tensor_unit_values& found,
              const tensor_unit_values& expected)
{
    const bool graphs = algorithm.formats.front() == base::element_type::int64 &&
                        std::holds_alternative<std::vector<std::int64_t>>(expected) &&
                        row_of(bounds, algorithm.name) == nullptr;
    return graphs || (std::holds_alternative<std::vector<std::int64_t>>(found) &&
                      std::holds_alternative<std::vector<std::int64_t>>(expected));
}

bool is_finite_input(const tensor_unit_input& input)
{
    return std::visit(
        [](const auto& numbers) {
            return std::all_of(numbers.begin(), numbers.end(), [](const auto& x) { return is_finite_number(x); });
        },
        input.values);
}

template <class Bound>
result_errors compared(const tensor_unit_values& found, const tensor_unit_values& expected, bool finite_data,
                       const result_errors& none, const Bound& bound)
{
    result_errors errors = none;
    std::visit(
        [&](const auto& a, const auto& b) {
            for (std::size_t i = 0; i < std::min(a.size(), b.size()); ++i) {
                const auto wide = widened_value(b[i]);
                if (finite_data && !is_finite_number(wide)) { // finite numbers that overflow
                    errors.add_error(HUGE_VAL, 0);
                } else {
                    errors.add(widened_value(a[i]), wide, bound(i));
                }
            }
        },
        found, expected);
    return errors;
}

} // namespace

tensor_unit_check check_values(const tensor_unit_algorithm& algorithm, const tensor_unit_problem& problem,
                               const std::vector<tensor_unit_input>& inputs, const tensor_unit_values& found,
                               std::uint64_t side, base::element_type word)
{
    const auto expected = algorithm.reference(problem, inputs);
    const bool is_complex = std::holds_alternative<std::vector<std::complex<double>>>(found);
    const bounded_run run{problem, inputs, side, is_complex, count_of(expected), word};
    const bool finite_data = std::all_of(inputs.begin(), inputs.end(), is_finite_input);
    const bool same_size = count_of(found) == count_of(expected);
    tensor_unit_check check;
    const result_errors none(run.smallest_normal());
    result_errors errors = none, deciding = none;
    if (is_exact(algorithm, found, expected)) {
        check.bounded = "equal";
        deciding = errors = compared(found, expected, finite_data, none, [](std::size_t) { return 0.0L; });
    } else if (const auto* residual = row_of(backward, algorithm.name)) {
        check.bounded = residual->text;
        errors = compared(found, expected, finite_data, none, [](std::size_t) { return 0.0L; });
        if (same_size) {
            const auto measured = residual->of(run, found);
            for (std::size_t i = 0; i < measured.error.size(); ++i) {
                deciding.add_error(measured.error[i], measured.bound[i]);
            }
            check.backward_error = measured.backward_error;
        }
    } else if (const auto* row = row_of(bounds, algorithm.name)) {
        check.bounded = row->text;
        const auto bound = row->bound(run);
        deciding = errors =
            compared(found, expected, finite_data, none, [&](std::size_t i) -> long double { return bound[i]; });
    } else {
        throw std::logic_error("no error bound for the algorithm " + std::string(algorithm.name) +
                               ", expected a row in value_check.cpp");
    }
    check.first_wrong = deciding.first_wrong();
    if (!same_size && !check.first_wrong) { check.first_wrong = std::min(count_of(found), count_of(expected)); }
    check.passed = !check.first_wrong;
    check.max_abs_error = errors.max_abs_error();
    check.max_rel_error = errors.max_rel_error();
    check.worst_of_bound = deciding.worst_of_bound();
    check.bound = deciding.bound();
    return check;
}

} // namespace tensorloom::workloads
