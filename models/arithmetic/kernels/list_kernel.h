#pragma once
#include <cstddef>
#include <cstdint>

namespace tensorloom::arithmetic {

/// A coefficient of one column of the matrix, and the index along the summed mode of the operands that it multiplies.
template <class R> struct listed_coefficient {
    R re;
    R im; ///< 0 in a real product
    std::uint32_t row;
};

/// Sums of neighbouring fibres, and the operands that they are made of: row n of lane l is x[n * x_row + l], its
/// imaginary part x_part later.
template <class R> struct list_lanes {
    const R* x;
    std::size_t x_row;
    std::size_t x_part;
    R* y;
    std::size_t y_part;
    std::size_t count;
    bool accumulate; ///< otherwise the sums start from +0
};

/// The innermost loops of products by lists, for one instruction set.
template <class R> struct list_kernel {
    const char* name; ///< "portable", "avx2", "avx512"
    unsigned lanes;   ///< how many are worked on at once; multiples of it are fastest
    /// Below this part of coefficients that are not zero it is faster than the dense kernel of its instruction set.
    /// Index: parts - 1; complex products read every operand once for four multiply-adds. Measured at 128 x 128 x 128.
    double pays_below[2];

    /// y[l] (+)= sum over the list, in its order, of x[row, l] c: multiply-adds as in arithmetic/mac.h, exact in every
    /// corner. Index: parts - 1, and whether operands that are exactly zero are skipped.
    using run_list = void (*)(const listed_coefficient<R>* first, const listed_coefficient<R>* last,
                              const list_lanes<R>& lanes);
    run_list run[2][2];

    /// to[c * to_row + r] = from[r * from_row + c].
    void (*transpose)(const R* from, std::size_t from_row, std::size_t rows, std::size_t columns, R* to,
                      std::size_t to_row);

    static const list_kernel portable, avx2, avx512;
};

template <> const list_kernel<double> list_kernel<double>::portable;
template <> const list_kernel<double> list_kernel<double>::avx2;
template <> const list_kernel<double> list_kernel<double>::avx512;
template <> const list_kernel<float> list_kernel<float>::portable;
template <> const list_kernel<float> list_kernel<float>::avx2;
template <> const list_kernel<float> list_kernel<float>::avx512;

} // namespace tensorloom::arithmetic
