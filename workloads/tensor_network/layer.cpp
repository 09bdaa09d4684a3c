#include <tensorloom/workloads/tensor_network/layer.h>
#include <algorithm>
#include <functional>
#include <limits>
#include <numeric>
#include <tensorloom/models/base/values/input_error.h>

namespace tensorloom::workloads {
namespace {

using numbers = std::vector<std::uint64_t>;

std::string numbered(const char* letter, std::size_t k) { return letter + std::to_string(k); }

const char* name_of(layer_format format) { return layer_format_values[static_cast<std::size_t>(format)].name; }

bool is_paired(layer_format format) { return format != layer_format::tt && format != layer_format::tr; }

// The free indices of tt and tr along the chain.
index_list chain_indices(const tensorized_layer& layer)
{
    index_list rows, columns;
    for (std::size_t k = 1; k <= layer.rows.size(); ++k) { rows.push_back(numbered("m", k)); }
    for (std::size_t k = 1; k <= layer.columns.size(); ++k) { columns.push_back(numbered("n", k)); }
    auto& first = layer.order == core_order::mn ? rows : columns;
    const auto& second = layer.order == core_order::mn ? columns : rows;
    first.insert(first.end(), second.begin(), second.end());
    return first;
}

// A chain of cores, each with its free indices; `ring`: with r0 at both ends.
std::vector<named_tensor> chained(const std::vector<index_list>& free, bool ring)
{
    std::vector<named_tensor> cores;
    const std::size_t length = free.size();
    for (std::size_t k = 1; k <= length; ++k) {
        named_tensor core{numbered("G", k), free[k - 1]};
        if (k > 1 || ring) { core.indices.insert(core.indices.begin(), numbered("r", k - 1)); }
        if (k < length || ring) { core.indices.push_back(numbered("r", k % length)); }
        cores.push_back(std::move(core));
    }
    return cores;
}

// Pairs m_k n_k.
std::vector<index_list> paired_indices(const tensorized_layer& layer)
{
    std::vector<index_list> pairs;
    for (std::size_t k = 1; k <= layer.rows.size(); ++k) { pairs.push_back({numbered("m", k), numbered("n", k)}); }
    return pairs;
}

std::vector<index_list> single_indices(const tensorized_layer& layer)
{
    std::vector<index_list> singles;
    for (const auto& index : chain_indices(layer)) { singles.push_back({index}); }
    return singles;
}

// Transfer tensors below and at {first..last}, those below before it; returns the index that leads up to it.
std::string add_transfers(std::vector<named_tensor>& cores, std::size_t first, std::size_t last, bool root)
{
    if (first == last) { return numbered("l", first); }
    const std::size_t left_last = first + (last - first + 2) / 2 - 1;
    const std::string left = add_transfers(cores, first, left_last, false);
    const std::string right = add_transfers(cores, left_last + 1, last, false);
    const std::string range = std::to_string(first) + "_" + std::to_string(last);
    index_list indices{left, right};
    if (!root) { indices.insert(indices.begin(), "t" + range); }
    cores.push_back({"B" + range, std::move(indices)});
    return "t" + range;
}

std::vector<named_tensor> hierarchical(const tensorized_layer& layer)
{
    std::vector<named_tensor> cores;
    for (std::size_t k = 1; k <= layer.rows.size(); ++k) {
        cores.push_back({numbered("U", k), {numbered("m", k), numbered("n", k), numbered("l", k)}});
    }
    add_transfers(cores, 1, layer.rows.size(), true);
    return cores;
}

std::vector<named_tensor> block_term(const tensorized_layer& layer)
{
    std::vector<named_tensor> cores;
    named_tensor core{"S", {}};
    for (std::size_t k = 1; k <= layer.rows.size(); ++k) {
        cores.push_back({numbered("A", k), {numbered("m", k), numbered("n", k), numbered("q", k)}});
        core.indices.push_back(numbered("q", k));
    }
    cores.push_back(std::move(core));
    return cores;
}

// Names of the ranks, in the order in which a layer gives them.
index_list rank_indices(const tensorized_layer& layer)
{
    index_list names;
    if (layer.format == layer_format::bt) { return block_term(layer).back().indices; }
    if (layer.format != layer_format::ht) {
        const std::size_t first = layer.format == layer_format::tr ? 0 : 1;
        const std::size_t count = rank_count(layer.format, layer.rows.size(), layer.columns.size());
        for (std::size_t k = 0; k < count; ++k) { names.push_back(numbered("r", first + k)); }
        return names;
    }
    for (std::size_t k = 1; k <= layer.rows.size(); ++k) { names.push_back(numbered("l", k)); }
    for (const auto& core : hierarchical(layer)) {
        if (core.indices.front()[0] == 't' && core.indices.size() == 3) { names.push_back(core.indices.front()); }
    }
    return names;
}

index_list with_batch(const char* letter, std::size_t count)
{
    index_list indices{"b"};
    for (std::size_t k = 1; k <= count; ++k) { indices.push_back(numbered(letter, k)); }
    return indices;
}

// With the sizes that its nodes use.
tensor_network network_of(const tensorized_layer& layer, std::vector<named_tensor> nodes, index_list out)
{
    tensor_network network{std::move(nodes), std::move(out), {}};
    const auto sizes = sizes_of(layer);
    for (const auto& node : network.nodes) {
        for (const auto& index : node.indices) { network.sizes[index] = sizes.at(index); }
    }
    return network;
}

// This tensor and then the cores.
std::vector<named_tensor> before_cores(named_tensor first, const tensorized_layer& layer)
{
    auto nodes = cores_of(layer);
    nodes.insert(nodes.begin(), std::move(first));
    return nodes;
}

std::uint64_t product(const numbers& factors)
{
    std::uint64_t all = 1;
    for (const auto factor : factors) {
        if (__builtin_mul_overflow(all, factor, &all)) { return std::numeric_limits<std::uint64_t>::max(); }
    }
    return all;
}

void check_positive(const numbers& values, const char* what)
{
    for (std::size_t k = 0; k < values.size(); ++k) {
        if (values[k] == 0) {
            base::refuse("layer", std::string(what) + " " + std::to_string(k + 1) + " of 0", "at least 1");
        }
    }
}

} // namespace

std::size_t rank_count(layer_format format, std::size_t rows, std::size_t columns)
{
    switch (format) {
    case layer_format::tt: return rows + columns - 1;
    case layer_format::ttm: return rows - 1;
    case layer_format::tr: return rows + columns;
    case layer_format::ht: return 2 * rows - 2;
    default: return rows;
    }
}

std::vector<std::uint64_t> completed_ranks(const numbers& given, const tensorized_layer& layer)
{
    const std::size_t wanted = rank_count(layer.format, layer.rows.size(), layer.columns.size());
    if (given.size() == wanted) { return given; }
    const bool chain = layer.format == layer_format::tt || layer.format == layer_format::ttm;
    if (chain && given.size() == wanted + 2 && given.front() == 1 && given.back() == 1) {
        return {given.begin() + 1, given.end() - 1};
    }
    if (given.size() == 1) { return numbers(wanted, given.front()); }
    base::refuse("layer",
                 std::to_string(given.size()) + " ranks of " + name_of(layer.format) + " with " +
                     std::to_string(layer.rows.size()) + " factors of rows and " +
                     std::to_string(layer.columns.size()) + " of columns",
                 std::to_string(wanted) + (chain ? " (or with the 1 at both ends)" : "") + ", or one for all");
}

void check_layer(const tensorized_layer& layer)
{
    if (layer.rows.empty() || layer.columns.empty()) {
        base::refuse("layer", "no factors", "at least one of rows and of columns");
    }
    const std::string name = name_of(layer.format);
    if (is_paired(layer.format) && layer.rows.size() != layer.columns.size()) {
        base::refuse("layer",
                     std::to_string(layer.rows.size()) + " factors of rows and " +
                         std::to_string(layer.columns.size()) + " of columns in " + name,
                     "the same number of both");
    }
    if (layer.format == layer_format::ht && layer.rows.size() < 2) {
        base::refuse("layer", "one pair of factors in ht", "at least two");
    }
    const std::size_t wanted = rank_count(layer.format, layer.rows.size(), layer.columns.size());
    if (layer.ranks.size() != wanted) {
        base::refuse("layer", std::to_string(layer.ranks.size()) + " ranks of " + name, std::to_string(wanted));
    }
    check_positive(layer.rows, "factor of rows");
    check_positive(layer.columns, "factor of columns");
    check_positive(layer.ranks, "rank");
    if (layer.batch == 0) { base::refuse("layer", "a batch of 0", "at least 1"); }
    if (layer.blocks == 0 || (layer.blocks > 1 && layer.format != layer_format::bt)) {
        base::refuse("layer", std::to_string(layer.blocks) + " blocks of " + name,
                     layer.blocks == 0 ? "at least 1" : "1, or bt");
    }
    check_network(forward_network(layer));
    check_network(backward_network(layer));
}

std::vector<named_tensor> cores_of(const tensorized_layer& layer)
{
    switch (layer.format) {
    case layer_format::ttm: return chained(paired_indices(layer), false);
    case layer_format::ht: return hierarchical(layer);
    case layer_format::bt: return block_term(layer);
    default: return chained(single_indices(layer), layer.format == layer_format::tr);
    }
}

index_sizes sizes_of(const tensorized_layer& layer)
{
    index_sizes sizes{{"b", layer.batch}};
    for (std::size_t k = 0; k < layer.rows.size(); ++k) { sizes[numbered("m", k + 1)] = layer.rows[k]; }
    for (std::size_t k = 0; k < layer.columns.size(); ++k) { sizes[numbered("n", k + 1)] = layer.columns[k]; }
    const auto names = rank_indices(layer);
    for (std::size_t k = 0; k < names.size(); ++k) { sizes[names[k]] = layer.ranks.at(k); }
    return sizes;
}

index_list input_indices(const tensorized_layer& layer) { return with_batch("n", layer.columns.size()); }
index_list output_indices(const tensorized_layer& layer) { return with_batch("m", layer.rows.size()); }

index_list matrix_indices(const tensorized_layer& layer)
{
    index_list indices = output_indices(layer);
    const auto inputs = input_indices(layer);
    indices.insert(indices.end(), inputs.begin() + 1, inputs.end());
    indices.erase(indices.begin());
    return indices;
}

tensor_network forward_network(const tensorized_layer& layer)
{
    return network_of(layer, before_cores({"X", input_indices(layer)}, layer), output_indices(layer));
}

tensor_network backward_network(const tensorized_layer& layer)
{
    return network_of(layer, before_cores({"dY", output_indices(layer)}, layer), input_indices(layer));
}

tensor_network gradient_network(const tensorized_layer& layer, const std::string& core)
{
    std::vector<named_tensor> nodes{{"X", input_indices(layer)}, {"dY", output_indices(layer)}};
    index_list out;
    bool found = false;
    for (auto& other : cores_of(layer)) {
        if (other.name != core) {
            nodes.push_back(std::move(other));
            continue;
        }
        found = true;
        out = std::move(other.indices);
    }
    if (!found) {
        std::string known;
        for (const auto& other : cores_of(layer)) { known += (known.empty() ? "" : ", ") + other.name; }
        throw base::input_error("found core " + base::in_quotes(core) + ", expected one of " + known);
    }
    return network_of(layer, std::move(nodes), std::move(out));
}

tensor_network matrix_network(const tensorized_layer& layer)
{
    return network_of(layer, cores_of(layer), matrix_indices(layer));
}

tensor_network phase_network(const tensorized_layer& layer, const std::string& phase)
{
    if (phase == "fp") { return forward_network(layer); }
    if (phase == "bp") { return backward_network(layer); }
    constexpr char gradient[] = "wg:";
    if (phase.rfind(gradient, 0) != 0) {
        throw base::input_error("found phase " + base::in_quotes(phase) + ", expected fp, bp or wg:CORE");
    }
    return gradient_network(layer, phase.substr(sizeof(gradient) - 1));
}

std::uint64_t row_count(const tensorized_layer& layer) { return product(layer.rows); }
std::uint64_t column_count(const tensorized_layer& layer) { return product(layer.columns); }

std::uint64_t parameters(const tensorized_layer& layer)
{
    const auto sizes = sizes_of(layer);
    std::uint64_t sum = 0;
    for (const auto& core : cores_of(layer)) { sum += elements_of(core.indices, sizes); }
    return layer.blocks * sum;
}

std::uint64_t dense_macs(const tensorized_layer& layer)
{
    return product({layer.batch, row_count(layer), column_count(layer)});
}

} // namespace tensorloom::workloads
