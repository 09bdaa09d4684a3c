#include <tensorloom/models/base/values/input_error.h>
#include <tensorloom/workloads/gemt_check.h>
#include <algorithm>
#include <cmath>
#include <limits>
#include <type_traits>

namespace tensorloom::workloads {
namespace {

template <class W> bool is_finite(const W& value)
{
    return std::isfinite(std::real(value)) && std::isfinite(std::imag(value));
}

// The largest error, absolute and by the largest modulus of what was expected.
class worst_error {
public:
    template <class Found, class W> long double add(const Found& found, const W& expected)
    {
        const long double error =
            is_finite(found) ? std::abs(W(found) - expected) : std::numeric_limits<long double>::infinity();
        m_error = std::max(m_error, error);
        m_largest = std::max(m_largest, static_cast<long double>(std::abs(expected)));
        return error;
    }
    double absolute() const { return static_cast<double>(m_error); }
    double relative() const { return m_error == 0 ? 0 : static_cast<double>(m_error / m_largest); }

private:
    long double m_error = 0, m_largest = 0;
};

} // namespace

template <class T>
check_result check_gemt(const tensor<arithmetic::accumulator_of<T>>& result, const gemt_reference<T>& reference)
{
    if (result.shape != reference.values.shape || result.data.size() != reference.values.data.size()) {
        throw base::input_error("result of another shape than its reference found");
    }
    double bound = 0, probable_bound = 0; // of int8: exact
    worst_error rounded, unrounded;
    check_result check;
    check.passed = reference.overflowed == 0;
    for (std::size_t i = 0; i < result.data.size(); ++i) {
        if (!reference.comparable.empty() && !reference.comparable[i]) {
            check.passed = check.passed && !std::isinf(reference.uncertainty[i]);
            continue;
        }
        ++check.compared;
        const long double error = rounded.add(result.data[i], reference.values.data[i]);
        const double allowed = reference.uncertainty.empty() ? 0 : reference.uncertainty[i];
        bound = std::isnan(allowed) ? allowed : std::max(bound, allowed);
        check.passed = check.passed && error <= allowed && std::isfinite(error) && std::isfinite(allowed);
        if (!reference.probable.empty()) {
            probable_bound = std::max(probable_bound, reference.probable[i]);
            if (!(error <= reference.probable[i])) { ++check.improbable; }
        }
        if (!reference.unrounded.empty()) {
            const auto found = static_cast<double>(std::real(result.data[i]));
            unrounded.add(reference.scale * found, reference.unrounded[i]);
        }
    }
    const worst_error& against_float64 = reference.unrounded.empty() ? rounded : unrounded;
    check.finite = check.compared == result.data.size();
    check.passed = check.passed && (check.compared > 0 || result.data.empty());
    check.max_abs_error = rounded.absolute();
    check.max_rel_error = rounded.relative();
    check.bound = bound;
    if (!reference.probable.empty()) { check.probable_bound = probable_bound; }
    check.max_abs_error_against_float64 = against_float64.absolute();
    check.max_rel_error_against_float64 = against_float64.relative();
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
