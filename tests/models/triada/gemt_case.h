#pragma once
#include <algorithm>
#include <array>
#include <cmath>
#include <complex>
#include <cstdint>
#include <cstring>
#include <limits>
#include <type_traits>
#include <vector>
#include <tensorloom/models/triada/isa/gemt_command.h>
#include <tensorloom/models/triada/isa/events.h>
#include <tensorloom/models/arithmetic/number_format.h>
#include "support/same_bits.h"

namespace tensorloom::test {

using shape3 = std::array<std::uint32_t, 3>;
template <class T> using sum_of = arithmetic::accumulator_of<T>;

/// A product in the words of the tests: data, matrices, and how the device is asked to do it.
template <class T> struct gemt_case {
    shape3 shape{};
    shape3 out{}; // zeros: as shape
    std::vector<T> x;
    std::vector<sum_of<T>> initial;         // empty: zero
    std::array<std::vector<T>, 3> matrices; // C[n,k], row-major; of modes that are not summed not looked at
    std::array<std::vector<std::uint32_t>, 3> row_orders; // empty: 0, 1, 2, ...
    std::array<unsigned, 3> order{3, 1, 2};
    unsigned mask = 7;
    std::array<unsigned, 3> shifts{}; // by stage
    bool esop = true;
    double threshold = 0;
    bool double_buffer = false;
    unsigned partials = 0;     // results that share a loaded operand
    std::uint16_t layouts = 0; // flags of the command: who stores what tile by tile
    bool sums_wanted = false;  // Y in the accumulator's format

    const shape3& result_shape() const { return out[0] == 0 ? shape : out; }
    std::size_t volume() const { return std::size_t{shape[0]} * shape[1] * shape[2]; }
    std::size_t result_volume() const
    {
        const auto& k = result_shape();
        return std::size_t{k[0]} * k[1] * k[2];
    }
    bool runs(unsigned stage) const { return (mask >> stage & 1u) != 0; }
    bool fits(const shape3& mesh) const
    {
        for (unsigned m = 0; m < 3; ++m) {
            if (shape[m] > mesh[m] || result_shape()[m] > mesh[m]) { return false; }
        }
        return true;
    }
};

template <class R> bool oracle_is_zero(R x, double threshold) { return std::fabs(static_cast<double>(x)) <= threshold; }
inline bool oracle_is_zero(arithmetic::bfloat16 x, double threshold)
{
    return oracle_is_zero(static_cast<float>(x), threshold);
}
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
inline float oracle_fma(arithmetic::bfloat16 x, arithmetic::bfloat16 c, float sum)
{
    return oracle_fma(static_cast<float>(x), static_cast<float>(c), sum);
}
inline std::int32_t oracle_fma(std::int8_t x, std::int8_t c, std::int32_t sum) { return sum + x * c; }
template <class R> std::complex<R> oracle_fma(std::complex<R> x, std::complex<R> c, std::complex<R> sum)
{
    R re = oracle_fma(x.real(), c.real(), sum.real());
    re = oracle_fma(-x.imag(), c.imag(), re);
    R im = oracle_fma(x.real(), c.imag(), sum.imag());
    im = oracle_fma(x.imag(), c.real(), im);
    return {re, im};
}

/// To nearest, ties to even, by the spacing of bfloat16 numbers of this size.
inline arithmetic::bfloat16 oracle_bfloat16(double sum)
{
    arithmetic::bfloat16 b;
    if (std::isnan(sum)) {
        b.bits = 0x7fc0;
        return b;
    }
    double rounded = sum;
    if (std::isfinite(sum) && sum != 0) {
        int exponent = 0;
        std::frexp(rounded, &exponent);
        const int last = std::max(exponent - 8, -133); // 8 significant bits, or the spacing of denormals
        rounded = std::ldexp(std::nearbyint(std::ldexp(rounded, -last)), last);
        if (std::fabs(rounded) >= 0x1p128) {
            rounded = std::copysign(std::numeric_limits<double>::infinity(), rounded);
        }
    }
    const auto single = static_cast<float>(rounded);
    std::uint32_t bits = 0;
    std::memcpy(&bits, &single, sizeof bits);
    b.bits = static_cast<std::uint16_t>(bits >> 16);
    return b;
}
inline double oracle_shifted(std::int32_t sum, unsigned shift)
{
    return std::nearbyint(std::ldexp(sum, -static_cast<int>(shift)));
}

/// A sum as an operand: rounded to the element's format.
template <class T> T oracle_operand(const sum_of<T>& sum, [[maybe_unused]] unsigned shift)
{
    if constexpr (std::is_same_v<T, std::int8_t>) {
        return static_cast<std::int8_t>(std::fmin(127, std::fmax(-128, oracle_shifted(sum, shift))));
    } else if constexpr (std::is_same_v<T, arithmetic::bfloat16>) {
        return oracle_bfloat16(sum);
    } else {
        return sum;
    }
}

/// A sum as it leaves a device that is asked for sums.
template <class S> S oracle_sum(const S& sum, unsigned) { return sum; }
inline std::int32_t oracle_sum(std::int32_t sum, unsigned shift)
{
    return static_cast<std::int32_t>(oracle_shifted(sum, shift));
}

/// The rows of a mode's matrix in the order in which they are streamed: those of a block of the mesh's size after those
/// of the block before.
template <class T> std::vector<std::uint32_t> oracle_rows(const gemt_case<T>& g, unsigned mode, const shape3& mesh)
{
    const std::uint32_t n = g.shape[mode];
    const std::uint32_t block = g.fits(mesh) ? n : mesh[mode];
    std::vector<std::uint32_t> rows;
    for (std::uint32_t first = 0; first < n; first += block) {
        for (std::uint32_t t = 0; t < n; ++t) {
            const std::uint32_t row = g.row_orders[mode].empty() ? t : g.row_orders[mode][t];
            if (row >= first && row - first < block) { rows.push_back(row); }
        }
    }
    return rows;
}

/// The sums, one at a time: each in the order in which the rows are streamed, zeros skipped under ESOP. `last_shift`:
/// of the last stage.
template <class T>
std::vector<sum_of<T>> oracle_sums(const gemt_case<T>& g, const shape3& mesh, unsigned* last_shift = nullptr)
{
    shape3 n = g.shape;
    std::vector<T> in = g.x;
    std::vector<sum_of<T>> out;
    for (unsigned stage = 0; stage < 3; ++stage) {
        if (!g.runs(stage)) { continue; }
        const unsigned mode = g.order[stage] - 1;
        const bool last = g.mask >> (stage + 1) == 0;
        shape3 k = n;
        k[mode] = g.result_shape()[mode];
        out.assign(std::size_t{k[0]} * k[1] * k[2], sum_of<T>{});
        if (last && !g.initial.empty()) { out = g.initial; }
        const auto rows = oracle_rows(g, mode, mesh);
        for (std::size_t at = 0; at < out.size(); ++at) {
            shape3 from{static_cast<std::uint32_t>(at / k[2] / k[1]), static_cast<std::uint32_t>(at / k[2] % k[1]),
                        static_cast<std::uint32_t>(at % k[2])};
            const std::uint32_t column = from[mode];
            for (const std::uint32_t row : rows) {
                from[mode] = row;
                const T x = in[(std::size_t{from[0]} * n[1] + from[1]) * n[2] + from[2]];
                const T c = g.matrices[mode][std::size_t{row} * k[mode] + column];
                if (g.esop && (oracle_is_zero(x, g.threshold) || oracle_is_zero(c, 0))) { continue; }
                out[at] = oracle_fma(x, c, out[at]);
            }
        }
        n = k;
        in.clear();
        for (const auto& sum : out) { in.push_back(oracle_operand<T>(sum, g.shifts[stage])); }
        if (last_shift != nullptr) { *last_shift = g.shifts[stage]; }
    }
    return out;
}

inline constexpr shape3 boundless_mesh{UINT32_MAX, UINT32_MAX, UINT32_MAX};

/// The result as elements.
template <class T> std::vector<T> oracle_result(const gemt_case<T>& g, const shape3& mesh = boundless_mesh)
{
    unsigned shift = 0;
    std::vector<T> result;
    for (const auto& sum : oracle_sums(g, mesh, &shift)) { result.push_back(oracle_operand<T>(sum, shift)); }
    return result;
}

/// The result as sums.
template <class T> std::vector<sum_of<T>> oracle_result_sums(const gemt_case<T>& g, const shape3& mesh = boundless_mesh)
{
    unsigned shift = 0;
    auto result = oracle_sums(g, mesh, &shift);
    for (auto& sum : result) { sum = oracle_sum(sum, shift); }
    return result;
}

} // namespace tensorloom::test
