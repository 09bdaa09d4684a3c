#pragma once
#include <cstddef>
#include <cstdint>
#include <vector>
#include <tensorloom/models/arithmetic/kernels/gemm_kernel.h>
#include <tensorloom/models/arithmetic/kernels/list_kernel.h>
#include <tensorloom/models/arithmetic/kernels/plane_product.h>

namespace tensorloom::arithmetic {

/// The coefficients of a product that are not zero, by column of the matrix, each column's in the order of the terms.
template <class R> class coefficient_lists {
public:
    /// Without `skip_zeros` zeros are listed, too.
    void gather(const gathered_terms<R>& terms, unsigned parts, bool skip_zeros);

    std::size_t columns() const { return m_ends.size() - 1; }
    const listed_coefficient<R>* begin(std::size_t column) const { return m_all.data() + m_ends[column]; }
    const listed_coefficient<R>* end(std::size_t column) const { return m_all.data() + m_ends[column + 1]; }

    /// The listed fraction of the coefficients, 0 to 1.
    double density() const { return m_density; }

private:
    std::vector<listed_coefficient<R>> m_all;
    std::vector<std::size_t> m_ends; // m_ends[k]: where column k begins; one more at the end
    double m_density = 0;
};

/// A product along one mode that goes through lists of the coefficients that are not zero: the bits of arithmetic/mac.h
/// in every corner, at half the speed of the dense product when nothing is zero, and faster where two thirds of the
/// coefficients or more are.
///
/// Operands that are zero are masked, not branched on. Neighbouring fibres lie side by side in a vector; where they do
/// not in memory (the summed mode is the contiguous one, or few elements are inside it), they are packed by panels,
/// transposed if need be.
template <class R> class list_product {
public:
    /// `scan` counts operands.
    list_product(const list_kernel<R>& kernel, const gemm_kernel<R>& scan) : m_kernel(kernel), m_scan(scan) {}

    /// `lists` holds the coefficients of p.terms. nonzeros[n] grows by the operands of row n that are not zero, for
    /// each row that a term names.
    void run(const plane_product<R>& p, const coefficient_lists<R>& lists, std::uint64_t* nonzeros);

private:
    /// Fibres packed side by side: row n, lane l of part p at operands[(p * rows + n) * operand_row + l], sums likewise
    /// by columns.
    struct panel {
        std::size_t first; // fibre (o, i) is number o * inner + i
        std::size_t lanes;
        R* operands;
        std::size_t operand_row;
        R* sums;
        std::size_t sum_row;
    };

    bool packs(const plane_product<R>& p, const coefficient_lists<R>& lists) const;
    void multiply_in_place(const plane_product<R>& p, const coefficient_lists<R>& lists, std::uint64_t* nonzeros) const;
    void multiply_panels(const plane_product<R>& p, const coefficient_lists<R>& lists, std::uint64_t* nonzeros);
    void load_operands(const plane_product<R>& p, const panel& b, std::uint64_t* nonzeros);
    void load_sums(const plane_product<R>& p, const panel& b) const;
    void store_sums(const plane_product<R>& p, const panel& b) const;
    void count_rows(const plane_product<R>& p, const R* x, std::size_t x_row, std::size_t x_part, std::size_t lanes,
                    std::uint64_t* nonzeros) const;

    const list_kernel<R>& m_kernel;
    const gemm_kernel<R>& m_scan;

    // scratch, kept between runs
    std::vector<R> m_operands;
    std::vector<R> m_sums;
    std::vector<std::uint32_t> m_fibre_nonzeros; // by row
};

} // namespace tensorloom::arithmetic
