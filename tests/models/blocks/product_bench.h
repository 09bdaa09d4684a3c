#pragma once
#include <complex>
#include <cstdint>
#include <random>
#include <vector>
#include <tensorloom/models/blocks/systolic_array.h>
#include "models/arithmetic/naive_rows.h"

namespace tensorloom::test {

struct product_sizes {
    std::uint64_t batch, rows, columns, depth; // G, M, N, K
};

inline double there_plus(double there, double x, std::uint64_t&) { return canonical(there + x); }
inline float there_plus(float there, float x, std::uint64_t&) { return canonical(there + x); }
inline std::complex<double> there_plus(const std::complex<double>& there, const std::complex<double>& x, std::uint64_t&)
{
    return {canonical(there.real() + x.real()), canonical(there.imag() + x.imag())};
}
template <class Integer> Integer there_plus(Integer there, Integer x, std::uint64_t& overflowed)
{
    Integer sum = 0;
    overflowed += __builtin_add_overflow(there, x, &sum) ? 1 : 0;
    return sum;
}

/// A batch of products in memory of its own.
template <class Element> struct product_bench {
    using word = word_of<Element>;

    template <class Draw>
    product_bench(const product_sizes& s, std::mt19937_64& random, const Draw& draw)
        : sizes(s), left(elements<Element>(s.batch * s.rows * s.depth, random, draw)),
          weights(elements<Element>(s.batch * s.depth * s.columns, random, draw)),
          result(s.batch * s.rows * s.columns, word(77))
    {}

    std::vector<blocks::array_tile> tiles(const blocks::systolic_array_config& config)
    {
        blocks::array_product p;
        p.left = reinterpret_cast<const unsigned char*>(left.data());
        p.weights = reinterpret_cast<const unsigned char*>(weights.data());
        p.result = reinterpret_cast<unsigned char*>(result.data());
        p.batch = sizes.batch;
        p.rows = sizes.rows;
        p.depth = sizes.depth;
        p.columns = sizes.columns;
        return blocks::tiles_of(p, config);
    }

    /// Parts of `side` terms each, from +0 on and filled up with products of zeros; the first part, then the others
    /// added. In the columns that no result needs the array multiplies, too: by zeros, which overflows nothing.
    std::vector<word> expected(unsigned side, std::uint64_t& overflowed) const
    {
        std::vector<word> y;
        for (std::uint64_t g = 0; g < sizes.batch; ++g) {
            for (std::uint64_t m = 0; m < sizes.rows; ++m) {
                for (std::uint64_t n = 0; n < sizes.columns; ++n) {
                    word sum{};
                    for (std::uint64_t k = 0; k < sizes.depth; k += side) {
                        std::vector<Element> x(side), w(side);
                        for (std::uint64_t i = 0; i < side && k + i < sizes.depth; ++i) {
                            x[i] = left[(g * sizes.rows + m) * sizes.depth + k + i];
                            w[i] = weights[(g * sizes.depth + k + i) * sizes.columns + n];
                        }
                        const word part = naive_sum(x.data(), w.data(), side, 1, overflowed);
                        sum = k == 0 ? part : there_plus(sum, part, overflowed);
                    }
                    y.push_back(sum);
                }
            }
        }
        return y;
    }

    product_sizes sizes;
    std::vector<Element> left;
    std::vector<Element> weights;
    std::vector<word> result;
};

} // namespace tensorloom::test
