#include <tensorloom/models/arithmetic/pointwise.h>
#include <complex>
#include <type_traits>
#include <tensorloom/models/arithmetic/kernels/kernel_selection.h>
#include <tensorloom/models/arithmetic/kernels/pointwise_kernel.h>

namespace tensorloom::arithmetic {
namespace {

// Real numbers whose sums are elements: loops without calls and branches, which compilers turn into vectors.

template <class R> void threshold_all(R* x, R threshold, std::uint64_t n)
{
    for (std::uint64_t i = 0; i < n; ++i) { x[i] = std::fabs(x[i]) <= threshold ? R(0) : x[i]; }
}

template <class R> void rectify_all(R* x, std::uint64_t n)
{
    for (std::uint64_t i = 0; i < n; ++i) { x[i] = x[i] <= 0 ? R(0) : x[i]; }
}

// The largest R that is at most t: comparing with either gives the same.
template <class R> R rounded_down(double t)
{
    const auto r = static_cast<R>(t);
    return static_cast<double>(r) > t ? std::nextafter(r, R(0)) : r;
}

template <class R> pointwise_counts run_real(const pointwise_step<R>& step, R* x, const R* b, std::uint64_t n)
{
    const auto& kernel = best_kernel<pointwise_kernel<R>>();
    switch (step.operation) {
    case pointwise_operation::multiply: return {kernel.multiply(x, b, n, step.esop), 0};
    case pointwise_operation::add: return {kernel.add(x, b, step.value, n, step.esop), 0};
    case pointwise_operation::scale: return {kernel.scale(x, step.value, n, step.esop), 0};
    case pointwise_operation::threshold: threshold_all(x, rounded_down<R>(step.threshold), n); break;
    case pointwise_operation::relu: rectify_all(x, n); break;
    }
    return {};
}

template <class Element>
pointwise_counts run_each(const pointwise_step<Element>& step, typename number_format<Element>::real* x,
                          const typename number_format<Element>::real* b, std::uint64_t n)
{
    using sum = accumulator_of<Element>;
    const auto at = [n](const auto* planes, std::uint64_t i) {
        if constexpr (number_format<Element>::parts == 1) {
            return sum(planes[i]);
        } else {
            return sum(planes[i], planes[n + i]);
        }
    };
    pointwise_counts counts;
    for (std::uint64_t i = 0; i < n; ++i) {
        const auto operand = narrowed<Element>(at(x, i), step.shift);
        const Element other = b == nullptr ? Element{} : narrowed<Element>(at(b, i), 0).value;
        bool multiplied = false;
        const sum y = pointwise(step, operand.value, other, multiplied);
        counts.macs += multiplied ? 1 : 0;
        counts.saturated += operand.saturated ? 1 : 0;
        if constexpr (number_format<Element>::parts == 1) {
            x[i] = y;
        } else {
            x[i] = y.real();
            x[n + i] = y.imag();
        }
    }
    return counts;
}

} // namespace

template <class Element>
pointwise_counts run_pointwise(const pointwise_step<Element>& step, typename number_format<Element>::real* x,
                               const typename number_format<Element>::real* b, std::uint64_t elements)
{
    if constexpr (std::is_floating_point_v<Element>) {
        return run_real(step, x, b, elements);
    } else {
        return run_each(step, x, b, elements);
    }
}

template pointwise_counts run_pointwise(const pointwise_step<double>&, double*, const double*, std::uint64_t);
template pointwise_counts run_pointwise(const pointwise_step<float>&, float*, const float*, std::uint64_t);
template pointwise_counts run_pointwise(const pointwise_step<std::complex<double>>&, double*, const double*,
                                        std::uint64_t);
template pointwise_counts run_pointwise(const pointwise_step<std::complex<float>>&, float*, const float*,
                                        std::uint64_t);
template pointwise_counts run_pointwise(const pointwise_step<bfloat16>&, float*, const float*, std::uint64_t);
template pointwise_counts run_pointwise(const pointwise_step<std::int8_t>&, std::int32_t*, const std::int32_t*,
                                        std::uint64_t);

} // namespace tensorloom::arithmetic
