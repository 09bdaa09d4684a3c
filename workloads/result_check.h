#pragma once
#include <algorithm>
#include <cmath>
#include <complex>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <type_traits>

namespace tensorloom::workloads {

// How every testbench compares a result with its reference. An element is right if its error is within its bound, and
// error and bound are finite. Where the reference is not finite (NaN, an infinity), the result must be the same.

/// gamma_k = k u / (1 - k u): the relative error of k roundings, each of at most u. A sum of k products by fused
/// multiply-adds is within gamma_k x sum |a| |b| in any order. Infinite if k u >= 1. Source: N. Higham, Accuracy and
/// Stability of Numerical Algorithms, 2nd edition, lemma 3.1 and section 3.1.
inline double rounding_growth(double roundings, double unit)
{
    const double product = roundings * unit;
    return product < 1 ? product / (1 - product) : std::numeric_limits<double>::infinity();
}

/// u of float64 and float32: half the distance from 1 to the next number.
inline constexpr double f64_unit = 0x1p-53, f32_unit = 0x1p-24;

/// Complex numbers: real and imaginary part.
template <class T> bool is_finite_number(const T& value)
{
    return std::isfinite(static_cast<long double>(std::real(value))) &&
           std::isfinite(static_cast<long double>(std::imag(value)));
}

/// |found - expected|. Where one of both is not finite: 0 if both are NaN or the same infinity (complex: if neither is
/// finite), else infinite.
template <class Found, class Expected> long double error_of(const Found& found, const Expected& expected)
{
    using std::imag, std::real;
    constexpr long double infinite = std::numeric_limits<long double>::infinity();
    const bool finite = is_finite_number(expected);
    if (is_finite_number(found) != finite) { return infinite; }
    const auto re = static_cast<long double>(real(found)), im = static_cast<long double>(imag(found));
    const auto re_expected = static_cast<long double>(real(expected));
    if (finite) { return std::hypot(re - re_expected, im - static_cast<long double>(imag(expected))); }
    const bool is_complex = !std::is_arithmetic_v<Found> || !std::is_arithmetic_v<Expected>;
    return is_complex || re == re_expected || (std::isnan(re) && std::isnan(re_expected)) ? 0 : infinite;
}

/// error / size, where `size` counts as at least the smallest normal number: below it, numbers have an absolute
/// resolution only. An infinite error stays infinite.
inline double relative_error(long double error, long double size, double smallest_normal)
{
    if (error == 0) { return 0; }
    if (!std::isfinite(error)) { return HUGE_VAL; }
    return static_cast<double>(error / std::max<long double>(size, smallest_normal));
}

/// error / bound; above 1 if the error exceeds the bound: infinite if one of both is not finite or the bound is 0.
inline double share_of_bound(long double error, long double bound)
{
    if (error == 0 && std::isfinite(bound)) { return 0; }
    if (!std::isfinite(error) || !std::isfinite(bound) || bound == 0) { return HUGE_VAL; }
    return static_cast<double>(error / bound);
}

/// The figures of a comparison, collected element by element.
class result_errors {
public:
    /// `smallest_normal`: of the result's format.
    explicit result_errors(double smallest_normal = std::numeric_limits<double>::min())
        : m_smallest_normal(smallest_normal)
    {}

    /// The next element: whether it is right. The bound is ignored where the reference is not finite.
    template <class Found, class Expected> bool add(const Found& found, const Expected& expected, long double bound)
    {
        const bool finite = is_finite_number(expected);
        if (finite) {
            m_largest = std::max(m_largest, std::hypot(part(std::real(expected)), part(std::imag(expected))));
        }
        if (!finite) { ++m_not_finite; }
        return add_error(error_of(found, expected), finite ? bound : 0);
    }

    /// The next element, by its error: whether it is right. Its reference is not known to max_rel_error().
    bool add_error(long double error, long double bound)
    {
        const double share = share_of_bound(error, bound);
        m_error = std::max(m_error, std::isnan(error) ? HUGE_VAL : error);
        m_sum += error;
        if (m_count == 0 || share > m_worst_of_bound) {
            m_worst_of_bound = share;
            m_bound = static_cast<double>(bound);
            m_worst = m_count;
        }
        const bool right = share <= 1;
        if (!right && !m_first_wrong) { m_first_wrong = m_count; }
        ++m_count;
        return right;
    }

    std::size_t count() const { return m_count; }
    std::size_t not_finite() const { return m_not_finite; } ///< elements whose reference is not finite
    double max_abs_error() const { return static_cast<double>(m_error); }
    double mean_abs_error() const { return m_count == 0 ? 0 : static_cast<double>(m_sum / m_count); }
    /// max_abs_error() / largest modulus of the finite references.
    double max_rel_error() const { return relative_error(m_error, m_largest, m_smallest_normal); }
    double worst_of_bound() const { return m_worst_of_bound; }                 ///< the largest ratio of error to bound
    double bound() const { return m_bound; }                                   ///< of that element
    std::size_t worst() const { return m_worst; }                              ///< its index; 0 if all are exact
    std::optional<std::uint64_t> first_wrong() const { return m_first_wrong; } ///< index

private:
    template <class R> static long double part(const R& value) { return static_cast<long double>(value); }

    double m_smallest_normal;
    long double m_error = 0, m_largest = 0, m_sum = 0;
    double m_worst_of_bound = 0, m_bound = 0;
    std::size_t m_count = 0, m_not_finite = 0, m_worst = 0;
    std::optional<std::uint64_t> m_first_wrong;
};

} // namespace tensorloom::workloads
