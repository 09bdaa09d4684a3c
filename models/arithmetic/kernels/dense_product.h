#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>
#include <tensorloom/models/arithmetic/kernels/gemm_kernel.h>
#include <tensorloom/models/arithmetic/kernels/plane_product.h>

namespace tensorloom::arithmetic {

/// A matrix split into panels of columns, or of rows, as even as a kernel's tiles allow.
struct panels {
    std::size_t total = 0;
    std::size_t width = 1; ///< of each but the last
    std::size_t count = 0;

    std::size_t begin(std::size_t index) const { return index * width; }
    std::size_t size(std::size_t index) const { return std::min(width, total - begin(index)); }
};
/// Panels of at most `most`, a multiple of `unit`, over n; each but the last a multiple of `unit`.
panels even_panels(std::size_t n, std::size_t most, std::size_t unit);

/// Multiplies `rows` rows of a product: tiles as high as the first one, and a lower one for the rest. True when every
/// sum is finite. `tiles` is consumed: some calls take less than a microsecond, and copying just written data stalls.
template <class R> bool multiply_tiles(const gemm_kernel<R>& kernel, gemm_tiles<R>&& tiles, std::size_t rows);

/// The coefficients of a product along one mode, packed for a kernel; all its fibres share them.
///
/// Term t of a complex product is two real terms, x.re and x.im, in the order of arithmetic/mac.h; each part of the
/// result has coefficients of its own.
template <class R> class packed_coefficients {
public:
    /// `by_tiles`: A of the matrix product, packed by tiles of rows; otherwise B, packed by panels of columns.
    void pack(const gathered_terms<R>& terms, unsigned parts, bool by_tiles, const gemm_kernel<R>& kernel);

    const panels& cut() const { return m_cut; }
    /// Of part `out` of the result: all tiles, as high as the panels of cut() are wide; or one panel.
    typename gemm_tiles<R>::left_factor tiles(unsigned out) const;
    typename gemm_tiles<R>::right_factor panel(unsigned out, std::size_t index) const;

private:
    // Elements between one term's coefficients in a panel of this width and the next term's.
    std::size_t step(std::size_t width) const { return (width + m_unit - 1) / m_unit * m_unit; }
    std::size_t place(unsigned out, std::size_t index) const { return out * m_part + m_cut.begin(index) * m_terms; }

    panels m_cut;
    std::size_t m_unit = 1;
    std::size_t m_terms = 0;
    std::size_t m_part = 0;
    std::vector<R> m_storage;
    R* m_packed = nullptr;
};

/// A product along one mode that multiplies every operand with every coefficient, zeros too, as one ordered matrix
/// product: contiguous fibres times coefficients; otherwise transposed coefficients times rows of x.
///
/// NaN is not made canonical. The floating-point flags that the arithmetic raises stay raised.
template <class R> class dense_product {
public:
    explicit dense_product(const gemm_kernel<R>& kernel) : m_kernel(kernel) {}

    /// `coefficients`: packed by panels for contiguous fibres, otherwise by tiles. Adds the non-zero operands of row n
    /// to nonzeros[n], for each row of a term. True when every sum is finite, and so was every addend.
    bool run(const plane_product<R>& p, const packed_coefficients<R>& coefficients, std::uint64_t* nonzeros);

private:
    using left_factor = typename gemm_tiles<R>::left_factor;
    using right_factor = typename gemm_tiles<R>::right_factor;
    using fetch = typename gemm_tiles<R>::fetch;

    // From the whole product to a panel, for each way of storing fibres; `spacing`: rows between consecutive terms, 0
    // where they differ or operands have two parts.
    bool multiply_fibres(const plane_product<R>& p, const packed_coefficients<R>& coefficients, std::ptrdiff_t spacing,
                         std::uint64_t* nonzeros);
    bool multiply_some_fibres(const plane_product<R>& p, const packed_coefficients<R>& coefficients,
                              std::ptrdiff_t spacing, std::size_t height);
    bool multiply_slabs(const plane_product<R>& p, const packed_coefficients<R>& coefficients, std::ptrdiff_t spacing,
                        std::uint64_t* nonzeros);
    bool multiply_even_rows(const plane_product<R>& p, const packed_coefficients<R>& coefficients,
                            std::ptrdiff_t spacing, std::uint64_t* nonzeros);
    bool multiply_uneven_rows(const plane_product<R>& p, const packed_coefficients<R>& coefficients,
                              std::uint64_t* nonzeros);

    std::size_t slabs_together(const plane_product<R>& p, const packed_coefficients<R>& coefficients,
                               std::ptrdiff_t spacing) const;
    std::size_t whole_vectors(std::size_t columns) const;
    left_factor pack_fibres(const plane_product<R>& p);
    const R* pack_rows(const plane_product<R>& p, const panels& cut);

    const gemm_kernel<R>& m_kernel;
    std::vector<R> m_operands;           // packed
    std::vector<R> m_sums;               // of slabs side by side
    std::vector<std::uint32_t> m_counts; // of fibres
};

} // namespace tensorloom::arithmetic
