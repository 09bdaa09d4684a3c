#include <tensorloom/models/base/values/input_error.h>
#include <tensorloom/workloads/contraction_search/sequence_search.h>
#include <tensorloom/workloads/tensor_formats/decompositions.h>
#include <tensorloom/workloads/tucker/tucker_tensor.h>
#include <Eigen/QR>

namespace tensorloom::workloads {
namespace {

using row_major = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
using matrix_view = Eigen::Map<row_major>;
using const_view = Eigen::Map<const row_major>;

// One core of every block, while the others stay.
class core_problem {
public:
    core_problem(const tensor<double>& matrix, const tensorized_layer& layer, std::size_t core)
        : m_core(core), m_sizes(sizes_of(layer))
    {
        const auto cores = cores_of(layer);
        const auto of_matrix = matrix_indices(layer);
        index_list rest;
        for (const auto& index : cores[core].indices) {
            (has_index(of_matrix, index) ? m_free : m_ranks).push_back(index);
        }
        for (const auto& index : of_matrix) {
            if (!has_index(m_free, index)) { rest.push_back(index); }
        }
        m_indices = cores[core].indices;
        m_rows = static_cast<Eigen::Index>(elements_of(rest, m_sizes));
        auto order = rest; // W with what this core has as columns
        order.insert(order.end(), m_free.begin(), m_free.end());
        m_wanted = permuted({of_matrix, matrix.data}, order, m_sizes).data;

        m_others.out = rest;
        m_others.out.insert(m_others.out.end(), m_ranks.begin(), m_ranks.end());
        for (std::size_t k = 0; k < cores.size(); ++k) {
            if (k == core) { continue; }
            m_others.nodes.push_back(cores[k]);
            for (const auto& index : cores[k].indices) { m_others.sizes[index] = m_sizes.at(index); }
        }
        if (m_others.nodes.empty()) { return; }
        m_tree = optimal_sequence(m_others).tree;
    }

    void solve(layer_values& values) const
    {
        const auto ranks = static_cast<Eigen::Index>(elements_of(m_ranks, m_sizes));
        const auto free = static_cast<Eigen::Index>(elements_of(m_free, m_sizes));
        const auto blocks = static_cast<Eigen::Index>(values.blocks.size());
        row_major product(m_rows, blocks * ranks); // of all other cores, block by block
        for (Eigen::Index b = 0; b < blocks; ++b) {
            const auto others = product_of_others(values.blocks[static_cast<std::size_t>(b)]);
            product.middleCols(b * ranks, ranks) = const_view(others.data(), m_rows, ranks);
        }
        const Eigen::CompleteOrthogonalDecomposition<Eigen::MatrixXd> orthogonal(product);
        const row_major solved = orthogonal.solve(const_view(m_wanted.data(), m_rows, free));
        auto order = m_ranks;
        order.insert(order.end(), m_free.begin(), m_free.end());
        for (Eigen::Index b = 0; b < blocks; ++b) {
            named_values core{order, std::vector<double>(static_cast<std::size_t>(ranks * free))};
            matrix_view(core.data.data(), ranks, free) = solved.middleRows(b * ranks, ranks);
            values.blocks[static_cast<std::size_t>(b)][m_core] = permuted(core, m_indices, m_sizes);
        }
    }

private:
    std::vector<double> product_of_others(const std::vector<named_values>& cores) const
    {
        if (m_others.nodes.empty()) { return {1}; }
        auto others = cores;
        others.erase(others.begin() + static_cast<std::ptrdiff_t>(m_core));
        return value_of(m_others, m_tree, others).data;
    }

    std::size_t m_core;
    index_sizes m_sizes;
    index_list m_indices, m_free, m_ranks; // of the core: all, those of W, the others
    Eigen::Index m_rows = 0;
    std::vector<double> m_wanted; // W: m_rows x free
    tensor_network m_others;
    contraction_tree m_tree;
};

} // namespace

fitted_cores fit_cores(const tensor<double>& matrix, const tensorized_layer& layer, const layer_values& start,
                       const fit_request& request)
{
    check_matrix(matrix, layer);
    if (squared_norm(matrix) == 0) {
        throw base::input_error("matrix: found all zeros, expected an element that is not");
    }
    std::vector<core_problem> problems;
    const std::size_t cores = cores_of(layer).size();
    for (std::size_t k = 0; k < cores; ++k) { problems.emplace_back(matrix, layer, k); }

    fitted_cores fitted{start, {relative_error(matrix, dense_matrix(layer, start))}, false};
    for (unsigned sweep = 0; sweep < request.max_sweeps && !fitted.converged; ++sweep) {
        for (const auto& problem : problems) { problem.solve(fitted.values); }
        fitted.errors.push_back(relative_error(matrix, dense_matrix(layer, fitted.values)));
        const double before = fitted.errors[fitted.errors.size() - 2];
        fitted.converged = before - fitted.errors.back() < request.error_change;
    }
    return fitted;
}

} // namespace tensorloom::workloads
