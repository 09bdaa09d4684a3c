#include <tensorloom/models/arithmetic/pointwise.h>
#include <complex>
#include <limits>
#include <type_traits>

namespace tensorloom::arithmetic {
namespace {

// Real numbers whose sums are elements: loops without calls and branches, which compilers turn into vectors. x b rounds
// once, and x + b is mac(x, b, 1): the same bits as pointwise(). No product with a zero is -0 or, under ESOP, done.

template <class R> R canonical(R r) { return r == r ? r : std::numeric_limits<R>::quiet_NaN(); }

template <class R> R product_of(R x, R b, bool esop)
{
    const R product = x * b;
    const bool with_zero = (x == 0) | (b == 0);
    return canonical(with_zero ? (esop ? R(0) : product + R(0)) : product);
}

template <class R> std::uint64_t multiply_all(R* x, const R* b, std::uint64_t n, bool esop)
{
    std::uint64_t zeros = 0;
    for (std::uint64_t i = 0; i < n; ++i) {
        zeros += (x[i] == 0) | (b[i] == 0);
        x[i] = product_of(x[i], b[i], esop);
    }
    return esop ? n - zeros : n;
}

template <class R> std::uint64_t scale_all(R* x, R s, std::uint64_t n, bool esop)
{
    std::uint64_t zeros = 0;
    for (std::uint64_t i = 0; i < n; ++i) {
        zeros += (x[i] == 0) | (s == 0);
        x[i] = product_of(x[i], s, esop);
    }
    return esop ? n - zeros : n;
}

template <class R> std::uint64_t add_all(R* x, const R* b, std::uint64_t n, bool esop)
{
    std::uint64_t zeros = 0;
    for (std::uint64_t i = 0; i < n; ++i) {
        const bool skipped = esop & (b[i] == 0);
        zeros += skipped;
        x[i] = skipped ? x[i] : canonical(x[i] + b[i]);
    }
    return n - zeros;
}

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
    switch (step.operation) {
    case pointwise_operation::multiply: return {multiply_all(x, b, n, step.esop), 0};
    case pointwise_operation::add: return {add_all(x, b, n, step.esop), 0};
    case pointwise_operation::scale: return {scale_all(x, step.value, n, step.esop), 0};
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
        if (step.operation != pointwise_operation::add || step.value == 1) { return run_real(step, x, b, elements); }
    }
    return run_each(step, x, b, elements);
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
