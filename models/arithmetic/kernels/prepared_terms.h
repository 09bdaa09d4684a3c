#pragma once
#include <cstddef>
#include <cstring>
#include <mutex>
#include <tensorloom/models/arithmetic/kernels/list_product.h>
#include <tensorloom/models/arithmetic/kernels/dense_product.h>
#include <tensorloom/models/arithmetic/mode_product.h>
#include <tensorloom/models/arithmetic/kernels/plane_product.h>

namespace tensorloom::arithmetic {

/// The terms of a product along one mode in every form that its kernels ask for; all threads share them.
template <class R> class prepared_terms {
public:
    /// `fibres`: those of the product are contiguous.
    template <class Element>
    void gather(const product_term* terms, std::size_t count, std::size_t columns, bool skip_zeros, bool fibres,
                const gemm_kernel<R>& dense, const list_kernel<R>& by_lists);

    const gathered_terms<R>& gathered() const { return m_gathered; }
    /// So many coefficients are zero that lists are faster than dense tiles.
    bool sparse() const { return m_sparse; }
    /// Unless sparse.
    const packed_coefficients<R>& packed() const { return m_packed; }
    /// Gathered by the first who asks.
    const coefficient_lists<R>& lists() const;

private:
    gathered_terms<R> m_gathered;
    packed_coefficients<R> m_packed;
    unsigned m_parts = 1;
    bool m_skip_zeros = true;
    bool m_sparse = false;
    mutable std::mutex m_mutex;
    mutable bool m_listed = false;
    mutable coefficient_lists<R> m_lists;
};

template <class R>
template <class Element>
void prepared_terms<R>::gather(const product_term* terms, std::size_t count, std::size_t columns, bool skip_zeros,
                               bool fibres, const gemm_kernel<R>& dense, const list_kernel<R>& by_lists)
{
    m_parts = number_format<Element>::parts;
    m_skip_zeros = skip_zeros;
    m_listed = false;
    auto& g = m_gathered;
    g.count = count;
    g.columns = columns;
    g.rows.resize(count);
    g.nonzeros = 0;
    const std::size_t plane = g.plane();
    const std::size_t size = m_parts == 1 ? plane : 3 * plane;
    if (g.planes.size() < size) { g.planes.resize(size); }
    R* to = g.planes.data();
    for (std::size_t t = 0; t < count; ++t) {
        g.rows[t] = terms[t].row;
        g.nonzeros += terms[t].nonzeros;
        const unsigned char* from = terms[t].coefficients;
        for (std::size_t k = 0; k < columns; ++k, ++to) {
            Element c;
            std::memcpy(&c, from + k * sizeof c, sizeof c);
            if constexpr (number_format<Element>::parts == 2) {
                to[0] = c.real();
                to[plane] = c.imag();
                to[2 * plane] = -c.imag();
            } else {
                to[0] = widened(c);
            }
        }
    }
    g.sort_rows();
    m_sparse =
        skip_zeros && static_cast<double>(g.nonzeros) < by_lists.pays_below[m_parts - 1] * static_cast<double>(plane);
    if (!m_sparse) { m_packed.pack(g, m_parts, !fibres, dense); }
}

template <class R> const coefficient_lists<R>& prepared_terms<R>::lists() const
{
    const std::lock_guard<std::mutex> lock(m_mutex);
    if (!m_listed) { m_lists.gather(m_gathered, m_parts, m_skip_zeros); }
    m_listed = true;
    return m_lists;
}

} // namespace tensorloom::arithmetic
