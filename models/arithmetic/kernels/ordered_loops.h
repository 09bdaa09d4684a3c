#pragma once
#include <cstddef>
#include <tensorloom/models/arithmetic/kernels/ordered_kernel.h>

// The innermost loops of ordered products, once for all instruction sets. S is a vector type with static functions for
// sums: `mac` and `add` round like the psum type, except that NaN need not be canonical yet (it stays NaN); `canonical`
// makes it so; `first` ones touch only the first n numbers. Everything is in an anonymous namespace on purpose: each
// translation unit must keep its own copy, compiled for its own machine.
namespace {

using tensorloom::arithmetic::ordered_kernel;
using tensorloom::arithmetic::ordered_tile;

/// The terms that have not been added yet, which lie where tables say.
template <std::size_t Rows> struct listed_terms {
    explicit listed_terms(const ordered_tile& t) : b(t.b), a_term(t.a_term), b_term(t.b_term), count(t.terms)
    {
#pragma GCC unroll 8
        for (std::size_t r = 0; r < Rows; ++r) { a[r] = t.a + t.a_row[r]; }
    }

    /// The next `n`: visit(where it lies in each row of a, its row of b).
    template <class Visit> void take(std::size_t n, const Visit& visit)
    {
        count -= n;
        for (std::size_t i = 0; i < n; ++i) { visit(a_term[i], b + b_term[i]); }
        a_term += n;
        b_term += n;
    }

    const float* a[Rows];         ///< rows
    const float* b;               ///< the first column
    const std::ptrdiff_t* a_term; ///< where the next terms lie there
    const std::ptrdiff_t* b_term;
    std::size_t count;
};

/// Likewise, at equal distances: fewer loads, and fewer registers, which long chains need for addresses of rows.
template <std::size_t Rows> struct even_terms {
    explicit even_terms(const ordered_tile& t) : b(t.b), a_step(t.a_step), b_step(t.b_step), count(t.terms)
    {
#pragma GCC unroll 8
        for (std::size_t r = 0; r < Rows; ++r) { a[r] = t.a + t.a_row[r]; }
    }

    template <class Visit> void take(std::size_t n, const Visit& visit)
    {
        count -= n;
        const std::ptrdiff_t to_next_a = a_step, to_next_b = b_step;
        for (; n > 0; --n) {
            visit(a_term, b);
            a_term += to_next_a;
            b += to_next_b;
        }
    }

    const float* a[Rows];
    const float* b; ///< of the next term
    std::ptrdiff_t a_term = 0;
    const std::ptrdiff_t a_step, b_step;
    std::size_t count;
};

/// Rows x Vectors sums, in registers as far as these reach; with Tail only the first `used` numbers of a row's last
/// vector count.
template <class S, std::size_t Rows, std::size_t Vectors, bool Tail> struct ordered_sums {
    using vector = typename S::vector;

    vector sum[Rows][Vectors];

    template <class Change> void each(Change change)
    {
#pragma GCC unroll 8
        for (std::size_t r = 0; r < Rows; ++r) {
#pragma GCC unroll 8
            for (std::size_t v = 0; v < Vectors; ++v) { sum[r][v] = change(r, v); }
        }
    }

    void load(const ordered_tile& t, std::size_t used)
    {
        each([&](std::size_t r, std::size_t v) { return load_vector(t.y + t.y_row[r], v, used); });
    }
    void store(const ordered_tile& t, std::size_t used) const
    {
        for (std::size_t r = 0; r < Rows; ++r) {
            float* const y = t.y + t.y_row[r];
            for (std::size_t v = 0; v < Vectors; ++v) { store_vector(y, v, S::canonical(sum[r][v]), used); }
        }
    }

    /// The next chain.
    template <class Terms> void take_chain(const ordered_tile& t, Terms& next, std::size_t used)
    {
        const auto zero = S::broadcast(0.0f);
        const std::size_t count = next.count < t.length ? next.count : t.length;
        each([&](std::size_t, std::size_t) { return zero; });
        next.take(count, [&](std::ptrdiff_t a_term, const float* b) {
            vector row[Vectors];
#pragma GCC unroll 8
            for (std::size_t v = 0; v < Vectors; ++v) { row[v] = load_vector(b, v, used); }
            each([&](std::size_t r, std::size_t v) {
                return S::mac(sum[r][v], S::broadcast(next.a[r][a_term]), row[v]);
            });
        });
        // Of any number of terms with zeros the first does what all do.
        if (count < t.length) {
            each([&](std::size_t r, std::size_t v) { return S::mac(sum[r][v], zero, zero); });
        }
    }

    /// The next tree. Part p is the right operand on the levels of the lowest bits of p that are set; there the sums so
    /// far wait for it. Parts without terms are +0, and so are trees of them.
    template <class Terms> void take_tree(const ordered_tile& t, Terms& next, std::size_t used)
    {
        const auto zero = S::broadcast(0.0f);
        ordered_sums waiting[ordered_tile::max_levels];
        for (std::size_t part = 0;; ++part) {
            take_chain(t, next, used);
            const bool last = next.count == 0 || part + 1 == std::size_t{1} << t.levels;
            unsigned level = 0;
            for (; last ? level < t.levels : (part >> level & 1u) != 0; ++level) {
                const ordered_sums& left = waiting[level];
                if ((part >> level & 1u) != 0) {
                    each([&](std::size_t r, std::size_t v) { return S::add(left.sum[r][v], sum[r][v]); });
                } else {
                    each([&](std::size_t r, std::size_t v) { return S::add(sum[r][v], zero); });
                }
            }
            if (last) { return; }
            waiting[level] = *this;
        }
    }

private:
    static vector load_vector(const float* row, std::size_t v, [[maybe_unused]] std::size_t used)
    {
        if constexpr (Tail) {
            if (v == Vectors - 1) { return S::load_first(row + v * S::width, used); }
        }
        return S::load(row + v * S::width);
    }
    static void store_vector(float* row, std::size_t v, vector x, [[maybe_unused]] std::size_t used)
    {
        if constexpr (Tail) {
            if (v == Vectors - 1) { return S::store_first(row + v * S::width, x, used); }
        }
        S::store(row + v * S::width, x);
    }
};

template <class S, std::size_t Rows, std::size_t Vectors, bool Tail, class Terms = listed_terms<Rows>>
void multiply_tile(const ordered_tile& tile)
{
    using sums = ordered_sums<S, Rows, Vectors, Tail>;
    const ordered_tile t = tile; // what is stored cannot change it
    const std::size_t used = t.columns - (Vectors - 1) * S::width;
    Terms next(t);
    sums total;
    bool stored = t.accumulate;
    if (stored) { total.load(t, used); }
    do {
        sums s;
        s.take_tree(t, next, used);
        if (stored) {
            s.each([&](std::size_t r, std::size_t v) { return S::add(total.sum[r][v], s.sum[r][v]); });
        }
        total = s;
        stored = true;
    } while (next.count > 0);
    total.store(t, used);
}

template <class S, std::size_t Rows, std::size_t Vectors> void multiply_vectors(const ordered_tile& t)
{
    if constexpr (Vectors > 1) {
        if (t.columns <= (Vectors - 1) * S::width) { return multiply_vectors<S, Rows, Vectors - 1>(t); }
    }
    if constexpr (S::width > 1) {
        if (t.columns < Vectors * S::width) { return multiply_tile<S, Rows, Vectors, true>(t); }
    }
    if constexpr (Vectors == S::vectors) {
        if (t.b_step != 0) { return multiply_tile<S, Rows, Vectors, false, even_terms<Rows>>(t); }
    }
    multiply_tile<S, Rows, Vectors, false>(t);
}

template <class S, std::size_t Rows> void multiply_rows(const ordered_tile& t)
{
    if constexpr (Rows > 1) {
        if (t.rows < Rows) { return multiply_rows<S, Rows - 1>(t); }
    }
    multiply_vectors<S, Rows, S::vectors>(t);
}

template <class S> void multiply(const ordered_tile& t) { multiply_rows<S, S::rows>(t); }

template <class Psum, class S>
constexpr ordered_kernel<Psum> make_ordered_kernel(const char* name,
                                                   void (*function)(const ordered_tile&) = &multiply<S>)
{
    return {name, S::rows, S::vectors * S::width, S::width, function};
}

} // namespace
