#include <tensorloom/models/arch/input_error.h>
#include <tensorloom/workloads/gemt_reference.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>

namespace tensorloom::workloads {

namespace {

template <class T> struct part_type {
    using type = T;
};
template <class R> struct part_type<std::complex<R>> {
    using type = R;
};

template <class T> long double modulus(const T& value)
{
    return std::hypot(static_cast<long double>(std::real(value)), static_cast<long double>(std::imag(value)));
}
long double modulus(double value) { return std::fabs(static_cast<long double>(value)); }
long double modulus(float value) { return std::fabs(static_cast<long double>(value)); }

// A block of rows, y[:] += c[0] x[0][:] + c[1] x[1][:] + ...: one pass over y, which long double makes expensive, for
// several rows.
constexpr std::size_t rows_at_once = 4;

void add_rows(long double* y, const long double* const* x, const long double* c, std::size_t rows, std::size_t size)
{
    if (rows == rows_at_once) {
        const long double *x0 = x[0], *x1 = x[1], *x2 = x[2], *x3 = x[3];
        const long double c0 = c[0], c1 = c[1], c2 = c[2], c3 = c[3];
        for (std::size_t i = 0; i < size; ++i) { y[i] += (c0 * x0[i] + c1 * x1[i]) + (c2 * x2[i] + c3 * x3[i]); }
        return;
    }
    for (std::size_t n = 0; n < rows; ++n) {
        for (std::size_t i = 0; i < size; ++i) { y[i] += c[n] * x[n][i]; }
    }
}

// Written out: the operator of std::complex repairs infinities, which costs much and models nothing.
void add_rows(std::complex<long double>* y, const std::complex<long double>* const* x,
              const std::complex<long double>* c, std::size_t rows, std::size_t size)
{
    for (std::size_t n = 0; n < rows; ++n) {
        const long double c_re = c[n].real(), c_im = c[n].imag();
        for (std::size_t i = 0; i < size; ++i) {
            const long double x_re = x[n][i].real(), x_im = x[n][i].imag();
            y[i] = {y[i].real() + (x_re * c_re - x_im * c_im), y[i].imag() + (x_re * c_im + x_im * c_re)};
        }
    }
}

// y[o, k, i] += sum over n of x[o, n, i] c[n, k]. The rows that are added run along i; along k when mode 3 is summed
// (inner = 1).
template <class W>
void sum_over(const std::vector<W>& x, const std::vector<W>& c, std::vector<W>& y, std::size_t outer,
              std::size_t n_size, std::size_t k_size, std::size_t inner)
{
    const W* rows[rows_at_once];
    W factors[rows_at_once];
    for (std::size_t o = 0; o < outer; ++o) {
        const W* slab = x.data() + o * n_size * inner;
        for (std::size_t n = 0; n < n_size; n += rows_at_once) {
            const std::size_t count = std::min(rows_at_once, n_size - n);
            if (inner == 1) {
                for (std::size_t r = 0; r < count; ++r) {
                    rows[r] = c.data() + (n + r) * k_size;
                    factors[r] = slab[n + r];
                }
                add_rows(y.data() + o * k_size, rows, factors, count, k_size);
                continue;
            }
            for (std::size_t k = 0; k < k_size; ++k) {
                for (std::size_t r = 0; r < count; ++r) {
                    rows[r] = slab + (n + r) * inner;
                    factors[r] = c[(n + r) * k_size + k];
                }
                add_rows(y.data() + (o * k_size + k) * inner, rows, factors, count, inner);
            }
        }
    }
}

// All three stages; `bounded` sees the values after each of them.
template <class W, class Bounded>
std::vector<W> three_stages(std::vector<W> values, shape3 sizes, const std::array<std::vector<W>, 3>& matrices,
                            const shape3& results, const std::array<unsigned, 3>& order, std::vector<W> initial,
                            Bounded bounded)
{
    for (unsigned stage = 0; stage < 3; ++stage) {
        const unsigned mode = order[stage] - 1;
        const std::size_t outer = mode == 0 ? 1 : mode == 1 ? sizes[0] : sizes[0] * sizes[1];
        const std::size_t inner = mode == 2 ? 1 : mode == 1 ? sizes[2] : sizes[1] * sizes[2];
        std::vector<W> sums = stage == 2 ? std::move(initial) : std::vector<W>{};
        sums.resize(outer * results[mode] * inner);
        sum_over(values, matrices[mode], sums, outer, sizes[mode], results[mode], inner);
        bounded(sums);
        values = std::move(sums);
        sizes[mode] = results[mode];
    }
    return values;
}

template <class T> std::vector<long double> moduli(const std::vector<T>& values)
{
    std::vector<long double> result(values.size());
    std::transform(values.begin(), values.end(), result.begin(), [](const T& value) { return modulus(value); });
    return result;
}

template <class T> bool all_finite(const std::vector<T>& values)
{
    return std::all_of(values.begin(), values.end(), [](const T& value) {
        return std::isfinite(std::real(value)) && std::isfinite(std::imag(value));
    });
}

template <class T> shape3 check_problem(const gemt_problem<T>& problem)
{
    if (!problem.x || problem.x->shape.size() != 3) {
        throw arch::input_error("tensor of " + std::to_string(problem.x ? problem.x->shape.size() : 0) +
                                " dimensions found, expected 3");
    }
    static constexpr unsigned modes[] = {1, 2, 3};
    if (!std::is_permutation(problem.order.begin(), problem.order.end(), std::begin(modes))) {
        throw arch::input_error("order of modes that is no permutation of 1, 2, 3 found");
    }
    shape3 results{};
    for (unsigned mode = 0; mode < 3; ++mode) {
        const std::size_t rows = problem.x->shape[mode];
        const std::size_t size = problem.matrices[mode] ? problem.matrices[mode]->size() : 0;
        if (rows == 0 || size == 0 || size % rows != 0) {
            throw arch::input_error("matrix of " + std::to_string(size) + " elements for mode " +
                                    std::to_string(mode + 1) + " found, expected a multiple of its " +
                                    std::to_string(rows) + " rows");
        }
        results[mode] = size / rows;
    }
    if (problem.initial && problem.initial->shape != std::vector<std::size_t>(results.begin(), results.end())) {
        throw arch::input_error("initial tensor of another shape than the result found, expected " +
                                std::to_string(results[0]) + " x " + std::to_string(results[1]) + " x " +
                                std::to_string(results[2]));
    }
    return results;
}

// No partial sum can come near an overflow of T.
template <class T> bool surely_finite(const gemt_problem<T>& problem)
{
    long double bound = largest_modulus(problem.x->data);
    bool finite = all_finite(problem.x->data) && (!problem.initial || all_finite(problem.initial->data));
    for (unsigned mode = 0; mode < 3; ++mode) {
        finite = finite && all_finite(*problem.matrices[mode]);
        bound *= std::max(1.0L, column_abs_sum(*problem.matrices[mode], problem.x->shape[mode]));
    }
    if (problem.initial) { bound += largest_modulus(problem.initial->data); }
    return finite && bound <= std::numeric_limits<typename part_type<T>::type>::max() / 2;
}

} // namespace

template <class T> gemt_reference<T> compute_reference(const gemt_problem<T>& problem)
{
    using wide = typename wide_type<T>::type;
    const shape3 results = check_problem(problem);
    const shape3 sizes{problem.x->shape[0], problem.x->shape[1], problem.x->shape[2]};
    const auto widen = [](const std::vector<T>& values) { return std::vector<wide>(values.begin(), values.end()); };

    gemt_reference<T> reference;
    reference.values.shape.assign(results.begin(), results.end());
    reference.values.data = three_stages<wide>(
        widen(problem.x->data), sizes,
        {widen(*problem.matrices[0]), widen(*problem.matrices[1]), widen(*problem.matrices[2])}, results, problem.order,
        problem.initial ? widen(problem.initial->data) : std::vector<wide>{}, [](auto&) {});
    if (surely_finite(problem)) { return reference; }

    // The same sums over moduli bound every partial sum; what T cannot hold becomes infinite and stays so (times 0 it
    // is a NaN).
    constexpr long double limit = std::numeric_limits<typename part_type<T>::type>::max() / 2;
    const auto bounds = three_stages<long double>(
        moduli(problem.x->data), sizes,
        {moduli(*problem.matrices[0]), moduli(*problem.matrices[1]), moduli(*problem.matrices[2])}, results,
        problem.order, problem.initial ? moduli(problem.initial->data) : std::vector<long double>{}, [](auto& sums) {
            for (long double& sum : sums) { sum = sum <= limit ? sum : std::numeric_limits<long double>::infinity(); }
        });
    reference.comparable.resize(bounds.size());
    std::transform(bounds.begin(), bounds.end(), reference.comparable.begin(),
                   [](long double b) { return b <= limit ? 1 : 0; });
    if (std::all_of(reference.comparable.begin(), reference.comparable.end(), [](auto c) { return c == 1; })) {
        reference.comparable.clear();
    }
    return reference;
}

template <class T> long double column_abs_sum(const std::vector<T>& matrix, std::size_t rows)
{
    const std::size_t columns = matrix.size() / rows;
    std::vector<long double> sums(columns);
    for (std::size_t n = 0; n < rows; ++n) {
        for (std::size_t k = 0; k < columns; ++k) { sums[k] += modulus(matrix[n * columns + k]); }
    }
    long double largest = 0;
    for (long double sum : sums) { largest = std::isfinite(sum) ? std::max(largest, sum) : largest; }
    return largest;
}

template <class T> long double largest_modulus(const std::vector<T>& values)
{
    long double largest = 0;
    for (const T& value : values) {
        const long double size = modulus(value);
        largest = std::isfinite(size) ? std::max(largest, size) : largest;
    }
    return largest;
}

template gemt_reference<double> compute_reference(const gemt_problem<double>&);
template gemt_reference<float> compute_reference(const gemt_problem<float>&);
template gemt_reference<std::complex<double>> compute_reference(const gemt_problem<std::complex<double>>&);
template gemt_reference<std::complex<float>> compute_reference(const gemt_problem<std::complex<float>>&);

template long double column_abs_sum(const std::vector<double>&, std::size_t);
template long double column_abs_sum(const std::vector<float>&, std::size_t);
template long double column_abs_sum(const std::vector<std::complex<double>>&, std::size_t);
template long double column_abs_sum(const std::vector<std::complex<float>>&, std::size_t);

template long double largest_modulus(const std::vector<double>&);
template long double largest_modulus(const std::vector<float>&);
template long double largest_modulus(const std::vector<std::complex<double>>&);
template long double largest_modulus(const std::vector<std::complex<float>>&);

} // namespace tensorloom::workloads
