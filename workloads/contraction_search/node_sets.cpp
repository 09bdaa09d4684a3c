#include <tensorloom/workloads/contraction_search/node_sets.h>
#include <algorithm>
#include <iterator>
#include <map>
#include <tensorloom/models/base/values/input_error.h>

namespace tensorloom::workloads {
namespace {

std::uint64_t bit(std::size_t i) { return std::uint64_t{1} << i; }

[[noreturn]] void refuse(std::size_t found, const char* what, std::size_t most)
{
    throw base::input_error("search: found a network of " + std::to_string(found) + " " + what + ", expected at most " +
                            std::to_string(most));
}

} // namespace

size_products::size_products(const std::vector<std::uint64_t>& sizes)
{
    for (std::size_t first = 0; first < sizes.size(); first += bits) {
        auto& of = m_product.emplace_back();
        of[0] = 1;
        for (std::size_t s = 1; s < of.size(); ++s) {
            const std::size_t index = first + static_cast<std::size_t>(__builtin_ctzll(s));
            const bool above = __builtin_mul_overflow(of[s & (s - 1)], index < sizes.size() ? sizes[index] : 1, &of[s]);
            if (above) { of[s] = ~std::uint64_t{0}; }
        }
    }
}

node_sets::node_sets(const tensor_network& network, search_objective objective, const traffic_rule& rule)
    : m_nodes(network.nodes.size()), m_objective(objective), m_rule(rule)
{
    if (m_nodes > most_searched_nodes) { refuse(m_nodes, "nodes", most_searched_nodes); }
    if (network.sizes.size() > most_searched_indices) {
        refuse(network.sizes.size(), "indices", most_searched_indices);
    }
    std::map<std::string, std::uint64_t> bits;
    for (const auto& [index, size] : network.sizes) {
        bits[index] = bit(m_sizes.size());
        m_sizes.push_back(size);
    }
    std::vector<std::uint64_t> of_node;
    for (const auto& node : network.nodes) {
        of_node.push_back(0);
        for (const auto& index : node.indices) { of_node.back() |= bits[index]; }
    }
    std::uint64_t out = 0;
    for (const auto& index : network.out) { out |= bits[index]; }
    if (const auto& first = network.nodes.front().indices; !first.empty()) {
        m_batch = bits[first.front()];
        m_batch_size = network.sizes.at(first.front());
    }

    m_products = size_products(m_sizes);
    std::vector<std::uint64_t> touched(std::size_t{1} << m_nodes, 0);
    for (node_set s = 1; s <= all(); ++s) {
        touched[s] = touched[s & (s - 1)] | of_node[static_cast<std::size_t>(__builtin_ctz(s))];
    }
    m_tensors.resize(touched.size());
    for (node_set s = 1; s <= all(); ++s) {
        m_tensors[s].legs = touched[s] & (touched[all() & ~s] | out);
        m_tensors[s].elements = m_products.of(m_tensors[s].legs, 1);
    }
}

std::uint64_t node_sets::moved(node_set s) const
{
    const std::uint64_t elements = m_tensors[s].elements;
    if (is_node(s) || s == all()) { return elements; }
    if (elements <= m_rule.on_chip_elements) { return 0; }
    const bool in_blocks = (m_tensors[s].legs & m_batch) != 0 && elements / m_batch_size <= m_rule.on_chip_elements;
    return in_blocks && !m_rule.kept ? 0 : saturated_sum(elements, elements);
}

search_cost node_sets::traffic(node_set s, node_set t) const
{
    std::uint64_t traffic = moved(s | t);
    for (const node_set operand : {s, t}) {
        if (is_node(operand)) { traffic = saturated_sum(traffic, m_tensors[operand].elements); }
    }
    return {traffic, macs(s, t)};
}

search_cost node_sets::least_cost_of(node_set s) const
{
    const std::uint64_t elements = m_tensors[s].elements;
    return {m_objective == search_objective::traffic ? moved(s) : elements, elements};
}

// The set is an operand once, as is every other node, and the last step has a result.
search_cost node_sets::least_cost_around(node_set s) const
{
    if (s == all()) { return {}; }
    const std::uint64_t elements = m_tensors[s].elements;
    std::uint64_t others = m_tensors[all()].elements;
    for (node_set rest = all() & ~s; rest != 0; rest &= rest - 1) {
        others = saturated_sum(others, m_tensors[lowest(rest)].elements);
    }
    if (m_objective == search_objective::traffic) { return {others, elements}; }
    const std::uint64_t memory = saturated_sum(others, elements);
    return m_objective == search_objective::memory ? search_cost{memory, elements} : search_cost{elements, memory};
}

contraction_tree tree_of(std::vector<joined_sets> steps, std::size_t nodes)
{
    std::map<node_set, joined_sets> made;
    for (auto& step : steps) {
        if (lowest(step.b) < lowest(step.a)) { std::swap(step.a, step.b); }
        made[step.a | step.b] = step;
    }
    contraction_tree tree;
    // Numbers of tensors follow from the order in which they are made.
    const auto number = [&](const auto& self, node_set s) -> std::uint32_t {
        const auto found = made.find(s);
        if (found == made.end()) { return static_cast<std::uint32_t>(__builtin_ctz(s)); }
        const auto a = self(self, found->second.a);
        const auto b = self(self, found->second.b);
        tree.steps.push_back({a, b});
        return static_cast<std::uint32_t>(nodes + tree.steps.size() - 1);
    };
    if (!steps.empty()) { number(number, made.rbegin()->first); } // the set of all nodes is the largest
    return tree;
}

std::vector<joined_sets> sets_of(const contraction_tree& tree, std::size_t nodes)
{
    std::vector<node_set> sets;
    for (std::size_t node = 0; node < nodes; ++node) { sets.push_back(node_set{1} << node); }
    std::vector<joined_sets> joined;
    for (const auto& step : tree.steps) {
        joined_sets both{sets[step.a], sets[step.b]};
        sets.push_back(both.a | both.b);
        if (lowest(both.b) < lowest(both.a)) { std::swap(both.a, both.b); }
        joined.push_back(both);
    }
    return joined;
}

bool near_copies(const node_sets& sets, std::vector<joined_sets> first, std::vector<joined_sets> second, double share)
{
    std::sort(first.begin(), first.end());
    std::sort(second.begin(), second.end());
    const auto macs_of = [&](const std::vector<joined_sets>& steps) {
        double sum = 0;
        for (const auto& step : steps) { sum += static_cast<double>(sets.macs(step.a, step.b)); }
        return sum;
    };
    std::vector<joined_sets> only_first, only_second;
    std::set_difference(first.begin(), first.end(), second.begin(), second.end(), std::back_inserter(only_first));
    std::set_difference(second.begin(), second.end(), first.begin(), first.end(), std::back_inserter(only_second));
    return std::max(macs_of(only_first), macs_of(only_second)) < share * macs_of(first);
}

} // namespace tensorloom::workloads
