#pragma once
#include <cstddef>
#include <vector>
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

    /// The part of the coefficients that is listed, 0 to 1.
    double density() const { return m_density; }

private:
    std::vector<listed_coefficient<R>> m_all;
    std::vector<std::size_t> m_ends; // m_ends[k]: where column k begins; one more at the end
    double m_density = 0;
};

} // namespace tensorloom::arithmetic
