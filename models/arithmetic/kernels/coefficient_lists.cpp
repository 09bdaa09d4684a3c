#include <tensorloom/models/arithmetic/kernels/coefficient_lists.h>
#include <algorithm>

namespace tensorloom::arithmetic {

template <class R> void coefficient_lists<R>::gather(const gathered_terms<R>& terms, unsigned parts, bool skip_zeros)
{
    const std::size_t imaginary = parts == 1 ? 0 : terms.plane(); // a real coefficient is looked at twice instead
    const auto listed = [&](const R* c) { return !skip_zeros || c[0] != R(0) || c[imaginary] != R(0); };
    m_ends.assign(terms.columns + 1, 0);
    for (std::size_t t = 0; t < terms.count; ++t) {
        const R* c = terms.row(0, t);
        for (std::size_t k = 0; k < terms.columns; ++k) { m_ends[k] += listed(c + k) ? 1 : 0; }
    }
    std::size_t total = 0;
    for (auto& end : m_ends) {
        const std::size_t length = end;
        end = total;
        total += length;
    }
    m_all.resize(total);
    for (std::size_t t = 0; t < terms.count; ++t) {
        const R* c = terms.row(0, t);
        for (std::size_t k = 0; k < terms.columns; ++k) {
            if (listed(c + k)) { m_all[m_ends[k]++] = {c[k], parts == 1 ? R(0) : c[k + imaginary], terms.rows[t]}; }
        }
    }
    std::rotate(m_ends.begin(), m_ends.end() - 1, m_ends.end()); // each has moved to where the next one begins
    m_ends[0] = 0;
    m_density = total == 0 ? 0 : static_cast<double>(total) / static_cast<double>(terms.plane());
}

template class coefficient_lists<double>;
template class coefficient_lists<float>;

} // namespace tensorloom::arithmetic
