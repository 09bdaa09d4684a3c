#include <tensorloom/workloads/tensor_formats/layer_values.h>
#include <algorithm>
#include <cmath>
#include <tensorloom/models/base/values/input_error.h>
#include <tensorloom/workloads/contraction_search/sequence_search.h>
#include <tensorloom/workloads/fill.h>

namespace tensorloom::workloads {
namespace {

void add(std::vector<double>& sum, const std::vector<double>& more)
{
    if (sum.empty()) { sum.resize(more.size(), 0); }
    for (std::size_t i = 0; i < more.size(); ++i) { sum[i] += more[i]; }
}

} // namespace

layer_values random_cores(const tensorized_layer& layer, double variance, std::uint64_t seed)
{
    double terms = static_cast<double>(layer.blocks);
    for (const auto rank : layer.ranks) { terms *= static_cast<double>(rank); }
    const auto cores = cores_of(layer);
    const auto sizes = sizes_of(layer);
    const double of_core = std::pow(variance / terms, 1 / static_cast<double>(cores.size()));
    const double largest = std::sqrt(3 * of_core); // the variance of uniform numbers in [-1, 1) is 1/3
    layer_values values;
    for (std::uint64_t block = 0; block < layer.blocks; ++block) {
        auto& made = values.blocks.emplace_back();
        for (const auto& core : cores) {
            const auto elements = static_cast<std::size_t>(elements_of(core.indices, sizes));
            auto numbers = fill_tensor<double>(fill_kind::random, {elements, 1, 1}, 0, seed++).data;
            for (double& number : numbers) { number *= largest; }
            made.push_back({core.indices, std::move(numbers)});
        }
    }
    return values;
}

tensor<double> dense_matrix(const tensorized_layer& layer, const layer_values& values)
{
    const auto network = matrix_network(layer);
    const auto tree = optimal_sequence(network).tree;
    tensor<double> matrix;
    for (const auto& block : values.blocks) { add(matrix.data, value_of(network, tree, block).data); }
    matrix.shape = {row_count(layer), column_count(layer)};
    return matrix;
}

void check_matrix(const tensor<double>& matrix, const tensorized_layer& layer)
{
    const std::vector<std::size_t> wanted{row_count(layer), column_count(layer)};
    if (matrix.shape != wanted) { base::refuse("matrix", shape_text(matrix.shape), shape_text(wanted)); }
    if (!std::all_of(matrix.data.begin(), matrix.data.end(), [](double x) { return std::isfinite(x); })) {
        throw base::input_error("matrix: found an element that is not finite, expected finite numbers");
    }
}

tensor<double> forward(const tensorized_layer& layer, const layer_values& values, const tensor<double>& x)
{
    const auto network = forward_network(layer);
    const auto tree = optimal_sequence(network).tree;
    tensor<double> y;
    for (const auto& block : values.blocks) {
        std::vector<named_values> nodes{{input_indices(layer), x.data}};
        nodes.insert(nodes.end(), block.begin(), block.end());
        add(y.data, value_of(network, tree, nodes).data);
    }
    y.shape = {layer.batch, row_count(layer)};
    return y;
}

} // namespace tensorloom::workloads
