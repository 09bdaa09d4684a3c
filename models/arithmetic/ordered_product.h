#pragma once
#include <cstddef>
#include <string>
#include <vector>
#include <tensorloom/models/arithmetic/index_offsets.h>
#include <tensorloom/models/arithmetic/psum.h>

namespace tensorloom::arithmetic {

template <class Psum> struct ordered_kernel;

/// A matrix product whose sums have the order of an array of engines:
///
///     y[i][j] = sum over o = 0, 1, ... of tree over p < parts of chain over t < length of a[i][k] b[k][j]
///         k = (o parts + p) length + t
///
/// chain: from +0, one multiply-add per term, in order. tree: neighbours first, ((p0 + p1) + (p2 + p3)) + ...; sum over
/// o: the first is stored, then old + new. Terms with k >= terms are zeros that are multiplied and added like the
/// others (they turn -0 into +0); o has as many values as the terms need, at least one. With `accumulate` y starts from
/// its sums.
///
/// The operations are those of Psum (psum.h): the bits are those of a scalar loop, for every kernel, memory layout and
/// vectorisation. Suited to small and large products. Psum: psum_f32, psum_bf16 (then a, b and y are values of
/// bfloat16).
template <class Psum> class ordered_product {
public:
    static constexpr std::size_t max_parts = 64;

    /// y overlaps neither a nor b nor itself.
    struct problem {
        std::size_t rows = 0;    ///< of a and y
        std::size_t columns = 0; ///< of b and y
        std::size_t terms = 0;
        std::size_t length = 1; ///< of a chain, at least 1
        std::size_t parts = 1;  ///< of a tree: a power of two, at most max_parts
        const float* a = nullptr;
        index_offsets a_row;
        index_offsets a_term;
        const float* b = nullptr;
        index_offsets b_term;
        index_offsets b_column = 1;
        float* y = nullptr;
        index_offsets y_row;
        index_offsets y_column = 1;
        bool accumulate = false;
    };

    ordered_product();
    /// Uses the kernel of one instruction set, "portable", "avx2" or "avx512", which this machine must support (for
    /// tests).
    explicit ordered_product(const std::string& instructions);

    void run(const problem& p);

private:
    const ordered_kernel<Psum>* m_kernel;
    std::vector<float> m_panel;                             // columns of b side by side
    std::vector<float> m_tile;                              // of y, where its columns are not side by side
    std::vector<std::ptrdiff_t> m_panel_terms, m_tile_rows; // where they lie there
    std::vector<std::ptrdiff_t> m_a_rows, m_a_terms, m_b_terms, m_y_rows;
};

} // namespace tensorloom::arithmetic
