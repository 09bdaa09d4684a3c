#pragma once
#include <cstddef>
#include <cstdint>
#include <tensorloom/models/arithmetic/kernels/gemm_kernel.h>

// The innermost loops of dense products, once for all instruction sets. V is a vector type with static functions that
// do what they say; `first` ones touch only the first n numbers of a vector, 0 < n < width; `lower` takes a vector to
// the type of its first argument, the vector's or its half's. Everything is in an anonymous namespace on purpose: each
// translation unit must keep its own copy, compiled for its own machine.
namespace {

using tensorloom::arithmetic::gemm_kernel;
using tensorloom::arithmetic::gemm_tiles;

/// No columns after a tile's whole vectors.
struct no_tail {};

/// The vector type of a tail; where there is none, any type will do.
template <class V, class Tail> struct tail_type {
    using type = Tail;
};
template <class V> struct tail_type<V, no_tail> {
    using type = V;
};

/// The same value, hidden from the compiler: values computed from it do not occupy registers that the loops need for
/// sums.
inline std::ptrdiff_t fresh(std::ptrdiff_t distance)
{
    __asm__("" : "+r"(distance));
    return distance;
}

/// Tiles of Rows x (Vectors vectors and a tail, of which some columns are used): the accumulators stay in registers
/// over the whole sum.
template <class V, class Tail, std::size_t Rows, std::size_t Vectors, bool Counts, bool Packs>
bool multiply_tiles(const gemm_tiles<typename V::real>& g)
{
    // (1) Tile geometry in registers.
    using real = typename V::real;
    using tail = typename tail_type<V, Tail>::type;
    constexpr std::size_t tails = __is_same(Tail, no_tail) ? 0 : 1;
    constexpr std::size_t behind = Vectors * V::width;
    const std::size_t columns = g.columns;
    const std::size_t used = columns - behind;
    const std::size_t terms = g.terms;
    std::ptrdiff_t a_row = g.a.row * static_cast<std::ptrdiff_t>(sizeof(real));
    std::ptrdiff_t c_row = g.c.row;
    const std::ptrdiff_t a_step = g.a.step;
    const std::ptrdiff_t b_step = g.b.step;
    const bool accumulate = g.accumulate;
    const real* tile_a = g.a.at;
    const real* tile_ahead = g.ahead.at;
    real* c = g.c.at;
    bool finite = true;
    for (std::size_t tile = 0; tile < g.count; ++tile) {
        // (2) Clear the accumulators, or load them from C.
        typename V::vector sum[Rows][Vectors + 1];
        typename tail::vector tail_sum[Rows];
        c_row = fresh(c_row);
        const real* to = c;
#pragma GCC unroll 8
        for (std::size_t r = 0; r < Rows; ++r, to += c_row) {
            __builtin_prefetch(to, 1);
            __builtin_prefetch(to + columns - 1, 1);
#pragma GCC unroll 8
            for (std::size_t v = 0; v < Vectors; ++v) { sum[r][v] = V::zero(); }
            tail_sum[r] = tail::zero();
        }
        if (accumulate) {
            const real* from = c;
#pragma GCC unroll 8
            for (std::size_t r = 0; r < Rows; ++r, from += c_row) {
#pragma GCC unroll 8
                for (std::size_t v = 0; v < Vectors; ++v) { sum[r][v] = V::load(from + v * V::width); }
                if constexpr (tails == 1) { tail_sum[r] = tail::load_first(from + behind, used); }
            }
        }
        // (3) Pointers of this tile: A, B, prefetch, packed copy and counts.
        const real* a = tile_a;
        const real* b = g.b.at;
        const bool fetches = tile < g.ahead.tiles;
        const real* ahead = fetches ? tile_ahead : a;
        const std::ptrdiff_t ahead_step = fetches ? g.ahead.step : 0;
        real* packed = g.scanned.packed;
        const std::ptrdiff_t packed_step = g.scanned.packed_step;
        std::uint64_t* counts = g.scanned.counts;
        const std::ptrdiff_t count_step = g.scanned.count_step;
        // (4) For each term: load a row of B, count and pack it where asked, and add its products with a column of A.
        for (std::size_t t = terms; t > 0; --t) {
            __builtin_prefetch(ahead);
            ahead += ahead_step;
            typename V::vector row[Vectors + 1];
            typename tail::vector tail_row;
#pragma GCC unroll 8
            for (std::size_t v = 0; v < Vectors; ++v) { row[v] = V::load(b + v * V::width); }
            if constexpr (tails == 1) { tail_row = tail::load_first(b + behind, used); }
            if constexpr (Counts) {
                unsigned nonzeros = 0;
#pragma GCC unroll 8
                for (std::size_t v = 0; v < Vectors; ++v) { nonzeros += V::count(V::nonzero(row[v])); }
                if constexpr (tails == 1) { nonzeros += tail::count(tail::nonzero(tail_row)); }
                *counts += nonzeros;
                counts += count_step;
            }
            if constexpr (Packs) {
#pragma GCC unroll 8
                for (std::size_t v = 0; v < Vectors; ++v) { V::store(packed + v * V::width, row[v]); }
                if constexpr (tails == 1) { tail::store_first(packed + behind, tail_row, used); }
                packed += packed_step;
            }
            a_row = fresh(a_row);
            const char* const upper = reinterpret_cast<const char*>(a);
            const char* const lower = upper + 4 * a_row;
#pragma GCC unroll 8
            for (std::size_t r = 0; r < Rows; ++r) {
                const char* const at = (r < 4 ? upper : lower) + static_cast<std::ptrdiff_t>(r % 4) * a_row;
                const typename V::vector factor = V::broadcast(*reinterpret_cast<const real*>(at));
#pragma GCC unroll 8
                for (std::size_t v = 0; v < Vectors; ++v) { sum[r][v] = V::fma(factor, row[v], sum[r][v]); }
                if constexpr (tails == 1) {
                    tail_sum[r] = tail::fma(V::lower(tail_row, factor), tail_row, tail_sum[r]);
                }
            }
            a += a_step;
            b += b_step;
        }
        // (5) Store the sums, and detect non-finite ones: x - x is +0 for a finite number and NaN for any other.
        typename V::vector odd = V::zero();
        typename tail::vector tail_odd = tail::zero();
        c_row = fresh(c_row);
#pragma GCC unroll 8
        for (std::size_t r = 0; r < Rows; ++r) {
#pragma GCC unroll 8
            for (std::size_t v = 0; v < Vectors; ++v) {
                V::store(c + v * V::width, sum[r][v]);
                odd = V::merged(odd, V::minus_itself(sum[r][v]));
            }
            if constexpr (tails == 1) {
                tail::store_first(c + behind, tail_sum[r], used);
                tail_odd = tail::merged(tail_odd, tail::minus_itself(tail_sum[r]));
            }
            c += c_row;
        }
        finite &= !V::any_nan(odd) & !tail::any_nan(tail_odd);
        tile_a += g.a.tile;
        tile_ahead += g.ahead.tile;
    }
    return finite;
}

template <class V, class Tail, std::size_t Rows, std::size_t Vectors>
bool multiply_vectors(std::size_t vectors, const gemm_tiles<typename V::real>& g)
{
    if constexpr (Vectors > 0) {
        if (vectors != Vectors) { return multiply_vectors<V, Tail, Rows, Vectors - 1>(vectors, g); }
    }
    if (g.scanned.counts == nullptr) { return multiply_tiles<V, Tail, Rows, Vectors, false, false>(g); }
    return g.scanned.packed == nullptr ? multiply_tiles<V, Tail, Rows, Vectors, true, false>(g)
                                       : multiply_tiles<V, Tail, Rows, Vectors, true, true>(g);
}

template <class V, std::size_t Rows> bool multiply_rows(const gemm_tiles<typename V::real>& g)
{
    if constexpr (Rows > 1) {
        if (g.rows != Rows) { return multiply_rows<V, Rows - 1>(g); }
    }
    const std::size_t vectors = g.columns / V::width;
    if constexpr (V::width > 1) {
        // A tail of exactly half a vector is treated as a partial one, with a full mask.
        const std::size_t rest = g.columns % V::width;
        if (rest > V::width / 2) { return multiply_vectors<V, V, Rows, V::vectors - 1>(vectors, g); }
        if (rest > 0) { return multiply_vectors<V, typename V::half, Rows, V::vectors - 1>(vectors, g); }
    }
    return multiply_vectors<V, no_tail, Rows, V::vectors>(vectors, g);
}

template <class V> bool multiply(const gemm_tiles<typename V::real>& g) { return multiply_rows<V, V::rows>(g); }

template <class V>
void count_rows(const typename V::real* re, const typename V::real* im, std::size_t row, const std::uint32_t* rows,
                std::size_t count, std::size_t n, std::uint64_t* counts)
{
    for (std::size_t t = 0; t < count; ++t) {
        const typename V::real* const a = re + rows[t] * row;
        const typename V::real* const b = im + rows[t] * row;
        std::uint64_t sum = 0;
        std::size_t k = 0;
        for (; k + V::width <= n; k += V::width) {
            sum += V::count(V::either(V::nonzero(V::load(a + k)), V::nonzero(V::load(b + k))));
        }
        if constexpr (V::width > 1) {
            if (k < n) {
                sum += V::count(
                    V::either(V::nonzero(V::load_first(a + k, n - k)), V::nonzero(V::load_first(b + k, n - k))));
            }
        }
        counts[rows[t]] += sum;
    }
}

template <class V, bool Complex>
typename V::mask nonzero_elements(const typename V::real* re, const typename V::real* im)
{
    const auto real_part = V::nonzero(V::load(re));
    if constexpr (Complex) { return V::either(real_part, V::nonzero(V::load(im))); }
    return real_part;
}
template <class V, bool Complex>
typename V::mask first_nonzero_elements(const typename V::real* re, const typename V::real* im, std::size_t n)
{
    const auto real_part = V::nonzero(V::load_first(re, n));
    if constexpr (Complex) { return V::either(real_part, V::nonzero(V::load_first(im, n))); }
    return real_part;
}

/// True when none of n elements is zero.
template <class V, bool Complex> bool all_nonzero(const typename V::real* re, const typename V::real* im, std::size_t n)
{
    std::size_t k = 0;
    for (; k + V::width <= n; k += V::width) {
        if (V::count(nonzero_elements<V, Complex>(re + k, im + k)) != V::width) { return false; }
    }
    if constexpr (V::width > 1) {
        if (k < n) { return V::count(first_nonzero_elements<V, Complex>(re + k, im + k, n - k)) == n - k; }
    }
    return true;
}

template <class V, bool Complex>
void count_columns_of(const typename V::real* re, const typename V::real* im, std::size_t row, std::size_t rows,
                      std::size_t n, std::uint32_t* counts)
{
    std::size_t k = 0;
    if (row == n && all_nonzero<V, Complex>(re, im, rows * n)) {
        for (; k < n; ++k) { counts[k] += static_cast<std::uint32_t>(rows); }
        return;
    }
    for (; k + V::width <= n; k += V::width) {
        auto sum = V::no_counts();
        for (std::size_t r = 0; r < rows; ++r) {
            sum = V::increased(sum, nonzero_elements<V, Complex>(re + r * row + k, im + r * row + k));
        }
        V::add_counts(counts + k, sum, V::width);
    }
    if constexpr (V::width > 1) {
        if (k < n) {
            auto sum = V::no_counts();
            for (std::size_t r = 0; r < rows; ++r) {
                sum = V::increased(sum, first_nonzero_elements<V, Complex>(re + r * row + k, im + r * row + k, n - k));
            }
            V::add_counts(counts + k, sum, n - k);
        }
    }
}

template <class V>
void count_columns(const typename V::real* re, const typename V::real* im, std::size_t row, std::size_t rows,
                   std::size_t n, std::uint32_t* counts)
{
    (re == im ? &count_columns_of<V, false> : &count_columns_of<V, true>)(re, im, row, rows, n, counts);
}

template <class V> constexpr gemm_kernel<typename V::real> make_gemm_kernel(const char* name)
{
    return {name, V::rows, V::vectors * V::width, V::width, &multiply<V>, &count_rows<V>, &count_columns<V>};
}

} // namespace
