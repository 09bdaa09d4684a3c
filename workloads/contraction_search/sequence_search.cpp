#include <tensorloom/workloads/contraction_search/sequence_search.h>
#include <algorithm>
#include <chrono>
#include <limits>
#include <tensorloom/workloads/contraction_search/fixed_sequences.h>

namespace tensorloom::workloads {

search_result search_sequences(const tensor_network& network, const search_request& request)
{
    constexpr std::size_t quick = 6; // nodes
    return network.nodes.size() <= quick ? search_depth_first(network, request) : search_subsets(network, request);
}

found_sequence optimal_sequence(const tensor_network& network, double seconds)
{
    search_request request;
    request.top = 1;
    request.seconds = seconds;
    return search_subsets(network, request).best.front();
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

namespace {

// Time that is left of a request, in searches one after the other.
class remaining_time {
public:
    explicit remaining_time(const search_request& request) : m_seconds(request.seconds) {}

    double seconds() const // 0: without limit
    {
        constexpr double least = 1e-9;
        return m_seconds == 0 ? 0 : std::max(least, m_seconds - passed());
    }
    bool is_up() const { return m_seconds > 0 && passed() > m_seconds; }

private:
    double passed() const { return std::chrono::duration<double>(std::chrono::steady_clock::now() - m_start).count(); }

    double m_seconds;
    std::chrono::steady_clock::time_point m_start = std::chrono::steady_clock::now();
};

// Fewer samples; nothing without a batch to divide.
std::optional<tensor_network> with_fewer_samples(const tensor_network& network, std::uint64_t share)
{
    const auto& first = network.nodes.front().indices;
    if (first.empty() || network.sizes.at(first.front()) < share) { return std::nullopt; }
    auto fewer = network;
    fewer.sizes[first.front()] /= share;
    return fewer;
}

} // namespace

candidate_sequences candidates_of(const tensor_network& network, const search_request& request)
{
    constexpr std::size_t most_of_fewer_samples = 2;
    const remaining_time time(request);
    candidate_sequences all;
    const std::size_t nodes = network.nodes.size();
    const auto add = [&](const contraction_tree& found) {
        const auto tree = tree_of(sets_of(found, nodes), nodes);
        if (std::find(all.trees.begin(), all.trees.end(), tree) == all.trees.end()) { all.trees.push_back(tree); }
    };
    const auto search = [&](const tensor_network& of, search_objective objective, std::size_t top) {
        auto by_one = request;
        by_one.objective = objective;
        by_one.top = top;
        by_one.seconds = time.seconds();
        const auto result = search_sequences(of, by_one);
        all.complete = all.complete && result.complete;
        all.visited += result.visited;
        for (const auto& sequence : result.best) { add(sequence.tree); }
    };
    for (const auto objective : {search_objective::macs, search_objective::memory, search_objective::traffic}) {
        search(network, objective, request.top);
    }
    for (const std::uint64_t share : {4, 16, 64}) {
        if (const auto fewer = with_fewer_samples(network, share)) {
            search(*fewer, search_objective::macs, std::min(request.top, most_of_fewer_samples));
        }
    }
    for (const auto& fixed : fixed_sequences()) {
        if (const auto tree = fixed_tree(network, fixed.name, time.seconds())) { add(*tree); }
    }
    return all;
}

ranked_sequences ranked(const tensor_network& network, const std::vector<contraction_tree>& candidates,
                        const sequence_cost& cost, const search_request& request, const sequence_cost& least)
{
    const remaining_time time(request);
    std::vector<ranked_sequence> all;
    const auto sort = [&all] {
        std::stable_sort(all.begin(), all.end(),
                         [](const ranked_sequence& x, const ranked_sequence& y) { return x.cost < y.cost; });
    };
    const auto tell = [&](std::size_t done, double from) {
        const double share = static_cast<double>(done) / static_cast<double>(candidates.size());
        if (request.progress) { request.progress(from + (1 - from) * share); }
    };
    ranked_sequences result;
    double best = std::numeric_limits<double>::infinity();
    for (const auto& tree : candidates) {
        if (!all.empty() && time.is_up()) {
            result.complete = false;
            break;
        }
        all.push_back({tree, least ? least(network, tree) : cost(network, tree), !least});
        tell(all.size(), 0);
    }
    sort();
    for (std::size_t i = 0; least && i < all.size() && all[i].cost < best; ++i) {
        if (i > 0 && time.is_up()) {
            result.complete = false;
            break;
        }
        all[i] = {all[i].tree, cost(network, all[i].tree), true};
        best = std::min(best, all[i].cost);
        tell(i + 1, 0);
    }
    sort();
    const node_sets sets(network, search_objective::macs, request.traffic);
    std::vector<std::vector<joined_sets>> kept;
    for (auto& sequence : all) {
        auto steps = sets_of(sequence.tree, sets.nodes());
        const bool copy = std::any_of(kept.begin(), kept.end(), [&](const auto& other) {
            return near_copies(sets, other, steps, request.near_copy_share);
        });
        if (copy) { continue; }
        kept.push_back(std::move(steps));
        result.best.push_back(std::move(sequence));
    }
    return result;
}

} // namespace tensorloom::workloads
