#pragma once
#include <cstddef>
#include <cstdint>
#include <utility>
#include <tensorloom/models/arithmetic/kernels/list_kernel.h>

// The innermost loops of products by lists, once for all instruction sets. V is a vector type with static functions:
// load, store, fma and the like do what they say; `first` ones touch only the first n numbers of a vector, 0 < n <
// width; `fma_where` leaves the sums where the mask is false. Everything is in an anonymous namespace on purpose: each
// translation unit must keep its own copy, compiled for its own machine.
namespace {

using tensorloom::arithmetic::list_kernel;
using tensorloom::arithmetic::list_lanes;
using tensorloom::arithmetic::listed_coefficient;

/// `count` vectors side by side, or with Whole = false the first `n` numbers of one.
template <class V, bool Whole> struct lane_access {
    static typename V::vector load(const typename V::real* p, [[maybe_unused]] std::size_t n)
    {
        if constexpr (Whole) {
            return V::load(p);
        } else {
            return V::load_first(p, n);
        }
    }
    static void store(typename V::real* p, typename V::vector v, [[maybe_unused]] std::size_t n)
    {
        if constexpr (Whole) {
            V::store(p, v);
        } else {
            V::store_first(p, v, n);
        }
    }
};

/// Stores sums among which is NaN: as the canonical one, unless it was there before and no operand has been added to
/// it.
template <class V, unsigned Parts, bool SkipZeros>
void store_with_nan(const listed_coefficient<typename V::real>* first, const listed_coefficient<typename V::real>* last,
                    const list_lanes<typename V::real>& lanes, std::size_t lane, std::size_t count, typename V::real* y,
                    typename V::vector sum)
{
    using real = typename V::real;
    real sums[V::width];
    V::store(sums, sum);
    const auto added = [&](std::size_t l) {
        for (const auto* c = first; c != last; ++c) {
            const real* x = lanes.x + c->row * lanes.x_row + l;
            if (!SkipZeros || x[0] != real(0) || (Parts == 2 && x[lanes.x_part] != real(0))) { return true; }
        }
        return false;
    };
    for (std::size_t l = 0; l < count; ++l) {
        if (sums[l] == sums[l]) {
            y[l] = sums[l];
        } else if (!lanes.accumulate || y[l] == y[l] || added(lane + l)) {
            y[l] = static_cast<real>(__builtin_nanf(""));
        }
    }
}

/// Vectors * width lanes from `lane` on; with Whole = false, n lanes of one vector.
template <class V, unsigned Parts, bool SkipZeros, unsigned Vectors, bool Whole>
void list_group(const listed_coefficient<typename V::real>* first, const listed_coefficient<typename V::real>* last,
                const list_lanes<typename V::real>& lanes, std::size_t lane, std::size_t n)
{
    using real = typename V::real;
    using vector = typename V::vector;
    using access = lane_access<V, Whole>;
    vector sum[Parts][Vectors];
    for (unsigned p = 0; p < Parts; ++p) {
        const real* from = lanes.y + p * lanes.y_part + lane;
        for (unsigned v = 0; v < Vectors; ++v) {
            sum[p][v] = lanes.accumulate ? access::load(from + v * V::width, n) : V::zero();
        }
    }
    for (const auto* c = first; c != last; ++c) {
        const real* x = lanes.x + c->row * lanes.x_row + lane;
        const vector c_re = V::broadcast(c->re);
        for (unsigned v = 0; v < Vectors; ++v) {
            const vector a = access::load(x + v * V::width, n);
            if constexpr (Parts == 1) {
                sum[0][v] = SkipZeros ? V::fma_where(V::nonzero(a), a, c_re, sum[0][v]) : V::fma(a, c_re, sum[0][v]);
            } else {
                const vector b = access::load(x + lanes.x_part + v * V::width, n);
                const vector c_im = V::broadcast(c->im);
                const vector minus_c_im = V::broadcast(-c->im);
                if constexpr (SkipZeros) {
                    const auto wanted = V::either(V::nonzero(a), V::nonzero(b));
                    sum[0][v] = V::fma_where(wanted, a, c_re, sum[0][v]);
                    sum[0][v] = V::fma_where(wanted, b, minus_c_im, sum[0][v]);
                    sum[1][v] = V::fma_where(wanted, a, c_im, sum[1][v]);
                    sum[1][v] = V::fma_where(wanted, b, c_re, sum[1][v]);
                } else {
                    sum[0][v] = V::fma(b, minus_c_im, V::fma(a, c_re, sum[0][v]));
                    sum[1][v] = V::fma(b, c_re, V::fma(a, c_im, sum[1][v]));
                }
            }
        }
    }
    for (unsigned p = 0; p < Parts; ++p) {
        for (unsigned v = 0; v < Vectors; ++v) {
            const std::size_t at = lane + v * V::width;
            real* to = lanes.y + p * lanes.y_part + at;
            if (V::any_nan(sum[p][v])) {
                store_with_nan<V, Parts, SkipZeros>(first, last, lanes, at, Whole ? V::width : n, to, sum[p][v]);
            } else {
                access::store(to, sum[p][v], n);
            }
        }
    }
}

/// As many groups of `Vectors` vectors as fit; then the rest by smaller ones.
template <class V, unsigned Parts, bool SkipZeros, unsigned Vectors>
void list_groups(const listed_coefficient<typename V::real>* first, const listed_coefficient<typename V::real>* last,
                 const list_lanes<typename V::real>& lanes, std::size_t lane)
{
    for (; lane + Vectors * V::width <= lanes.count; lane += Vectors * V::width) {
        list_group<V, Parts, SkipZeros, Vectors, true>(first, last, lanes, lane, V::width);
    }
    if constexpr (Vectors > 1) {
        if (lane < lanes.count) { list_groups<V, Parts, SkipZeros, Vectors / 2>(first, last, lanes, lane); }
    } else if constexpr (V::width > 1) {
        if (lane < lanes.count) {
            list_group<V, Parts, SkipZeros, 1, false>(first, last, lanes, lane, lanes.count - lane);
        }
    }
}

template <class V, unsigned Parts, bool SkipZeros, unsigned Vectors>
void run_list(const listed_coefficient<typename V::real>* first, const listed_coefficient<typename V::real>* last,
              const list_lanes<typename V::real>& lanes)
{
    list_groups<V, Parts, SkipZeros, Vectors>(first, last, lanes, 0);
}

/// One round of the transposition of a square of vectors, each `Step` numbers apart: number l of the lower vector
/// becomes that of l - Step of the upper one, where bit Step of l is set, and the other way round.
template <class V, unsigned Step, int... L>
void exchange_halves(typename V::vector& low, typename V::vector& high, std::integer_sequence<int, L...>)
{
    constexpr int width = V::width;
    constexpr int step = Step;
    const typename V::vector a = low;
    const typename V::vector b = high;
    low = __builtin_shufflevector(a, b, ((L & step) == 0 ? L : width + L - step)...);
    high = __builtin_shufflevector(a, b, ((L & step) == 0 ? L + step : width + L)...);
}

template <class V, unsigned Step = V::width / 2> void transpose_square(typename V::vector (&row)[V::width])
{
    if constexpr (Step > 0) {
        for (unsigned r = 0; r < V::width; ++r) {
            if ((r & Step) == 0) {
                exchange_halves<V, Step>(row[r], row[r + Step], std::make_integer_sequence<int, V::width>());
            }
        }
        transpose_square<V, Step / 2>(row);
    }
}

template <class V>
void transpose(const typename V::real* from, std::size_t from_row, std::size_t rows, std::size_t columns,
               typename V::real* to, std::size_t to_row)
{
    if constexpr (V::width == 1) {
        for (std::size_t r = 0; r < rows; ++r) {
            for (std::size_t c = 0; c < columns; ++c) { to[c * to_row + r] = from[r * from_row + c]; }
        }
    } else {
        constexpr std::size_t width = V::width;
        for (std::size_t r = 0; r < rows; r += width) {
            const std::size_t high = rows - r < width ? rows - r : width;
            for (std::size_t c = 0; c < columns; c += width) {
                const std::size_t wide = columns - c < width ? columns - c : width;
                const auto* source = from + r * from_row + c;
                auto* target = to + c * to_row + r;
                typename V::vector square[width];
                if (high == width && wide == width) {
                    for (std::size_t i = 0; i < width; ++i) { square[i] = V::load(source + i * from_row); }
                    transpose_square<V>(square);
                    for (std::size_t i = 0; i < width; ++i) { V::store(target + i * to_row, square[i]); }
                    continue;
                }
                for (std::size_t i = 0; i < width; ++i) {
                    square[i] = i >= high       ? V::zero()
                                : wide == width ? V::load(source + i * from_row)
                                                : V::load_first(source + i * from_row, wide);
                }
                transpose_square<V>(square);
                for (std::size_t i = 0; i < wide; ++i) {
                    if (high == width) {
                        V::store(target + i * to_row, square[i]);
                    } else {
                        V::store_first(target + i * to_row, square[i], high);
                    }
                }
            }
        }
    }
}

/// Sums of a group stay in registers: `Vectors` of them in real products, half as many of either part in complex ones.
/// Squares is the vector type whose squares are transposed.
template <class V, unsigned Vectors, class Squares>
constexpr list_kernel<typename V::real> make_list_kernel(const char* name, double real_pays_below,
                                                         double complex_pays_below)
{
    constexpr unsigned complex_vectors = Vectors / 2;
    return {name,
            Vectors * V::width,
            {real_pays_below, complex_pays_below},
            {{&run_list<V, 1, false, Vectors>, &run_list<V, 1, true, Vectors>},
             {&run_list<V, 2, false, complex_vectors>, &run_list<V, 2, true, complex_vectors>}},
            &transpose<Squares>};
}

} // namespace
