#pragma once
#include <array>
#include <cmath>
#include <complex>
#include <cstdint>
#include <cstring>
#include <limits>
#include <vector>
#include <tensorloom/models/arch/gemt_command.h>
#include <tensorloom/models/arch/triada_events.h>

namespace tensorloom::test {

using shape3 = std::array<std::uint32_t, 3>;

/// A square product in the words of the tests: data, matrices, and how the device is asked to do it.
template <class T> struct gemt_case {
    shape3 shape{};
    std::vector<T> x;
    std::vector<T> initial;                               // empty: zero
    std::array<std::vector<T>, 3> matrices;               // C[n,k], row-major
    std::array<std::vector<std::uint32_t>, 3> row_orders; // empty: 0, 1, 2, ...
    std::array<unsigned, 3> order{3, 1, 2};
    bool esop = true;
    double threshold = 0;

    std::size_t volume() const { return std::size_t{shape[0]} * shape[1] * shape[2]; }
};

template <class R> bool oracle_is_zero(R x, double threshold) { return std::fabs(static_cast<double>(x)) <= threshold; }
template <class R> bool oracle_is_zero(std::complex<R> x, double threshold)
{
    if (threshold == 0) { return x.real() == 0 && x.imag() == 0; }
    return std::hypot(static_cast<double>(x.real()), static_cast<double>(x.imag())) <= threshold;
}

inline double oracle_fma(double x, double c, double sum)
{
    const double r = std::fma(x, c, sum);
    return std::isnan(r) ? std::numeric_limits<double>::quiet_NaN() : r;
}
inline float oracle_fma(float x, float c, float sum)
{
    const float r = std::fma(x, c, sum);
    return std::isnan(r) ? std::numeric_limits<float>::quiet_NaN() : r;
}
template <class R> std::complex<R> oracle_fma(std::complex<R> x, std::complex<R> c, std::complex<R> sum)
{
    R re = oracle_fma(x.real(), c.real(), sum.real());
    re = oracle_fma(-x.imag(), c.imag(), re);
    R im = oracle_fma(x.real(), c.imag(), sum.imag());
    im = oracle_fma(x.imag(), c.real(), im);
    return {re, im};
}

/// The result, one element at a time: each sum in the order in which the rows are streamed, zeros skipped under ESOP.
template <class T> std::vector<T> oracle_result(const gemt_case<T>& g)
{
    const auto& n = g.shape;
    std::vector<T> in = g.x;
    for (unsigned stage = 0; stage < 3; ++stage) {
        const unsigned mode = g.order[stage] - 1;
        std::vector<T> out = stage == 2 && !g.initial.empty() ? g.initial : std::vector<T>(g.volume(), T{});
        std::size_t at = 0;
        for (std::uint32_t i = 0; i < n[0]; ++i) {
            for (std::uint32_t j = 0; j < n[1]; ++j) {
                for (std::uint32_t k = 0; k < n[2]; ++k, ++at) {
                    const std::uint32_t position[3] = {i, j, k};
                    for (std::uint32_t t = 0; t < n[mode]; ++t) {
                        const std::uint32_t row = g.row_orders[mode].empty() ? t : g.row_orders[mode][t];
                        std::uint32_t from[3] = {i, j, k};
                        from[mode] = row;
                        const T x = in[(std::size_t{from[0]} * n[1] + from[1]) * n[2] + from[2]];
                        const T c = g.matrices[mode][std::size_t{row} * n[mode] + position[mode]];
                        if (g.esop && (oracle_is_zero(x, g.threshold) || oracle_is_zero(c, 0))) { continue; }
                        out[at] = oracle_fma(x, c, out[at]);
                    }
                }
            }
        }
        in = std::move(out);
    }
    return in;
}

/// Equal to the last bit (also of NaN and zeros).
template <class T> bool same_bits(const std::vector<T>& a, const std::vector<T>& b)
{
    return a.size() == b.size() && (a.empty() || std::memcmp(a.data(), b.data(), a.size() * sizeof(T)) == 0);
}

} // namespace tensorloom::test
