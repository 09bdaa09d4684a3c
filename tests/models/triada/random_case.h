#pragma once
#include <algorithm>
#include <cmath>
#include <complex>
#include <cstdint>
#include <limits>
#include <numeric>
#include <optional>
#include <random>
#include <vector>
#include <tensorloom/models/arithmetic/bfloat16.h>
#include "models/triada/gemt_case.h"

namespace tensorloom::test {

/// Draws products: sizes, orders, row orders, densities, data of every magnitude and, on demand, special numbers; and
/// on demand those with rectangular matrices, stages that do not run, shifts and double buffering.
class case_maker {
public:
    explicit case_maker(std::uint64_t seed) : m_engine(seed) {}

    std::uint32_t below(std::uint32_t n) { return static_cast<std::uint32_t>(m_engine() % n); }
    double unit() { return static_cast<double>(m_engine() >> 11) * 0x1p-53; }
    bool chance(double p) { return unit() < p; }

    enum class specials {
        none,
        zeros,
        wild
    }; ///< wild: also infinities, NaN, denormals, numbers near underflow and overflow

    template <class T> gemt_case<T> make(const shape3& mesh, specials kind)
    {
        gemt_case<T> g;
        for (unsigned m = 0; m < 3; ++m) { g.shape[m] = 1 + below(mesh[m]); }
        fill(g, kind);
        return g;
    }

    /// Sizes up to `most`, which may be larger than the mesh; `shape`: of a given X.
    template <class T>
    gemt_case<T> make_any(const shape3& most, specials kind, std::optional<shape3> shape = std::nullopt)
    {
        gemt_case<T> g;
        g.mask = chance(0.6) ? 7 : 1 + below(7);
        for (unsigned m = 0; m < 3; ++m) {
            g.shape[m] = shape ? (*shape)[m] : 1 + below(most[m]);
            g.out[m] = chance(0.3) ? g.shape[m] : 1 + below(most[m]);
        }
        fill(g, kind);
        if constexpr (std::numeric_limits<T>::is_integer) {
            for (auto& sum : g.initial) { sum /= 2048; } // far from an overflow
        }
        for (unsigned stage = 0; stage < 3; ++stage) {
            if (g.runs(stage)) {
                if (std::numeric_limits<T>::is_integer) { g.shifts[stage] = below(stage == 2 ? 4 : 9); }
            } else {
                g.row_orders[g.order[stage] - 1].clear();
            }
        }
        g.double_buffer = chance(0.5);
        g.sums_wanted = chance(0.5);
        return g;
    }

private:
    template <class T> void fill(gemt_case<T>& g, specials kind)
    {
        static constexpr unsigned orders[6][3] = {{1, 2, 3}, {1, 3, 2}, {2, 1, 3}, {2, 3, 1}, {3, 1, 2}, {3, 2, 1}};
        std::copy_n(orders[below(6)], 3, g.order.begin());
        g.esop = chance(0.7);
        if (g.esop && chance(0.2)) { g.threshold = 0.25; }
        for (unsigned stage = 0; stage < 3; ++stage) {
            if (!g.runs(stage)) { g.out[g.order[stage] - 1] = g.shape[g.order[stage] - 1]; }
        }
        g.x = numbers<T>(g.volume(), kind);
        if (chance(0.4)) { g.initial = numbers<sum_of<T>>(g.result_volume(), kind); }
        for (unsigned m = 0; m < 3; ++m) {
            const std::uint32_t columns = g.result_shape()[m];
            g.matrices[m] = numbers<T>(std::size_t{g.shape[m]} * columns, kind);
            if (chance(0.3)) { clear_rows(g.matrices[m], columns); }
            if (chance(0.5)) { g.row_orders[m] = permutation(g.shape[m]); }
        }
    }

public:
    std::vector<std::uint32_t> permutation(std::uint32_t n)
    {
        std::vector<std::uint32_t> p(n);
        std::iota(p.begin(), p.end(), 0u);
        for (std::uint32_t i = n; i > 1; --i) { std::swap(p[i - 1], p[below(i)]); }
        return p;
    }

    template <class T> std::vector<T> numbers(std::size_t n, specials kind)
    {
        std::vector<T> v(n);
        const double zero_fraction = kind == specials::none ? 0 : unit();
        const double wild_fraction = kind == specials::wild && chance(0.7) ? 0.1 * unit() : 0;
        for (auto& x : v) { x = number(zero_fraction, wild_fraction, T{}); }
        return v;
    }

private:
    template <class R> R number(double zero_fraction, double wild_fraction, R)
    {
        if (chance(zero_fraction)) { return chance(0.3) ? -R(0) : R(0); }
        if (chance(wild_fraction)) {
            using limits = std::numeric_limits<R>;
            const R list[] = {limits::infinity(),      -limits::infinity(),      limits::quiet_NaN(),
                              -limits::quiet_NaN(),    limits::denorm_min(),     -limits::denorm_min(),
                              limits::min(),           -limits::min(),           limits::max(),
                              -limits::max(),          std::sqrt(limits::min()), -std::sqrt(limits::min()) / 4,
                              std::sqrt(limits::max())};
            return list[below(sizeof list / sizeof list[0])];
        }
        return static_cast<R>(2 * unit() - 1);
    }
    template <class R> std::complex<R> number(double zero_fraction, double wild_fraction, std::complex<R>)
    {
        if (chance(zero_fraction)) { return {}; }
        return {number(0.1 * (zero_fraction > 0), wild_fraction, R{}),
                number(0.1 * (zero_fraction > 0), wild_fraction, R{})};
    }
    arithmetic::bfloat16 number(double zero_fraction, double wild_fraction, arithmetic::bfloat16)
    {
        return arithmetic::bfloat16(number(zero_fraction, wild_fraction, float{}));
    }
    std::int8_t number(double zero_fraction, double, std::int8_t)
    {
        return chance(zero_fraction) ? std::int8_t{0} : static_cast<std::int8_t>(static_cast<int>(below(256)) - 128);
    }
    /// A sum somewhere between 0 and the ends of its range.
    std::int32_t number(double zero_fraction, double, std::int32_t)
    {
        if (chance(zero_fraction)) { return 0; }
        const auto magnitude = static_cast<std::int32_t>(std::ldexp(1 + unit(), static_cast<int>(below(31))) - 1);
        return chance(0.5) ? -magnitude : magnitude;
    }
    template <class T> void clear_rows(std::vector<T>& matrix, std::uint32_t columns)
    {
        for (std::size_t at = 0; at < matrix.size(); at += columns) {
            if (chance(0.4)) { std::fill_n(matrix.data() + at, columns, T{}); }
        }
    }

    std::mt19937_64 m_engine;
};

} // namespace tensorloom::test
