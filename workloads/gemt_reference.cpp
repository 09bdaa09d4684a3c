#include <tensorloom/models/base/values/input_error.h>
#include <tensorloom/workloads/gemt_reference.h>
#include <tensorloom/workloads/gemt_sums.h>
#include <tensorloom/workloads/result_check.h>
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

template <class T> bool has_finite_data(const gemt_problem<T>& problem)
{
    return all_finite(problem.x->data) && (!problem.initial || all_finite(problem.initial->data)) &&
           std::all_of(problem.matrices.begin(), problem.matrices.end(),
                       [](const auto* m) { return m == nullptr || all_finite(*m); });
}

// No partial sum of finite data can come near an overflow of T.
template <class T> bool stays_in_range(const gemt_problem<T>& problem)
{
    long double bound = largest_modulus(problem.x->data);
    for (unsigned mode = 0; mode < 3; ++mode) {
        if (problem.matrices[mode] == nullptr) { continue; }
        bound *= std::max(1.0L, column_abs_sum(*problem.matrices[mode], problem.x->shape[mode]));
    }
    if (problem.initial) { bound += largest_modulus(problem.initial->data); }
    return bound <= std::numeric_limits<typename part_type<T>::type>::max() / 2;
}

constexpr double beyond_first_order = 1.01;  // and our own rounding, in long double and float64
constexpr double uniform_variance = 1.0 / 3; // of a number uniform in -1 to 1, which is its sub-Gaussian proxy, too

// uncertainty and probable of the operands of a stage, then of its results.
template <class T> class running_bounds {
    using part = typename part_type<T>::type;
    static constexpr bool is_complex = !std::is_same_v<T, part>;
    static constexpr double u = std::numeric_limits<part>::epsilon() / 2;
    static constexpr double smallest = std::numeric_limits<part>::denorm_min();
    static constexpr double least_square = 1e-280; // below it, of elements far smaller than the data, squares vanish

public:
    running_bounds(const gemt_problem<T>& problem, bool skips_zeros)
        : m_skips_zeros(skips_zeros),
          m_d(problem.uncertainty ? *problem.uncertainty : std::vector<double>(problem.x->data.size())),
          m_v(m_d.size()),
          m_scale(std::max({1e-300, static_cast<double>(std::numeric_limits<part>::min()),
                            static_cast<double>(largest_modulus(problem.x->data)),
                            problem.initial ? static_cast<double>(largest_modulus(problem.initial->data)) : 0.0}))
    {}

    void sum(const gemt_stage& stage, const std::vector<typename wide_type<T>::type>& operands,
             const std::vector<T>& matrix, const std::vector<T>* initial, double threshold, sums_progress& progress)
    {
        std::vector<double> r = in_double(operands), p(stage.results()), d(stage.results()), v(stage.results());
        std::vector<double> c = in_double(matrix);
        for (std::size_t i = 0; i < r.size(); ++i) {
            if (threshold > 0 && r[i] <= threshold + m_d[i]) { m_d[i] = std::max(m_d[i], r[i]); }
            r[i] += m_d[i];
        }
        if (initial) { p = in_double(*initial); }
        add_sums(stage, r, c, p, progress);
        sum_where_any(stage, m_d, c, d, progress);
        for (double& one : c) { one *= one; }
        sum_where_any(stage, m_v, c, v, progress);

        const double roundings = (is_complex ? 2.0 : 1.0) * static_cast<double>(stage.rows);
        const double gamma =
            beyond_first_order * std::sqrt(is_complex ? 2.0 : 1.0) * roundings * u / (1 - std::min(0.5, roundings * u));
        for (std::size_t i = 0; i < p.size(); ++i) {
            d[i] += gamma * p[i] + roundings * smallest;
            const double step = u * (p[i] / m_scale) + smallest / m_scale;
            v[i] += roundings * uniform_variance * step * step;
        }
        m_d = std::move(d);
        m_v = std::move(v);
    }

    // What a threshold drops is no rounding error, nor is how far operands are off: with one there is no probable
    // bound.
    void finish(gemt_reference<T>& reference, const gemt_problem<T>& problem)
    {
        reference.uncertainty = std::move(m_d);
        if (problem.threshold > 0 || problem.uncertainty != nullptr) { return; }
        const double lambda = std::sqrt(2 * std::log(4e6 * static_cast<double>(m_v.size())));
        const double factor = beyond_first_order * std::sqrt(is_complex ? 2.0 : 1.0) * lambda;
        reference.probable = std::move(m_v);
        for (std::size_t i = 0; i < reference.probable.size(); ++i) {
            const double v = reference.probable[i], any = reference.uncertainty[i];
            reference.probable[i] = v < least_square ? any : std::min(factor * (std::sqrt(v) * m_scale), any);
        }
    }

private:
    template <class W> static std::vector<double> in_double(const std::vector<W>& values)
    {
        std::vector<double> result(values.size());
        std::transform(values.begin(), values.end(), result.begin(),
                       [](const W& value) { return static_cast<double>(modulus(value)); });
        return result;
    }
    void add_sums(const gemt_stage& stage, const std::vector<double>& of, const std::vector<double>& c,
                  std::vector<double>& to, sums_progress& progress) const
    {
        if (m_skips_zeros) { return sum_nonzeros_over(stage, of, c, to, progress); }
        sum_over(stage, of, c, to, progress);
    }
    void sum_where_any(const gemt_stage& stage, const std::vector<double>& of, const std::vector<double>& c,
                       std::vector<double>& to, sums_progress& progress) const
    {
        if (std::any_of(of.begin(), of.end(), [](double x) { return x != 0; })) {
            return add_sums(stage, of, c, to, progress);
        }
        progress.add(static_cast<std::size_t>(stage.multiply_adds()));
    }

    bool m_skips_zeros;
    std::vector<double> m_d, m_v; // m_v by the square of m_scale, so that squares neither overflow nor vanish
    double m_scale;
};

