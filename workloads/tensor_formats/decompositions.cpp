#include <tensorloom/workloads/tensor_formats/decompositions.h>
#include <algorithm>
#include <array>
#include <tensorloom/models/base/values/input_error.h>
#include <tensorloom/workloads/tucker/ttm_engine.h>
#include <tensorloom/workloads/tucker/unfolding_svd.h>

namespace tensorloom::workloads {
namespace {

// Leading left singular vectors of the unfolding along the middle mode, and what is left: the tensor times their
// transpose. Columns beyond what an unfolding has are 0.
struct split_tensor {
    tensor<double> vectors; // size x rank
    tensor<double> rest;    // outer x rank x inner
};

split_tensor split(std::vector<double> data, std::size_t outer, std::size_t size, std::size_t inner, std::size_t rank)
{
    tensor<double> x({outer, size, inner});
    x.data = std::move(data);
    const auto svd = decompose_unfolding(x, 1);
    const auto found = std::min(rank, svd.size());
    const auto leading = svd.leading(found);
    split_tensor result{tensor<double>({size, rank}), {}};
    for (std::size_t row = 0; row < size; ++row) {
        for (std::size_t c = 0; c < found; ++c) { result.vectors.data[row * rank + c] = leading.data[row * found + c]; }
    }
    result.rest = host_ttm().multiply(x, {nullptr, &result.vectors, nullptr});
    return result;
}

// Indices of a core that the matrix has.
index_list free_indices(const named_tensor& core, const index_list& of_matrix)
{
    index_list free;
    for (const auto& index : core.indices) {
        if (has_index(of_matrix, index)) { free.push_back(index); }
    }
    return free;
}

// The matrix with the free indices of one core behind those of another.
named_values in_order_of_cores(const tensor<double>& matrix, const tensorized_layer& layer)
{
    const auto of_matrix = matrix_indices(layer);
    index_list order;
    for (const auto& core : cores_of(layer)) {
        const auto free = free_indices(core, of_matrix);
        order.insert(order.end(), free.begin(), free.end());
    }
    return permuted({of_matrix, matrix.data}, order, sizes_of(layer));
}

std::vector<named_values> chain(const tensor<double>& matrix, const tensorized_layer& layer)
{
    const auto cores = cores_of(layer);
    const auto sizes = sizes_of(layer);
    const bool ring = layer.format == layer_format::tr;
    auto rest = in_order_of_cores(matrix, layer);
    std::vector<named_values> made;
    for (std::size_t k = 0; k + 1 < cores.size(); ++k) {
        const auto& indices = cores[k].indices;
        const bool opens = ring && k == 0; // r0 and r1 at once
        const index_list behind = opens ? index_list{indices.front(), indices.back()} : index_list{indices.back()};
        index_list rows = indices;
        rows.pop_back();
        if (opens) { rows.erase(rows.begin()); }
        const auto size = elements_of(rows, sizes);
        auto parts = split(std::move(rest.data), 1, size, rest.data.size() / size, elements_of(behind, sizes));

        index_list of_core = rows;
        of_core.insert(of_core.end(), behind.begin(), behind.end());
        made.push_back(permuted({of_core, std::move(parts.vectors.data)}, indices, sizes));
        index_list of_rest = behind;
        of_rest.insert(of_rest.end(), rest.indices.begin() + static_cast<std::ptrdiff_t>(rows.size()),
                       rest.indices.end());
        rest = {of_rest, std::move(parts.rest.data)};
        if (opens) { // r0 belongs to the other end
            of_rest.erase(of_rest.begin());
            of_rest.push_back(behind.front());
            rest = permuted(rest, of_rest, sizes);
        }
    }
    made.push_back(permuted(rest, cores.back().indices, sizes));
    return made;
}

// Elements of the indices before place `first`, from there to `last`, and behind.
std::array<std::size_t, 3> around(const index_list& indices, std::size_t first, std::size_t last,
                                  const index_sizes& sizes)
{
    std::array<std::size_t, 3> elements{1, 1, 1};
    for (std::size_t i = 0; i < indices.size(); ++i) {
        elements[i < first ? 0 : i < last ? 1 : 2] *= sizes.at(indices[i]);
    }
    return elements;
}

// Every core takes its indices out of what is left, which has the index of its rank in their place.
std::vector<named_values> hierarchical(const tensor<double>& matrix, const tensorized_layer& layer)
{
    const auto cores = cores_of(layer);
    const auto sizes = sizes_of(layer);
    auto rest = in_order_of_cores(matrix, layer);
    std::vector<named_values> made;
    for (std::size_t k = 0; k + 1 < cores.size(); ++k) {
        auto taken = cores[k].indices; // leaves [m, n, l], transfer tensors [t, left, right]
        const bool leaf = has_index(rest.indices, taken.front());
        const std::string rank = leaf ? taken.back() : taken.front();
        taken.erase(leaf ? taken.end() - 1 : taken.begin());
        const auto at = std::find(rest.indices.begin(), rest.indices.end(), taken.front());
        const auto first = static_cast<std::size_t>(at - rest.indices.begin());
        const auto [outer, size, inner] = around(rest.indices, first, first + taken.size(), sizes);
        auto parts = split(std::move(rest.data), outer, size, inner, sizes.at(rank));

        index_list of_core = taken;
        of_core.push_back(rank);
        made.push_back(permuted({of_core, std::move(parts.vectors.data)}, cores[k].indices, sizes));
        rest.data = std::move(parts.rest.data);
        rest.indices.erase(rest.indices.begin() + static_cast<std::ptrdiff_t>(first + 1),
                           rest.indices.begin() + static_cast<std::ptrdiff_t>(first + taken.size()));
        rest.indices[first] = rank;
    }
    made.push_back(permuted(rest, cores.back().indices, sizes));
    return made;
}

} // namespace

layer_values decompose(const tensor<double>& matrix, const tensorized_layer& layer)
{
    check_matrix(matrix, layer);
    switch (layer.format) {
    case layer_format::ht: return {{hierarchical(matrix, layer)}};
    case layer_format::bt:
        throw base::input_error("decompose: found a layer of bt, expected tt, ttm, tr or ht; bt is fitted");
    default: return {{chain(matrix, layer)}};
    }
}

} // namespace tensorloom::workloads
