#include <tensorloom/workloads/contraction_search/contraction_tree.h>
#include <algorithm>
#include <map>
#include <tensorloom/models/base/values/input_error.h>

namespace tensorloom::workloads {
namespace {

std::uint64_t saturated_product(std::uint64_t a, std::uint64_t b)
{
    std::uint64_t product = 0;
    return __builtin_mul_overflow(a, b, &product) ? ~std::uint64_t{0} : product;
}

std::string text_of(const tensor_network& network, const contraction_tree& tree, std::uint32_t tensor, bool outermost)
{
    const auto nodes = static_cast<std::uint32_t>(network.nodes.size());
    if (tensor < nodes) { return network.nodes[tensor].name; }
    const auto& step = tree.steps[tensor - nodes];
    const std::string text = text_of(network, tree, step.a, false) + "." + text_of(network, tree, step.b, false);
    return outermost ? text : "(" + text + ")";
}

} // namespace

void check_tree(const tensor_network& network, const contraction_tree& tree)
{
    const std::size_t nodes = network.nodes.size();
    if (tree.steps.size() + 1 != nodes) {
        base::refuse("sequence", std::to_string(tree.steps.size()) + " steps", std::to_string(nodes - 1));
    }
    std::vector<bool> taken(nodes + tree.steps.size(), false);
    for (std::size_t s = 0; s < tree.steps.size(); ++s) {
        for (const std::uint32_t operand : {tree.steps[s].a, tree.steps[s].b}) {
            if (operand >= nodes + s || taken[operand]) {
                throw base::input_error("sequence: found tensor " + std::to_string(operand) + " in step " +
                                        std::to_string(s) + ", expected one that is there and not taken");
            }
            taken[operand] = true;
        }
    }
}

std::vector<index_list> indices_of(const tensor_network& network, const contraction_tree& tree)
{
    index_list order; // of results
    const auto add_to_order = [&](const index_list& more) {
        for (const auto& index : more) {
            if (!has_index(order, index)) { order.push_back(index); }
        }
    };
    add_to_order(network.nodes.front().indices);
    add_to_order(network.out);
    for (const auto& node : network.nodes) { add_to_order(node.indices); }

    std::map<std::string, std::size_t> uses; // tensors that are there and have the index, the result among them
    std::vector<index_list> all;
    for (const auto& node : network.nodes) {
        for (const auto& index : node.indices) { ++uses[index]; }
        all.push_back(node.indices);
    }
    for (const auto& index : network.out) { ++uses[index]; }
    for (const auto& step : tree.steps) {
        for (const std::uint32_t operand : {step.a, step.b}) {
            for (const auto& index : all[operand]) { --uses[index]; }
        }
        index_list result;
        for (const auto& index : order) {
            const bool here = has_index(all[step.a], index) || has_index(all[step.b], index);
            if (here && uses[index] != 0) { result.push_back(index); }
        }
        for (const auto& index : result) { ++uses[index]; }
        all.push_back(std::move(result));
    }
    if (!tree.steps.empty()) { all.back() = network.out; }
    return all;
}

std::string tensor_name(const tensor_network& network, std::uint32_t tensor)
{
    const std::size_t nodes = network.nodes.size();
    return tensor < nodes ? network.nodes[tensor].name : "T" + std::to_string(tensor - nodes + 1);
}

std::uint64_t step_extents::macs() const
{
    return saturated_product(saturated_product(batch, contracted), saturated_product(a_free, b_free));
}

step_extents extents_of(const index_list& a, const index_list& b, const index_list& c, const index_sizes& sizes)
{
    step_extents extents;
    for (const auto& index : a) {
        auto& group = !has_index(b, index) ? extents.a_free : has_index(c, index) ? extents.batch : extents.contracted;
        group = saturated_product(group, sizes.at(index));
    }
    for (const auto& index : b) {
        if (!has_index(a, index)) { extents.b_free = saturated_product(extents.b_free, sizes.at(index)); }
    }
    return extents;
}

tree_costs costs_of(const tensor_network& network, const contraction_tree& tree)
{
    const auto indices = indices_of(network, tree);
    const std::size_t nodes = network.nodes.size();
    tree_costs costs;
    for (std::size_t s = 0; s < tree.steps.size(); ++s) {
        const auto& a = indices[tree.steps[s].a];
        const auto& b = indices[tree.steps[s].b];
        const auto& c = indices[nodes + s];
        costs.macs = saturated_sum(costs.macs, extents_of(a, b, c, network.sizes).macs());
        for (const auto* tensor : {&a, &b, &c}) {
            costs.memory = saturated_sum(costs.memory, elements_of(*tensor, network.sizes));
        }
        if (s + 1 == tree.steps.size()) { break; }
        const auto made = elements_of(c, network.sizes);
        costs.intermediate = saturated_sum(costs.intermediate, made);
        costs.peak = std::max(costs.peak, made);
    }
    return costs;
}

std::string tree_text(const tensor_network& network, const contraction_tree& tree)
{
    const auto last = static_cast<std::uint32_t>(network.nodes.size() + tree.steps.size() - 1);
    return text_of(network, tree, last, true);
}

} // namespace tensorloom::workloads