template <class R> void multiply_add(R& sum, const R& x, const R& c) { sum = std::fma(x, c, sum); }
template <class R> void multiply_add(std::complex<R>& sum, const std::complex<R>& x, const std::complex<R>& c)
{
    const R re = std::fma(x.real(), c.real(), sum.real()), im = std::fma(x.real(), c.imag(), sum.imag());
    sum = {std::fma(-x.imag(), c.imag(), re), std::fma(x.imag(), c.real(), im)};
}

// All stages with the roundings of T.
template <class T> tensor<T> rounded_sums(const gemt_problem<T>& problem)
{
    const shape3 results = result_shape(problem);
    const auto stages = gemt_stages({problem.x->shape[0], problem.x->shape[1], problem.x->shape[2]}, results,
                                    problem.order, problem.matrices);
    std::vector<T> values = problem.x->data;
    for (const auto& stage : stages) {
        const auto& matrix = *problem.matrices[stage.mode];
        const bool starts = &stage == &stages.back() && problem.initial;
        std::vector<T> sums = starts ? problem.initial->data : std::vector<T>(stage.results());
        for (std::size_t o = 0; o < stage.outer; ++o) {
            for (std::size_t n = 0; n < stage.rows; ++n) {
                for (std::size_t k = 0; k < stage.columns; ++k) {
                    for (std::size_t i = 0; i < stage.inner; ++i) {
                        multiply_add(sums[(o * stage.columns + k) * stage.inner + i],
                                     values[(o * stage.rows + n) * stage.inner + i], matrix[n * stage.columns + k]);
                    }
                }
            }
        }
        values = std::move(sums);
    }
    tensor<T> result;
    result.shape.assign(results.begin(), results.end());
    result.data = std::move(values);
    return result;
}

} // namespace

