#include <tensorloom/models/base/values/input_error.h>
#include <tensorloom/workloads/gemt_check.h>
#include <tensorloom/workloads/result_check.h>
#include <algorithm>
#include <cmath>
#include <limits>
#include <type_traits>
#include <vector>

namespace tensorloom::workloads {
namespace {

template <class T> constexpr double smallest_normal()
{
    using real = typename arithmetic::number_format<T>::real;
    return std::is_integral_v<real> ? 1 : static_cast<double>(std::numeric_limits<real>::min());
}

template <class T> constexpr arithmetic::accumulator_of<T> sum_zero{};

// The largest error, absolute and by the largest modulus of what was expected.
class worst_error {
public:
    template <class Found, class W> long double add(const Found& found, const W& expected)
    {
        const long double error = error_of(found, expected);
        m_error = std::max(m_error, error);
        m_sum += error;
        ++m_count;
        if (is_finite_number(expected)) {
            m_largest = std::max(m_largest, static_cast<long double>(std::abs(expected)));
        }
        return error;
    }
    double absolute() const { return static_cast<double>(m_error); }
    double mean() const { return m_count == 0 ? 0 : static_cast<double>(m_sum / m_count); }
    double largest() const { return static_cast<double>(m_largest); }
    double relative(double smallest) const { return relative_error(m_error, m_largest, smallest); }

private:
    long double m_error = 0, m_largest = 0, m_sum = 0;
    std::size_t m_count = 0;
};

// Errors beside the bounds that decide.
class bounded_errors {
public:
    bool add(long double error, double bound)
    {
        m_bound = std::isnan(bound) ? bound : std::max(m_bound, bound);
        m_worst = std::max(m_worst, share_of_bound(error, bound));
        return share_of_bound(error, bound) <= 1;
    }
    double bound() const { return m_bound; }
    double worst() const { return m_worst; }

private:
    double m_bound = 0, m_worst = 0;
};

} // namespace

template <class T>
check_result check_gemt(const tensor<arithmetic::accumulator_of<T>>& result, const gemt_reference<T>& reference)
{
    if (result.shape != reference.values.shape || result.data.size() != reference.values.data.size()) {
        throw base::input_error("result of another shape than its reference found");
    }
    worst_error rounded, unrounded;
    bounded_errors deciding, for_any_roundings;
    std::vector<std::size_t> improbable;
    check_result check;
    check.passed = reference.overflowed == 0;
    for (std::size_t i = 0; i < result.data.size(); ++i) {
        if (!reference.comparable.empty() && !reference.comparable[i]) {
            if (!reference.not_finite.empty() && reference.not_finite[i]) {
                ++check.compared;
                ++check.not_finite;
                check.passed = deciding.add(rounded.add(result.data[i], reference.values.data[i]), 0) && check.passed;
            } else {
                check.passed = check.passed && !std::isinf(reference.uncertainty[i]);
            }
            continue;
        }
        ++check.compared;
        if (!reference.or_zero.empty() && reference.or_zero[i] != 0) {
            ++check.undecided;
            if (result.data[i] == sum_zero<T>) { continue; }
        }
        const long double error = rounded.add(result.data[i], reference.values.data[i]);
        const double allowed = reference.uncertainty.empty() ? 0 : reference.uncertainty[i]; // of int8: exact
        check.passed = for_any_roundings.add(error, allowed) && check.passed;
        if (!reference.probable.empty() && !(error <= reference.probable[i])) {
            improbable.push_back(i);
        } else {
            deciding.add(error, reference.probable.empty() ? allowed : reference.probable[i]);
        }
        if (!reference.unrounded.empty()) {
            const auto found = static_cast<double>(std::real(result.data[i]));
            unrounded.add(reference.scale * found, reference.unrounded[i]);
        }
    }
    if (!improbable.empty()) {
        const auto in_format = reference.in_format();
        for (const std::size_t i : improbable) {
            const bool same = deciding.add(error_of(result.data[i], in_format.data[i]), reference.probable[i]);
            check.systematic += same ? 1 : 0;
            check.passed = same && check.passed;
        }
    }
    const worst_error& against_float64 = reference.unrounded.empty() ? rounded : unrounded;
    check.finite = check.compared == result.data.size() && check.not_finite == 0;
    check.passed = check.passed && (check.compared > 0 || result.data.empty());
    check.max_abs_error = rounded.absolute();
    check.mean_abs_error = rounded.mean();
    check.max_rel_error = rounded.relative(smallest_normal<T>());
    check.largest = rounded.largest();
    check.bound = deciding.bound();
    check.worst_of_bound = deciding.worst();
    check.worst_case_bound = for_any_roundings.bound();
    check.max_abs_error_against_float64 = against_float64.absolute();
    check.max_rel_error_against_float64 = against_float64.relative(smallest_normal<T>());
    check.saturated = reference.saturated;
    check.overflowed = reference.overflowed;
    return check;
}

template <class T> using sums = tensor<arithmetic::accumulator_of<T>>;
template check_result check_gemt(const sums<double>&, const gemt_reference<double>&);
template check_result check_gemt(const sums<float>&, const gemt_reference<float>&);
template check_result check_gemt(const sums<std::complex<double>>&, const gemt_reference<std::complex<double>>&);
template check_result check_gemt(const sums<std::complex<float>>&, const gemt_reference<std::complex<float>>&);
template check_result check_gemt(const sums<arithmetic::bfloat16>&, const gemt_reference<arithmetic::bfloat16>&);
template check_result check_gemt(const sums<std::int8_t>&, const gemt_reference<std::int8_t>&);

} // namespace tensorloom::workloads
