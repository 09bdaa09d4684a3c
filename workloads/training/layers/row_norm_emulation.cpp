#include <tensorloom/workloads/training/layers/layer_emulation.h>
#include <cmath>

namespace tensorloom::workloads {
namespace {

template <class F> float mean(const float* row, std::size_t width, F f)
{
    emulated_values terms;
    for (std::size_t i = 0; i < width; ++i) { terms.push_back(f(row[i])); }
    return tree_sum(std::move(terms)) * (1 / static_cast<float>(width));
}

} // namespace

emulated_values row_norm_emulation::forward(const emulated_values& x)
{
    const auto& gamma = m_parameters.masters[m_gamma];
    const auto& beta = m_parameters.masters[m_beta];
    m_normal = x;
    m_roots.clear();
    emulated_values y(x.size());
    for (std::size_t first = 0; first < x.size(); first += m_width) {
        float* n = m_normal.data() + first;
        const float of_row = mean(n, m_width, [](float v) { return v; });
        for (std::size_t i = 0; i < m_width; ++i) { n[i] -= of_row; }
        const float root = std::sqrt(mean(n, m_width, [](float v) { return v * v; }) + m_epsilon);
        m_roots.push_back(root);
        for (std::size_t i = 0; i < m_width; ++i) {
            n[i] /= root;
            y[first + i] = n[i] * gamma[i] + beta[i];
        }
    }
    return y;
}

emulated_values row_norm_emulation::backward(emulated_values dy)
{
    const std::size_t rows = m_roots.size();
    emulated_values products = dy;
    for (std::size_t i = 0; i < products.size(); ++i) { products[i] *= m_normal[i]; }
    m_parameters.give_gradient(m_gamma, sum_of_rows(std::move(products)));
    m_parameters.give_gradient(m_beta, sum_of_rows(dy));
    for (std::size_t r = 0; r < rows; ++r) {
        float* g = dy.data() + r * m_width;
        const float* n = m_normal.data() + r * m_width;
        for (std::size_t i = 0; i < m_width; ++i) { g[i] *= m_parameters.masters[m_gamma][i]; }
        const float* at = n;
        const float along = mean(g, m_width, [&at](float v) { return v * *at++; });
        const float of_row = mean(g, m_width, [](float v) { return v; });
        for (std::size_t i = 0; i < m_width; ++i) { g[i] = (g[i] - of_row - along * n[i]) / m_roots[r]; }
    }
    return dy;
}

// The second half of the rows is added to the first one, which is the longer one, until there is one.
emulated_values row_norm_emulation::sum_of_rows(emulated_values all) const
{
    for (std::size_t rows = all.size() / m_width; rows > 1; rows = (rows + 1) / 2) {
        const std::size_t first = (rows + 1) / 2 * m_width;
        for (std::size_t i = first; i < all.size(); ++i) { all[i - first] += all[i]; }
        all.resize(first);
    }
    return all;
}

} // namespace tensorloom::workloads
