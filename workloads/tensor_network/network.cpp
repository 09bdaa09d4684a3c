#include <tensorloom/workloads/tensor_network/network.h>
#include <algorithm>
#include <limits>
#include <set>
#include <tensorloom/models/base/values/input_error.h>

namespace tensorloom::workloads {
namespace {

using base::in_quotes;

constexpr std::uint64_t largest_size = (std::uint64_t{1} << 31) - 1;
constexpr std::uint64_t largest_tensor = std::uint64_t{1} << 63;

void check_sizes(const tensor_network& network)
{
    for (const auto& [index, size] : network.sizes) {
        if (size < 1 || size > largest_size) {
            base::refuse("network", "size " + std::to_string(size) + " of index " + in_quotes(index),
                         "1 to 2147483647");
        }
        const bool used = std::any_of(network.nodes.begin(), network.nodes.end(),
                                      [&name = index](const auto& node) { return has_index(node.indices, name); });
        if (!used) {
            base::refuse("network", "a size for index " + in_quotes(index) + ", which no node has",
                         "only indices of nodes");
        }
    }
}

void check_indices(const index_list& indices, const std::string& tensor, const index_sizes& sizes)
{
    std::set<std::string> seen;
    for (const auto& index : indices) {
        if (!seen.insert(index).second) {
            base::refuse("network", "index " + in_quotes(index) + " twice in " + tensor,
                         "every index once in a tensor");
        }
        if (sizes.count(index) == 0) {
            base::refuse("network", "index " + in_quotes(index) + " of " + tensor + " without a size", "one in sizes");
        }
    }
    if (elements_of(indices, sizes) > largest_tensor) {
        base::refuse("network", "more than 2^63 elements in " + tensor, "at most that many");
    }
}

// An index that is in one node alone has to be in the result.
void check_sums(const tensor_network& network)
{
    for (const auto& node : network.nodes) {
        for (const auto& index : node.indices) {
            const auto owners = std::count_if(network.nodes.begin(), network.nodes.end(),
                                              [&](const auto& n) { return has_index(n.indices, index); });
            if (owners == 1 && !has_index(network.out, index)) {
                base::refuse("network", "index " + in_quotes(index) + " in " + in_quotes(node.name) + " only",
                             "it in another node or in out");
            }
        }
    }
}

// Every tensor of a network, the result as the last.
std::vector<const index_list*> tensors_of(const tensor_network& network)
{
    std::vector<const index_list*> all;
    for (const auto& node : network.nodes) { all.push_back(&node.indices); }
    all.push_back(&network.out);
    return all;
}

// `second` stands right behind `first` in every tensor that has one of them.
bool stay_together(const tensor_network& network, const std::string& first, const std::string& second)
{
    const auto tensors = tensors_of(network);
    return std::all_of(tensors.begin(), tensors.end(), [&](const index_list* indices) {
        const auto at = std::find(indices->begin(), indices->end(), first);
        if (at == indices->end()) { return !has_index(*indices, second); }
        return at + 1 != indices->end() && *(at + 1) == second;
    });
}

void merge(index_list& indices, const std::string& first, const std::string& merged)
{
    const auto at = std::find(indices.begin(), indices.end(), first);
    if (at == indices.end()) { return; }
    *at = merged;
    indices.erase(at + 1);
}

// Makes one index of two, if there are two that stay together.
bool merge_a_pair(tensor_network& network)
{
    for (const auto* indices : tensors_of(network)) {
        for (std::size_t i = 0; i + 1 < indices->size(); ++i) {
            const std::string first = (*indices)[i], second = (*indices)[i + 1];
            const std::string merged = first + second;
            const std::uint64_t size = network.sizes.at(first) * network.sizes.at(second);
            if (!stay_together(network, first, second) || size > largest_size || network.sizes.count(merged) != 0) {
                continue;
            }
            for (auto& node : network.nodes) { merge(node.indices, first, merged); }
            merge(network.out, first, merged);
            network.sizes.erase(first);
            network.sizes.erase(second);
            network.sizes[merged] = size;
            return true;
        }
    }
    return false;
}

} // namespace

std::uint64_t elements_of(const index_list& indices, const index_sizes& sizes)
{
    std::uint64_t product = 1;
    for (const auto& index : indices) {
        if (__builtin_mul_overflow(product, sizes.at(index), &product)) {
            return std::numeric_limits<std::uint64_t>::max();
        }
    }
    return product;
}

bool has_index(const index_list& indices, const std::string& index)
{
    return std::find(indices.begin(), indices.end(), index) != indices.end();
}

void check_network(const tensor_network& network)
{
    if (network.nodes.empty()) { base::refuse("network", "no nodes", "at least one"); }
    std::set<std::string> names;
    for (const auto& node : network.nodes) {
        if (node.name.empty()) { base::refuse("network", "a node without a name", "a name for each"); }
        if (!names.insert(node.name).second) {
            base::refuse("network", "two nodes " + in_quotes(node.name), "names that differ");
        }
        check_indices(node.indices, in_quotes(node.name), network.sizes);
    }
    check_sizes(network);
    for (const auto& index : network.out) {
        const bool known = std::any_of(network.nodes.begin(), network.nodes.end(),
                                       [&](const auto& node) { return has_index(node.indices, index); });
        if (!known) {
            base::refuse("network", "index " + in_quotes(index) + " in out, which no node has",
                         "only indices of nodes");
        }
    }
    check_indices(network.out, "out", network.sizes);
    check_sums(network);
}

tensor_network merged_neighbours(const tensor_network& network)
{
    tensor_network merged = network;
    while (merge_a_pair(merged)) {}
    return merged;
}

} // namespace tensorloom::workloads
