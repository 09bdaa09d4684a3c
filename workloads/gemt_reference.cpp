#include <tensorloom/models/arch/values/input_error.h>
#include <tensorloom/workloads/gemt_reference.h>
#include <tensorloom/workloads/gemt_sums.h>
#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <type_traits>

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

template <class T> shape3 result_shape(const gemt_problem<T>& problem)
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
                                shape_text(results));
    }
    for (unsigned shift : problem.shifts) {
        const unsigned most = std::is_same_v<T, std::int8_t> ? 31 : 0;
        if (shift > most) {
            throw arch::input_error("shift of " + std::to_string(shift) + " bits found, expected at most " +
                                    std::to_string(most) + (most == 0 ? ": only int8 is shifted" : ""));
        }
    }
    if (!(problem.threshold >= 0)) {
        throw arch::input_error("threshold " + std::to_string(problem.threshold) +
                                " found, expected a number not below 0");
    }
    return results;
}

template <class T> gemt_reference<T> compute_reference(const gemt_problem<T>& problem)
{
    using wide = typename wide_type<T>::type;
    const shape3 results = result_shape(problem);
    const auto stages =
        gemt_stages({problem.x->shape[0], problem.x->shape[1], problem.x->shape[2]}, results, problem.order);
    const bool finite = surely_finite(problem);
    sums_progress progress(problem.progress, stages, finite ? 1 : 2);
    const auto widen = [](const std::vector<T>& values) { return std::vector<wide>(values.begin(), values.end()); };

    gemt_reference<T> reference;
    reference.values.shape.assign(results.begin(), results.end());
    reference.values.data = three_stages<wide>(
        widen(problem.x->data), stages,
        {widen(*problem.matrices[0]), widen(*problem.matrices[1]), widen(*problem.matrices[2])},
        problem.initial ? widen(problem.initial->data) : std::vector<wide>{}, progress, [](auto&) {});
    if (finite) { return reference; }

    // The same sums over moduli bound every partial sum; what T cannot hold becomes infinite and stays so (times 0 it
    // is a NaN).
    constexpr long double limit = std::numeric_limits<typename part_type<T>::type>::max() / 2;
    const auto bounds = three_stages<long double>(
        moduli(problem.x->data), stages,
        {moduli(*problem.matrices[0]), moduli(*problem.matrices[1]), moduli(*problem.matrices[2])},
        problem.initial ? moduli(problem.initial->data) : std::vector<long double>{}, progress, [](auto& sums) {
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

template shape3 result_shape(const gemt_problem<double>&);
template shape3 result_shape(const gemt_problem<float>&);
template shape3 result_shape(const gemt_problem<std::complex<double>>&);
template shape3 result_shape(const gemt_problem<std::complex<float>>&);
template shape3 result_shape(const gemt_problem<arithmetic::bfloat16>&);
template shape3 result_shape(const gemt_problem<std::int8_t>&);

template long double column_abs_sum(const std::vector<double>&, std::size_t);
template long double column_abs_sum(const std::vector<float>&, std::size_t);
template long double column_abs_sum(const std::vector<std::complex<double>>&, std::size_t);
template long double column_abs_sum(const std::vector<std::complex<float>>&, std::size_t);

template long double largest_modulus(const std::vector<double>&);
template long double largest_modulus(const std::vector<float>&);
template long double largest_modulus(const std::vector<std::complex<double>>&);
template long double largest_modulus(const std::vector<std::complex<float>>&);

} // namespace tensorloom::workloads
