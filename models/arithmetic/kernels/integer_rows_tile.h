#pragma once
#include <cstddef>
#include <cstdint>
#include <tensorloom/models/arithmetic/kernels/integer_rows_kernel.h>

// Rows of integers times a panel, for all instruction sets: compilers map the vectors of `Bytes` bytes to those of the
// machine. In an anonymous namespace on purpose: each translation unit must keep its own copy, compiled for its own
// machine.
namespace {

using tensorloom::arithmetic::integer_range;
using tensorloom::arithmetic::integer_rows;
using tensorloom::arithmetic::integer_rows_kernel;

/// Words without a sign: they wrap.
template <class Word> struct wrapping;
template <> struct wrapping<std::int32_t> {
    using type = std::uint32_t;
};
template <> struct wrapping<std::int64_t> {
    using type = std::uint64_t;
};

template <class Word, std::size_t Bytes> struct lanes {
    using word = typename wrapping<Word>::type;
    typedef word vector __attribute__((vector_size(Bytes)));
    static constexpr std::size_t width = Bytes / sizeof(Word);
};

/// A tile of Rows rows; the sums stay in registers.
template <class Word, std::size_t Bytes, std::size_t Rows, std::size_t Vectors>
void multiply_tile(const integer_rows<Word>& g, const Word* x, Word* z)
{
    using v = lanes<Word, Bytes>;
    using word = typename v::word;
    typename v::vector sum[Rows][Vectors] = {};
    const Word* w = g.weights;
    for (std::size_t t = 0; t < g.terms; ++t, w += Vectors * v::width) {
        typename v::vector row[Vectors];
        __builtin_memcpy(row, w, sizeof row);
#pragma GCC unroll 8
        for (std::size_t r = 0; r < Rows; ++r) {
            const word factor =
                static_cast<word>(x[static_cast<std::ptrdiff_t>(r) * g.x_row + static_cast<std::ptrdiff_t>(t)]);
#pragma GCC unroll 2
            for (std::size_t k = 0; k < Vectors; ++k) { sum[r][k] += factor * row[k]; }
        }
    }
#pragma GCC unroll 8
    for (std::size_t r = 0; r < Rows; ++r, z += g.z_row) {
        if (g.columns == Vectors * v::width) {
            __builtin_memcpy(z, sum[r], sizeof sum[r]);
        } else {
            __builtin_memcpy(z, sum[r], g.columns * sizeof(Word));
        }
    }
}

/// The tile of the last rows.
template <class Word, std::size_t Bytes, std::size_t Rows, std::size_t Vectors>
void multiply_rest(std::size_t rows, const integer_rows<Word>& g, const Word* x, Word* z)
{
    if (rows == Rows) {
        multiply_tile<Word, Bytes, Rows, Vectors>(g, x, z);
    } else if constexpr (Rows > 1) {
        multiply_rest<Word, Bytes, Rows - 1, Vectors>(rows, g, x, z);
    }
}

template <class Word, std::size_t Bytes, std::size_t Rows, std::size_t Vectors>
void multiply_panel(const integer_rows<Word>& g)
{
    const Word* x = g.x;
    Word* z = g.z;
    std::size_t rows = g.rows;
    for (; rows >= Rows; rows -= Rows) {
        multiply_tile<Word, Bytes, Rows, Vectors>(g, x, z);
        x += static_cast<std::ptrdiff_t>(Rows) * g.x_row;
        z += static_cast<std::ptrdiff_t>(Rows) * g.z_row;
    }
    multiply_rest<Word, Bytes, Rows, Vectors>(rows, g, x, z);
}

template <class Word, std::size_t Bytes, std::size_t Rows> void multiply_rows_of_integers(const integer_rows<Word>& g)
{
    if (g.columns <= lanes<Word, Bytes>::width) {
        multiply_panel<Word, Bytes, Rows, 1>(g);
    } else {
        multiply_panel<Word, Bytes, Rows, 2>(g);
    }
}

template <class Word>
integer_range<Word> range_of_rows(const Word* x, std::ptrdiff_t x_row, std::size_t rows, std::size_t n)
{
    Word least = 0;
    Word most = 0;
    for (; rows > 0; --rows, x += x_row) {
        for (std::size_t k = 0; k < n; ++k) {
            least = x[k] < least ? x[k] : least;
            most = x[k] > most ? x[k] : most;
        }
    }
    return {least, most};
}

template <class Word, std::size_t Bytes, std::size_t Rows>
constexpr integer_rows_kernel<Word> make_integer_rows_kernel(const char* name)
{
    constexpr std::size_t width = lanes<Word, Bytes>::width;
    return {name, 2 * width, width, &multiply_rows_of_integers<Word, Bytes, Rows>, &range_of_rows<Word>};
}

} // namespace
