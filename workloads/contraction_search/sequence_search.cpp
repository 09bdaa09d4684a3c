#include <tensorloom/workloads/contraction_search/sequence_search.h>
#include <algorithm>
#include <tensorloom/workloads/contraction_search/fixed_sequences.h>

namespace tensorloom::workloads {

search_result search_sequences(const tensor_network& network, const search_request& request)
{
    constexpr std::size_t quick = 6; // nodes
    return network.nodes.size() <= quick ? search_depth_first(network, request) : search_subsets(network, request);
}

std::uint64_t optimal_macs(const tensor_network& network)
{
    search_request request;
    request.top = 1;
    return search_subsets(network, request).best.front().macs;
}

std::optional<contraction_tree> named_sequence(const tensor_network& network, const std::string& name,
                                               const search_request& request)
{
    for (const auto& objective : search_objective_values) {
        if (name != std::string("csse-") + objective.name) { continue; }
        auto by_it = request;
        by_it.objective = static_cast<search_objective>(objective.value);
        by_it.top = 1;
        return search_sequences(network, by_it).best.front().tree;
    }
    return fixed_tree(network, name);
}

candidate_sequences candidates_of(const tensor_network& network, const search_request& request)
{
    candidate_sequences all;
    for (const auto objective : {search_objective::macs, search_objective::memory, search_objective::traffic}) {
        auto by_one = request;
        by_one.objective = objective;
        const auto result = search_sequences(network, by_one);
        all.complete = all.complete && result.complete;
        for (const auto& sequence : result.best) {
            if (std::find(all.trees.begin(), all.trees.end(), sequence.tree) == all.trees.end()) {
                all.trees.push_back(sequence.tree);
            }
        }
    }
    return all;
}

std::vector<ranked_sequence> ranked(const tensor_network& network, const std::vector<contraction_tree>& candidates,
                                    const sequence_cost& cost)
{
    std::vector<ranked_sequence> sequences;
    for (const auto& tree : candidates) { sequences.push_back({tree, cost(network, tree)}); }
    std::stable_sort(sequences.begin(), sequences.end(),
                     [](const ranked_sequence& x, const ranked_sequence& y) { return x.cost < y.cost; });
    return sequences;
}

} // namespace tensorloom::workloads
