#include "tensor_unit/tensor_unit_check.h"
#include <algorithm>
#include <cmath>
#include <complex>
#include <type_traits>
#include <vector>

namespace tensorloom::testbench {
namespace {

constexpr double rounding = 1e-9;

using wide = std::complex<long double>;

template <class T> wide widened(const T& value)
{
    if constexpr (std::is_arithmetic_v<T>) {
        return {static_cast<long double>(value), 0};
    } else {
        return {value.real(), value.imag()};
    }
}

template <class A, class B> tensor_unit_check compared(const std::vector<A>& found, const std::vector<B>& reference)
{
    tensor_unit_check c;
    c.bound = std::is_integral_v<A> && std::is_integral_v<B> ? 0 : rounding;
    long double largest = 0, error = 0;
    for (const auto& value : reference) { largest = std::max(largest, std::abs(widened(value))); }
    const std::size_t both = std::min(found.size(), reference.size());
    for (std::size_t i = 0; i < both; ++i) {
        const long double off = std::abs(widened(found[i]) - widened(reference[i]));
        if (!(off <= c.bound * largest) && !c.first_wrong) { c.first_wrong = i; }
        error = std::isnan(off) ? off : std::max(error, off);
    }
    if (found.size() != reference.size() && !c.first_wrong) { c.first_wrong = both; }
    c.max_abs_error = static_cast<double>(error);
    c.max_rel_error = largest == 0 ? c.max_abs_error : static_cast<double>(error / largest);
    c.passed = !c.first_wrong;
    return c;
}

} // namespace

tensor_unit_check check_values(const workloads::tensor_unit_values& found,
                               const workloads::tensor_unit_values& reference)
{
    return std::visit([](const auto& a, const auto& b) { return compared(a, b); }, found, reference);
}

} // namespace tensorloom::testbench
