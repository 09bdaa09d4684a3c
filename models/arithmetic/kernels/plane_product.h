#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace tensorloom::arithmetic {

/// The terms of a product along one mode, gathered: row t of a plane holds the coefficients of term t, as reals.
template <class R> struct gathered_terms {
    std::size_t count = 0;
    std::size_t columns = 0;
    std::vector<R> planes; ///< one plane of count x columns; of complex ones three: re, im, -im; it only grows
    std::vector<std::uint32_t> rows;     ///< index of each term's pivots along the summed mode
    std::vector<std::uint32_t> distinct; ///< the rows that the terms name, each once, ascending
    std::uint64_t nonzeros = 0;          ///< coefficients that are not exactly zero

    /// Finds the distinct rows.
    void sort_rows()
    {
        distinct = rows;
        std::sort(distinct.begin(), distinct.end());
        distinct.erase(std::unique(distinct.begin(), distinct.end()), distinct.end());
    }
    std::size_t plane() const { return count * columns; }
    const R* row(unsigned part, std::size_t term) const { return planes.data() + part * plane() + term * columns; }
};

/// A product along one mode (arithmetic/mode_product.h), or some of its fibres, as every kernel sees it: in real
/// numbers, with operands ready to be multiplied (rounded, small ones cleared) and coefficients gathered.
///
/// Fibre (o, i) of the tensor is x[p * x_part + o * x_outer + n * x_row + i] over n, of part p (0: real, 1: imaginary);
/// of the sums likewise y[p * y_part + o * y_outer + k * y_row + i] over k. No fibre needs another one: a product may
/// be cut into sets of fibres, in any way.
template <class R> struct plane_product {
    std::size_t outer = 0;
    std::size_t inner = 0;
    std::size_t rows = 0; ///< of x; a term's row lies below
    const R* x = nullptr;
    std::size_t x_outer = 0;
    std::size_t x_row = 0;
    std::size_t x_part = 0;
    R* y = nullptr;
    std::size_t y_outer = 0;
    std::size_t y_row = 0;
    std::size_t y_part = 0;
    unsigned parts = 1;
    bool accumulate = false; ///< otherwise y may be uninitialised
    bool skip_zeros = true;
    const gathered_terms<R>* terms = nullptr;
    const R* x_ahead = nullptr; ///< data to read next, if any: to be prefetched meanwhile

    std::size_t fibres() const { return outer * inner; }
    /// Whether fibres are contiguous and follow each other without gaps.
    bool contiguous_fibres() const { return inner == 1 && x_row == 1 && y_row == 1; }
};

/// Fibre (o, i) of a tensor, of outer x inner fibres, is number o * inner + i. Calls visit(o, i, lane, count) for each
/// run of fibres (o, i), (o, i + 1), ... among the `lanes` ones from number `first` on; the first of the run is number
/// first + lane.
template <class Visit> void each_fibre_run(std::size_t inner, std::size_t first, std::size_t lanes, Visit visit)
{
    std::size_t o = first / inner;
    std::size_t i = first % inner;
    for (std::size_t lane = 0; lane < lanes; ++o, i = 0) {
        const std::size_t count = std::min(inner - i, lanes - lane);
        visit(o, i, lane, count);
        lane += count;
    }
}

} // namespace tensorloom::arithmetic