template <class T> shape3 result_shape(const gemt_problem<T>& problem)
{
    if (!problem.x || problem.x->shape.size() != 3) {
        throw base::input_error("tensor of " + std::to_string(problem.x ? problem.x->shape.size() : 0) +
                                " dimensions found, expected 3");
    }
    static constexpr unsigned modes[] = {1, 2, 3};
    if (!std::is_permutation(problem.order.begin(), problem.order.end(), std::begin(modes))) {
        throw base::input_error("order of modes that is not a permutation of 1, 2, 3 found");
    }
    shape3 results{problem.x->shape[0], problem.x->shape[1], problem.x->shape[2]};
    if (problem.matrices == std::array<const std::vector<T>*, 3>{}) {
        throw base::input_error("no matrix found, expected one for at least one mode");
    }
    for (unsigned mode = 0; mode < 3; ++mode) {
        if (problem.matrices[mode] == nullptr) { continue; }
        const std::size_t rows = problem.x->shape[mode];
        const std::size_t size = problem.matrices[mode]->size();
        if (rows == 0 || size == 0 || size % rows != 0) {
            throw base::input_error("matrix of " + std::to_string(size) + " elements for mode " +
                                    std::to_string(mode + 1) + " found, expected a multiple of its " +
                                    std::to_string(rows) + " rows");
        }
        results[mode] = size / rows;
    }
    if (problem.initial && problem.initial->shape != std::vector<std::size_t>(results.begin(), results.end())) {
        throw base::input_error("initial tensor of another shape than the result found, expected " +
                                shape_text(results));
    }
    for (unsigned stage = 0; stage < 3; ++stage) {
        const unsigned shift = problem.shifts[stage];
        if (shift != 0 && problem.matrices[problem.order[stage] - 1] == nullptr) {
            throw base::input_error("shift of " + std::to_string(shift) + " bits found for stage " +
                                    std::to_string(stage + 1) + ", which does not run, expected 0");
        }
        const unsigned most = std::is_same_v<T, std::int8_t> ? 31 : 0;
        if (shift > most) {
            throw base::input_error("shift of " + std::to_string(shift) + " bits found, expected at most " +
                                    std::to_string(most) + (most == 0 ? ": only int8 is shifted" : ""));
        }
    }
    if (!(problem.threshold >= 0)) {
        throw base::input_error("threshold " + std::to_string(problem.threshold) +
                                " found, expected a number not below 0");
    }
    return results;
}

template <class T> gemt_reference<T> compute_reference(const gemt_problem<T>& problem)
{
    using wide = typename wide_type<T>::type;
    const shape3 results = result_shape(problem);
    const auto stages = gemt_stages({problem.x->shape[0], problem.x->shape[1], problem.x->shape[2]}, results,
                                    problem.order, problem.matrices);
    const bool finite_data = has_finite_data(problem);
    const bool finite = finite_data && stays_in_range(problem);
    sums_progress progress(problem.progress, stages, finite ? 4 : 5);
    const auto widen = [](const std::vector<T>& values) { return std::vector<wide>(values.begin(), values.end()); };

    gemt_reference<T> reference;
    reference.values.shape.assign(results.begin(), results.end());
    std::vector<wide> values = widen(problem.x->data);
    const bool skips_zeros = problem.skips_zeros && !finite_data; // adding a zero changes no finite sum
    running_bounds<T> errors(problem, skips_zeros);
    for (const auto& stage : stages) {
        const auto& matrix = *problem.matrices[stage.mode];
        const auto* initial = &stage == &stages.back() && problem.initial ? &problem.initial->data : nullptr;
        errors.sum(stage, values, matrix, initial, problem.threshold, progress);
        std::vector<wide> sums = initial ? widen(*initial) : std::vector<wide>(stage.results());
        if (skips_zeros) {
            sum_nonzeros_over(stage, values, widen(matrix), sums, progress);
        } else {
            sum_over(stage, values, widen(matrix), sums, progress);
        }
        values = std::move(sums);
    }
    reference.values.data = std::move(values);
    errors.finish(reference, problem);
    if (!reference.probable.empty()) {
        reference.in_format = [problem] { return rounded_sums(problem); };
    }
    if (finite) { return reference; }

    // The same sums over moduli bound every partial sum; what T cannot hold becomes infinite and stays so (times 0 it
    // is a NaN).
    constexpr long double limit = std::numeric_limits<typename part_type<T>::type>::max() / 2;
    const auto bounds = all_stages<long double>(
        moduli(problem.x->data), stages, converted(problem.matrices, moduli<T>),
        problem.initial ? moduli(problem.initial->data) : std::vector<long double>{}, progress,
        [](auto& sums) {
            for (long double& sum : sums) { sum = sum <= limit ? sum : std::numeric_limits<long double>::infinity(); }
        },
        skips_zeros);
    reference.comparable.resize(bounds.size());
    std::transform(bounds.begin(), bounds.end(), reference.comparable.begin(),
                   [](long double b) { return b <= limit ? 1 : 0; });
    if (!finite_data) { reference.not_finite.resize(bounds.size()); }
    for (std::size_t i = 0; i < bounds.size(); ++i) {
        if (reference.comparable[i] != 0) { continue; }
        const auto& value = reference.values.data[i];
        if (!finite_data) { reference.not_finite[i] = is_finite_number(value) ? 0 : 1; }
        const bool overflows = std::abs(std::real(value)) > 2 * limit || std::abs(std::imag(value)) > 2 * limit;
        reference.uncertainty[i] = finite_data && overflows ? std::numeric_limits<double>::infinity() : 0;
    }
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
