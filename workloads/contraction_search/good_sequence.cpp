#include <tensorloom/workloads/contraction_search/good_sequence.h>
#include <algorithm>
#include <map>
#include <optional>

namespace tensorloom::workloads {
namespace {

constexpr std::size_t most_tensors = 8; // of a part that is searched exactly: 3^8 / 2 pairs
constexpr unsigned most_rounds = 32;

using tree_map = std::map<node_set, joined_sets>; // what each set is made of

// Joins the pair with the least key until one set is left.
template <class Key> std::vector<joined_sets> greedy(const node_sets& sets, const Key& key)
{
    std::vector<node_set> graph;
    for (std::size_t node = 0; node < sets.nodes(); ++node) { graph.push_back(node_set{1} << node); }
    std::vector<joined_sets> steps;
    while (graph.size() > 1) {
        std::size_t a = 0, b = 1;
        auto least = key(graph[0], graph[1]);
        for (std::size_t i = 0; i < graph.size(); ++i) {
            for (std::size_t j = i + 1; j < graph.size(); ++j) {
                const auto found = key(graph[i], graph[j]);
                if (!(found < least)) { continue; }
                least = found;
                a = i;
                b = j;
            }
        }
        steps.push_back({graph[a], graph[b]});
        graph[a] |= graph[b]; // sets stay in the order of their lowest nodes
        graph.erase(graph.begin() + static_cast<std::ptrdiff_t>(b));
    }
    return steps;
}

// A part of a tree: the tensors below a set, opened from the most expensive on, and the cost of joining them.
struct tree_part {
    std::vector<node_set> tensors;
    search_cost cost;
};

tree_part part_below(const node_sets& sets, const tree_map& tree, node_set root)
{
    tree_part part{{root}, {}};
    const auto step_cost = [&](node_set s) { return sets.cost(tree.at(s).a, tree.at(s).b); };
    while (part.tensors.size() < most_tensors) {
        std::optional<std::size_t> dearest;
        for (std::size_t i = 0; i < part.tensors.size(); ++i) {
            if (is_node(part.tensors[i])) { continue; }
            if (!dearest || step_cost(part.tensors[*dearest]) < step_cost(part.tensors[i])) { dearest = i; }
        }
        if (!dearest) { break; }
        const node_set opened = part.tensors[*dearest];
        part.cost = part.cost + step_cost(opened);
        part.tensors[*dearest] = tree.at(opened).a;
        part.tensors.push_back(tree.at(opened).b);
    }
    return part;
}

// The cheapest way to join these tensors, if it costs less; its steps are put into the tree.
bool improve(const node_sets& sets, const tree_part& part, tree_map& tree)
{
    const std::size_t subsets = std::size_t{1} << part.tensors.size();
    std::vector<node_set> joined(subsets, 0);
    std::vector<search_cost> cost(subsets);
    std::vector<std::size_t> first(subsets, 0);
    for (std::size_t s = 1; s < subsets; ++s) {
        joined[s] = joined[s & (s - 1)] | part.tensors[static_cast<std::size_t>(__builtin_ctzll(s))];
        if ((s & (s - 1)) == 0) { continue; }
        cost[s] = no_cost;
        for (std::size_t a = (s - 1) & s; a != 0; a = (a - 1) & s) {
            if (a < (s & ~a)) { continue; } // its mirror image
            const auto halves = cost[a] + cost[s & ~a];
            if (!(halves < cost[s])) { continue; }
            const auto whole = halves + sets.cost(joined[a], joined[s & ~a]);
            if (whole < cost[s]) {
                cost[s] = whole;
                first[s] = a;
            }
        }
    }
    if (!(cost.back() < part.cost)) { return false; }
    std::vector<std::size_t> open{subsets - 1};
    while (!open.empty()) {
        const std::size_t s = open.back(), a = first[s], b = s & ~first[s];
        open.pop_back();
        if ((s & (s - 1)) == 0) { continue; }
        tree[joined[s]] = {joined[a], joined[b]};
        open.push_back(a);
        open.push_back(b);
    }
    return true;
}

// Operands before their step, the first operand that of the lowest node.
void add_steps(const tree_map& tree, node_set s, std::vector<joined_sets>& steps)
{
    if (is_node(s)) { return; }
    auto [a, b] = tree.at(s);
    if (lowest(b) < lowest(a)) { std::swap(a, b); }
    add_steps(tree, a, steps);
    add_steps(tree, b, steps);
    steps.push_back({a, b});
}

std::vector<joined_sets> improved(const node_sets& sets, std::vector<joined_sets> steps)
{
    tree_map tree;
    const auto take = [&] {
        tree.clear();
        for (const auto& step : steps) { tree[step.a | step.b] = step; }
    };
    take();
    bool better = true;
    for (unsigned round = 0; round < most_rounds && better; ++round) {
        better = false;
        const auto before = steps;
        for (auto step = before.rbegin(); step != before.rend(); ++step) {
            const node_set root = step->a | step->b;
            if (tree.count(root) == 0 || !improve(sets, part_below(sets, tree, root), tree)) { continue; }
            better = true;
            steps.clear();
            add_steps(tree, sets.all(), steps);
            take(); // without the sets that it has no more
        }
    }
    return steps;
}

} // namespace

search_cost cost_of(const node_sets& sets, const std::vector<joined_sets>& steps)
{
    search_cost sum;
    for (const auto& step : steps) { sum = sum + sets.cost(step.a, step.b); }
    return sum;
}

std::vector<joined_sets> good_sequence(const node_sets& sets)
{
    const auto elements = [&](node_set s) { return static_cast<double>(sets.elements(s)); };
    auto by_cost = improved(sets, greedy(sets, [&](node_set a, node_set b) { return sets.cost(a, b); }));
    auto by_size = improved(
        sets, greedy(sets, [&](node_set a, node_set b) { return elements(a | b) - elements(a) - elements(b); }));
    return cost_of(sets, by_size) < cost_of(sets, by_cost) ? by_size : by_cost;
}

} // namespace tensorloom::workloads
