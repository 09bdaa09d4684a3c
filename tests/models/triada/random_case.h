#pragma once
#include <algorithm>
#include <complex>
#include <cstdint>
#include <limits>
#include <numeric>
#include <random>
#include <vector>
#include "models/triada/gemt_case.h"

namespace tensorloom::test {

/// Draws products: sizes, orders, row orders, densities, data of every magnitude and, on demand, special numbers.
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
        static constexpr unsigned orders[6][3] = {{1, 2, 3}, {1, 3, 2}, {2, 1, 3}, {2, 3, 1}, {3, 1, 2}, {3, 2, 1}};
        std::copy_n(orders[below(6)], 3, g.order.begin());
        g.esop = chance(0.7);
        if (g.esop && chance(0.2)) { g.threshold = 0.25; }
        g.x = numbers<T>(g.volume(), kind);
        if (chance(0.4)) { g.initial = numbers<T>(g.volume(), kind); }
        for (unsigned m = 0; m < 3; ++m) {
            g.matrices[m] = numbers<T>(std::size_t{g.shape[m]} * g.shape[m], kind);
            if (chance(0.3)) { clear_rows(g.matrices[m], g.shape[m]); }
            if (chance(0.5)) { g.row_orders[m] = permutation(g.shape[m]); }
        }
        return g;
    }

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
    template <class T> void clear_rows(std::vector<T>& matrix, std::uint32_t n)
    {
        for (std::uint32_t row = 0; row < n; ++row) {
            if (chance(0.4)) { std::fill_n(matrix.begin() + std::size_t{row} * n, n, T{}); }
        }
    }

    std::mt19937_64 m_engine;
};

} // namespace tensorloom::test
