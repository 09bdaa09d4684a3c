#include <algorithm>
#include <limits>
#include <optional>
#include <unordered_map>
#include <tensorloom/workloads/contraction_search/good_sequence.h>
#include <tensorloom/workloads/contraction_search/search_clock.h>
#include <tensorloom/workloads/contraction_search/sequence_search.h>

namespace tensorloom::workloads {
namespace {

constexpr std::uint64_t most_trees = 100000; // looked at for some that are no near copies

// Calls `visit` with every half of a set that has its lowest node.
template <class Visit> void for_halves(node_set s, const Visit& visit)
{
    const node_set first = lowest(s), others = s & ~first;
    for (node_set more = (others - 1) & others;; more = (more - 1) & others) {
        visit(first | more);
        if (more == 0) { return; }
    }
}

// The largest cost that does not exceed the bound together with what is spent; nothing where that exceeds it already.
// The largest number is no bound.
std::optional<search_cost> left_of(const search_cost& bound, const search_cost& spent)
{
    constexpr std::uint64_t most = no_cost.first;
    if (bound < spent) { return std::nullopt; }
    const std::uint64_t first = bound.first == most ? most : bound.first - spent.first;
    if (bound.second == most) { return search_cost{first, most}; }
    if (spent.second <= bound.second) { return search_cost{first, bound.second - spent.second}; }
    return search_cost{first == most ? most : first - 1, most}; // less than `first`, with any second cost
}

search_cost next_above(const search_cost& cost)
{
    if (cost.second != no_cost.second) { return {cost.first, cost.second + 1}; }
    return cost.first == no_cost.first ? no_cost : search_cost{cost.first + 1, 0};
}

// Of the steps of a set, for a tree of at most a cost that has this set.
std::optional<search_cost> left_for(const node_sets& sets, node_set s, const search_cost& bound)
{
    return left_of(bound, sets.least_cost_around(s));
}

// The cheapest tree of every set, of those that trees of at most a cost may have: no_cost elsewhere. Costs only add up,
// so a set that costs more than the bound with the least that its tree takes besides is in no such tree.
class cheapest_trees {
public:
    cheapest_trees(const node_sets& sets, search_clock& clock, const search_cost& bound)
        : m_cost(std::size_t{sets.all()} + 1)
    {
        const double squared = static_cast<double>(sets.all()) * static_cast<double>(sets.all());
        for (node_set s = 1; s <= sets.all(); ++s) {
            if (is_node(s)) { continue; }
            m_cost[s] = no_cost;
            const search_cost joining = sets.least_cost_of(s); // at least, whatever the halves
            const auto left = left_for(sets, s, bound);
            const bool beyond = !left || *left < joining;
            const std::uint64_t pairs = beyond ? 0 : std::uint64_t{1} << (__builtin_popcount(s) - 1);
            if (clock.up(static_cast<double>(s) * static_cast<double>(s) / squared, pairs + 1)) { return; }
            if (beyond) { continue; }
            m_visited += pairs - 1;
            search_cost least = next_above(*left);
            for_halves(s, [&](node_set a) {
                const node_set b = s & ~a;
                const search_cost halves = m_cost[a] + m_cost[b];
                if (!(halves + joining < least)) { return; }
                const search_cost cost = halves + sets.cost(a, b);
                if (cost < least) { m_cost[s] = least = cost; }
            });
        }
    }

    const search_cost& operator[](node_set s) const { return m_cost[s]; }
    std::uint64_t visited() const { return m_visited; }

private:
    std::vector<search_cost> m_cost; // 0 of a node
    std::uint64_t m_visited = 0;
};

// The trees of every set in ascending order, found one after the other when they are asked for; only those within the
// bound of the cheapest trees.
class ordered_trees {
public:
    ordered_trees(const node_sets& sets, const cheapest_trees& cheapest, const search_cost& bound)
        : m_sets(sets), m_cheapest(cheapest), m_bound(bound)
    {}

    /// Of the rank-th best tree of a set; nothing when it has fewer.
    const search_cost* cost(node_set s, std::size_t rank)
    {
        static constexpr search_cost free{};
        if (is_node(s)) { return rank == 0 ? &free : nullptr; }
        auto& of = m_orders[s]; // references stay when others are added
        if (!of.begun) { begin(s, of); }
        while (of.trees.size() <= rank) {
            if (!next(s, of)) { return nullptr; }
        }
        return &of.trees[rank].cost;
    }

    /// The steps of a tree whose cost was asked for.
    void add_steps(node_set s, std::size_t rank, std::vector<joined_sets>& steps) const
    {
        if (is_node(s)) { return; }
        const auto& of = m_orders.at(s).trees[rank];
        const node_set b = s & ~of.a;
        add_steps(of.a, of.rank_a, steps);
        add_steps(b, of.rank_b, steps);
        steps.push_back({of.a, b});
    }

private:
    // A tree of a set: the halves, and the how many best tree of each.
    struct tree {
        search_cost cost;
        node_set a = 0;
        std::uint32_t rank_a = 0, rank_b = 0;

        friend bool operator<(const tree& x, const tree& y) // for heaps whose top is the cheapest
        {
            if (!(x.cost == y.cost)) { return y.cost < x.cost; }
            if (x.a != y.a) { return x.a > y.a; }
            return x.rank_a != y.rank_a ? x.rank_a > y.rank_a : x.rank_b > y.rank_b;
        }
    };
    struct order {
        bool begun = false;
        search_cost most;        // of its trees
        std::vector<tree> trees; // ascending
        std::vector<tree> heap;  // of those that may come next
    };

