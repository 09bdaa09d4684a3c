#include <tensorloom/models/arch/input_error.h>
#include <tensorloom/workloads/gemt_check.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>

namespace tensorloom::workloads {

namespace {

template <class T> struct limits_of : std::numeric_limits<T> {};
template <class R> struct limits_of<std::complex<R>> : std::numeric_limits<R> {};

template <class T> long double error_bound(const gemt_problem<T>& problem, long double threshold)
{
    long double sums[3], all = 1, at_least_one = 1, steps = 0;
    for (unsigned mode = 0; mode < 3; ++mode) {
        const std::size_t rows = problem.x->shape[mode];
        sums[mode] = column_abs_sum(*problem.matrices[mode], rows);
        all *= sums[mode];
        at_least_one *= std::max(1.0L, sums[mode]);
        steps += static_cast<long double>(rows);
    }
    const long double last = sums[problem.order[2] - 1], last_two = sums[problem.order[1] - 1] * last;
    const long double start = problem.initial ? largest_modulus(problem.initial->data) : 0;
    return 8 * limits_of<T>::epsilon() * steps * (largest_modulus(problem.x->data) * all + start) +
           steps * limits_of<T>::denorm_min() * at_least_one + threshold * (all + last_two + last);
}

template <class W> bool is_finite(const W& value)
{
    return std::isfinite(std::real(value)) && std::isfinite(std::imag(value));
}

} // namespace

template <class T>
check_result check_gemt(const tensor<T>& result, const gemt_problem<T>& problem, const gemt_reference<T>& reference,
                        double threshold)
{
    if (result.shape != reference.values.shape || result.data.size() != reference.values.data.size()) {
        throw arch::input_error("result of another shape than its reference found");
    }
    if (!(threshold >= 0)) {
        throw arch::input_error("threshold " + std::to_string(threshold) + " found, expected a number not below 0");
    }
    using wide = typename wide_type<T>::type;
    const long double bound = error_bound(problem, threshold);
    long double error = 0, largest = 0;
    check_result check;
    for (std::size_t i = 0; i < result.data.size(); ++i) {
        const wide expected = reference.values.data[i];
        if (!reference.comparable.empty() && !reference.comparable[i]) { continue; }
        ++check.compared;
        largest = std::max(largest, static_cast<long double>(std::abs(expected)));
        error = is_finite(result.data[i])
                    ? std::max(error, static_cast<long double>(std::abs(wide(result.data[i]) - expected)))
                    : std::numeric_limits<long double>::infinity();
    }
    check.finite = check.compared == result.data.size();
    check.passed = error <= bound && std::isfinite(error);
    check.max_abs_error = static_cast<double>(error);
    check.max_rel_error = error == 0 ? 0 : static_cast<double>(error / largest);
    check.bound = static_cast<double>(bound);
    return check;
}

template check_result check_gemt(const tensor<double>&, const gemt_problem<double>&, const gemt_reference<double>&,
                                 double);
template check_result check_gemt(const tensor<float>&, const gemt_problem<float>&, const gemt_reference<float>&,
                                 double);
template check_result check_gemt(const tensor<std::complex<double>>&, const gemt_problem<std::complex<double>>&,
                                 const gemt_reference<std::complex<double>>&, double);
template check_result check_gemt(const tensor<std::complex<float>>&, const gemt_problem<std::complex<float>>&,
                                 const gemt_reference<std::complex<float>>&, double);

} // namespace tensorloom::workloads
