#include <tensorloom/workloads/contraction_search/fixed_sequences.h>
#include <algorithm>
#include <limits>
#include <numeric>
#include <tensorloom/models/base/values/input_error.h>
#include <tensorloom/workloads/contraction_search/node_sets.h>
#include <tensorloom/workloads/contraction_search/sequence_search.h>

namespace tensorloom::workloads {
namespace {

using tensors = std::vector<std::uint32_t>;

// Adds the steps in which the first tensor takes the others one at a time; the number of what they make.
std::uint32_t fold(contraction_tree& tree, std::size_t nodes, const tensors& order)
{
    std::uint32_t made = order.front();
    for (std::size_t i = 1; i < order.size(); ++i) {
        tree.steps.push_back({made, order[i]});
        made = static_cast<std::uint32_t>(nodes + tree.steps.size() - 1);
    }
    return made;
}

tensors cores(const tensor_network& network)
{
    tensors all(network.nodes.size() - 1);
    std::iota(all.begin(), all.end(), 1u);
    return all;
}

contraction_tree absorbed(const tensor_network& network, tensors order)
{
    order.insert(order.begin(), 0);
    contraction_tree tree;
    fold(tree, network.nodes.size(), order);
    return tree;
}

using maybe_tree = std::optional<contraction_tree>;

maybe_tree ascending(const tensor_network& network, double) { return absorbed(network, cores(network)); }

maybe_tree descending(const tensor_network& network, double)
{
    auto order = cores(network);
    std::reverse(order.begin(), order.end());
    return absorbed(network, order);
}

bool share_an_index(const index_list& x, const index_list& y)
{
    return std::any_of(x.begin(), x.end(), [&](const std::string& index) { return has_index(y, index); });
}

// Shortest path over the sets of cores that X has taken.
maybe_tree tetrix(const tensor_network& network, double)
{
    const node_sets sets(network, search_objective::macs, {});
    std::vector<node_set> neighbours;
    for (const auto& node : network.nodes) {
        neighbours.push_back(0);
        for (std::size_t other = 0; other < network.nodes.size(); ++other) {
            if (share_an_index(node.indices, network.nodes[other].indices)) {
                neighbours.back() |= node_set{1} << other;
            }
        }
    }
    struct reached {
        search_cost cost;
        std::uint32_t last = 0; // core taken last; 0: not reached
    };
    std::vector<reached> best(std::size_t{sets.all()} + 1);
    for (node_set s = 1; s < sets.all(); s += 2) { // those with node 0
        if (s != 1 && best[s].last == 0) { continue; }
        // What is left of an index that both had may be gone: connected by what is there now, else by none.
        node_set connected = 0;
        for (std::size_t core = 1; core < sets.nodes(); ++core) {
            const node_set c = node_set{1} << core;
            if ((s & c) == 0 && (neighbours[core] & s) != 0) { connected |= c; }
        }
        const node_set next = connected != 0 ? connected : sets.all() & ~s;
        for (std::size_t core = 1; core < sets.nodes(); ++core) {
            const node_set c = node_set{1} << core;
            if ((next & c) == 0) { continue; }
            const search_cost cost = best[s].cost + sets.cost(s, c);
            auto& place = best[s | c];
            if (place.last == 0 || cost < place.cost) { place = {cost, static_cast<std::uint32_t>(core)}; }
        }
    }
    tensors order;
    for (node_set s = sets.all(); s != 1; s &= ~(node_set{1} << order.back())) { order.push_back(best[s].last); }
    std::reverse(order.begin(), order.end());
    return absorbed(network, order);
}

// Whether node 0 alone has the batch, so that the others make a matrix.
bool others_make_a_matrix(const tensor_network& network)
{
    const auto& first = network.nodes.front().indices;
    return network.nodes.size() > 2 && !first.empty() &&
           std::none_of(network.nodes.begin() + 1, network.nodes.end(),
                        [&](const auto& node) { return has_index(node.indices, first.front()); });
}

maybe_tree reconstruct(const tensor_network& network, double)
{
    if (!others_make_a_matrix(network)) { return std::nullopt; }
    contraction_tree tree;
    const auto matrix = fold(tree, network.nodes.size(), cores(network));
    tree.steps.push_back({0, matrix});
    return tree;
}

// The cores by themselves: their result has what node 0 or the result has.
tensor_network without_first(const tensor_network& network)
{
    tensor_network others;
    others.nodes.assign(network.nodes.begin() + 1, network.nodes.end());
    for (const auto& node : others.nodes) {
        for (const auto& index : node.indices) {
            others.sizes[index] = network.sizes.at(index);
            const bool needed = has_index(network.out, index) || has_index(network.nodes.front().indices, index);
            if (needed && !has_index(others.out, index)) { others.out.push_back(index); }
        }
    }
    return others;
}

maybe_tree reconstruct_best(const tensor_network& network, double seconds)
{
    if (!others_make_a_matrix(network)) { return std::nullopt; }
    const auto best = optimal_sequence(without_first(network), seconds).tree;
    contraction_tree tree; // numbers of cores one up, of results too: there is one node more
    for (const auto& step : best.steps) { tree.steps.push_back({step.a + 1, step.b + 1}); }
    tree.steps.push_back({0, static_cast<std::uint32_t>(network.nodes.size() + tree.steps.size() - 1)});
    return tree;
}

maybe_tree bidirectional(const tensor_network& network, double)
{
    if (!others_make_a_matrix(network)) { return std::nullopt; }
    tensors inputs, outputs;
    for (const auto core : cores(network)) {
        const auto& indices = network.nodes[core].indices;
        const bool takes = share_an_index(indices, network.nodes.front().indices);
        if (takes == share_an_index(indices, network.out)) { return std::nullopt; }
        (takes ? inputs : outputs).push_back(core);
    }
    if (inputs.empty() || outputs.empty()) { return std::nullopt; }
    auto& last = inputs.back() > outputs.back() ? inputs : outputs; // its end is that of the chain
    std::reverse(last.begin(), last.end());
    contraction_tree tree;
    const auto input = fold(tree, network.nodes.size(), inputs);
    const auto output = fold(tree, network.nodes.size(), outputs);
    fold(tree, network.nodes.size(), {0, input, output});
    return tree;
}

using make_tree = maybe_tree (*)(const tensor_network&, double seconds);

struct sequence_maker {
    fixed_sequence sequence;
    make_tree make;
};

constexpr sequence_maker makers[] = {
    {{"ascending", "X is contracted with one core at a time, from the first to the last"}, ascending},
    {{"descending", "X is contracted with one core at a time, from the last to the first"}, descending},
    {{"tetrix", "X is contracted with one connected core at a time, in the best order"}, tetrix},
    {{"reconstruct", "the cores are contracted to W in their order, then X with W"}, reconstruct},
    {{"reconstruct-best", "the cores are contracted to W in the best order, then X with W"}, reconstruct_best},
    {{"bidirectional", "the cores of inputs and of outputs separately, from the ends inwards, then X with both"},
     bidirectional},
};

} // namespace

const std::vector<fixed_sequence>& fixed_sequences()
{
    static const std::vector<fixed_sequence> all = [] {
        std::vector<fixed_sequence> list;
        for (const auto& maker : makers) { list.push_back(maker.sequence); }
        return list;
    }();
    return all;
}

std::optional<contraction_tree> fixed_tree(const tensor_network& network, const std::string& name, double seconds)
{
    std::string known;
    for (const auto& maker : makers) {
        if (name == maker.sequence.name) {
            return network.nodes.size() == 1 ? contraction_tree{} : maker.make(network, seconds);
        }
        known += (known.empty() ? "" : ", ") + std::string(maker.sequence.name);
    }
    throw base::input_error("found sequence " + base::in_quotes(name) + ", expected one of " + known);
}

} // namespace tensorloom::workloads