    void begin(node_set s, order& of)
    {
        of.begun = true;
        const auto left = left_for(m_sets, s, m_bound);
        if (!left) { return; }
        of.most = *left;
        for_halves(s, [&](node_set a) {
            const node_set b = s & ~a;
            const auto halves = m_cheapest[a] + m_cheapest[b];
            if (of.most < halves) { return; }
            const auto cost = halves + m_sets.cost(a, b);
            if (!(of.most < cost)) { of.heap.push_back({cost, a, 0, 0}); }
        });
        std::make_heap(of.heap.begin(), of.heap.end());
    }

    bool next(node_set s, order& of)
    {
        if (of.heap.empty()) { return false; }
        std::pop_heap(of.heap.begin(), of.heap.end());
        const tree taken = of.heap.back();
        of.heap.pop_back();
        of.trees.push_back(taken);
        // Each pair of ranks comes from one other alone: (i, j) from (i, j - 1), (i, 0) from (i - 1, 0).
        add(s, of, {{}, taken.a, taken.rank_a, taken.rank_b + 1});
        if (taken.rank_b == 0) { add(s, of, {{}, taken.a, taken.rank_a + 1, 0}); }
        return true;
    }

    void add(node_set s, order& of, tree candidate)
    {
        const node_set b = s & ~candidate.a;
        const auto* cost_a = cost(candidate.a, candidate.rank_a);
        const auto* cost_b = cost(b, candidate.rank_b);
        if (cost_a == nullptr || cost_b == nullptr) { return; }
        candidate.cost = *cost_a + *cost_b + m_sets.cost(candidate.a, b);
        if (of.most < candidate.cost) { return; } // as are all that would follow from it
        of.heap.push_back(candidate);
        std::push_heap(of.heap.begin(), of.heap.end());
    }

    const node_sets& m_sets;
    const cheapest_trees& m_cheapest;
    search_cost m_bound;
    std::unordered_map<node_set, order> m_orders;
};

found_sequence found(const node_sets& sets, const std::vector<joined_sets>& steps)
{
    found_sequence sequence{tree_of(steps, sets.nodes()), cost_of(sets, steps), 0};
    for (const auto& step : steps) { sequence.macs = saturated_sum(sequence.macs, sets.macs(step.a, step.b)); }
    return sequence;
}

// A bound so many times as high, of the first cost alone.
search_cost widened(const search_cost& bound, std::uint64_t by)
{
    const bool above = bound.first > no_cost.first / by;
    return {above ? no_cost.first : bound.first * by, no_cost.second};
}

// Where the best few trees are likely to be, if one of them has this cost. Many trees have the least traffic.
search_cost next_bound(const search_cost& good, search_objective objective)
{
    constexpr std::uint64_t by = 2;
    if (objective != search_objective::traffic || good.second > no_cost.second / by) { return widened(good, by); }
    return {good.first, good.second * by};
}

// The best trees within a bound of their cost. Nothing if time was up before the first of them was known.
std::optional<search_result> best_within(const node_sets& sets, const search_request& request, search_clock& clock,
                                         const search_cost& bound, std::uint64_t& visited)
{
    const cheapest_trees cheapest(sets, clock, bound);
    visited += cheapest.visited();
    if (clock.was_up()) { return std::nullopt; }
    search_result result;
    ordered_trees trees(sets, cheapest, bound);
    std::vector<std::vector<joined_sets>> kept;
    for (std::size_t rank = 0; kept.size() < request.top && trees.cost(sets.all(), rank) != nullptr; ++rank) {
        if (rank == most_trees || (rank > 0 && clock.up(1, std::uint64_t{1} << sets.nodes() / 2))) {
            result.complete = false;
            break;
        }
        std::vector<joined_sets> steps;
        trees.add_steps(sets.all(), rank, steps);
        const bool copy = std::any_of(kept.begin(), kept.end(), [&](const auto& other) {
            return near_copies(sets, other, steps, request.near_copy_share);
        });
        if (copy) { continue; }
        result.best.push_back(found(sets, steps));
        kept.push_back(std::move(steps));
    }
    return result;
}

} // namespace

search_result search_subsets(const tensor_network& network, const search_request& request)
{
    const node_sets sets(network, request.objective, request.traffic);
    search_clock clock(request);
    search_result result;
    if (sets.nodes() == 1) {
        result.best.push_back({});
        return result;
    }
    const auto good = good_sequence(sets);
    constexpr std::size_t few_nodes = 9; // whose sets are all searched at once
    std::uint64_t visited = 0;
    std::optional<search_result> best;
    search_cost bound = sets.nodes() <= few_nodes ? no_cost : cost_of(sets, good);
    if (request.top > 1) { bound = next_bound(bound, request.objective); }
    for (;; bound = widened(bound, 16)) { // until `top` trees are within it
        auto found_now = best_within(sets, request, clock, bound, visited);
        if (!found_now) { break; }
        const bool ended = !found_now->complete || found_now->best.size() == request.top || bound == no_cost;
        best = std::move(found_now);
        if (ended) { break; }
        best->complete = false; // until the next has been searched
    }
    if (best) {
        result = std::move(*best);
        result.complete = result.complete && (result.best.size() == request.top || bound == no_cost);
    } else { // no tree of all nodes yet
        result.best.push_back(found(sets, good));
        result.complete = result.optimal = false;
    }
    result.visited = visited;
    return result;
}

} // namespace tensorloom::workloads
