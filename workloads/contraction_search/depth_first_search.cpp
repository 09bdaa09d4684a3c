#include <algorithm>
#include <optional>
#include <set>
#include <utility>
#include <tensorloom/workloads/contraction_search/search_clock.h>
#include <tensorloom/workloads/contraction_search/sequence_search.h>

namespace tensorloom::workloads {
namespace {

// The candidate list of algorithm 1: the best different trees so far.
class candidate_list {
public:
    explicit candidate_list(std::size_t size) : m_size(size) {}

    bool full() const { return m_entries.size() == m_size; }
    const search_cost& worst() const { return m_entries.back().cost; } ///< not of an empty list

    void insert(const std::vector<joined_sets>& sequence, const search_cost& cost)
    {
        auto tree = sequence;
        std::sort(tree.begin(), tree.end()); // interleavings of one tree are the same then
        if (!m_trees.insert(tree).second) { return; }
        const auto place = std::upper_bound(m_entries.begin(), m_entries.end(), cost,
                                            [](const search_cost& c, const entry& e) { return c < e.cost; });
        m_entries.insert(place, {sequence, cost, tree});
        if (m_entries.size() <= m_size) { return; }
        m_trees.erase(m_entries.back().tree);
        m_entries.pop_back();
    }

    struct entry {
        std::vector<joined_sets> sequence;
        search_cost cost;
        std::vector<joined_sets> tree;
    };
    const std::vector<entry>& entries() const { return m_entries; }

private:
    std::size_t m_size;
    std::vector<entry> m_entries; // ascending
    std::set<std::vector<joined_sets>> m_trees;
};

class depth_first {
public:
    depth_first(const node_sets& sets, search_clock& clock, std::size_t size)
        : m_sets(sets), m_clock(clock), m_list(size)
    {
        std::vector<node_set> graph;
        for (std::size_t node = 0; node < sets.nodes(); ++node) { graph.push_back(node_set{1} << node); }
        visit(graph, {}, 0, 1);
    }

    const candidate_list& list() const { return m_list; }
    std::uint64_t visited() const { return m_visited; }

private:
    // `done`: of the whole search before this graph; `share`: of it below this graph.
    void visit(const std::vector<node_set>& graph, const search_cost& cost, double done, double share)
    {
        ++m_visited;
        if (graph.size() == 1) {
            m_list.insert(m_sequence, cost);
            return;
        }
        const double pairs = static_cast<double>(graph.size() * (graph.size() - 1)) / 2;
        for (std::size_t i = 0; i < graph.size(); ++i) {
            for (std::size_t j = i + 1; j < graph.size(); ++j, done += share / pairs) {
                if (m_clock.up(done) && !m_list.entries().empty()) { return; }
                const search_cost after = cost + m_sets.cost(graph[i], graph[j]);
                if (m_list.full() && !(after < m_list.worst())) { continue; }
                auto smaller = graph; // the joined tensor takes the place of the first: sets stay in order
                smaller[i] |= smaller[j];
                smaller.erase(smaller.begin() + static_cast<std::ptrdiff_t>(j));
                m_sequence.push_back({graph[i], graph[j]});
                visit(smaller, after, done, share / pairs);
                m_sequence.pop_back();
            }
        }
    }

    const node_sets& m_sets;
    search_clock& m_clock;
    candidate_list m_list;
    std::vector<joined_sets> m_sequence;
    std::uint64_t m_visited = 0;
};

// Those of a list that are no near copies of one before.
search_result without_near_copies(const candidate_list& list, const node_sets& sets, const search_request& request)
{
    search_result result;
    std::vector<const candidate_list::entry*> kept;
    for (const auto& entry : list.entries()) {
        const bool copy = std::any_of(kept.begin(), kept.end(), [&](const auto* other) {
            return near_copies(sets, other->sequence, entry.sequence, request.near_copy_share);
        });
        if (copy || kept.size() == request.top) { continue; }
        kept.push_back(&entry);
        found_sequence found{tree_of(entry.sequence, sets.nodes()), entry.cost, 0};
        for (const auto& step : entry.sequence) { found.macs = saturated_sum(found.macs, sets.macs(step.a, step.b)); }
        result.best.push_back(std::move(found));
    }
    return result;
}

} // namespace

search_result search_depth_first(const tensor_network& network, const search_request& request)
{
    const node_sets sets(network, request.objective, request.traffic);
    search_clock clock(request);
    std::uint64_t visited = 0;
    std::optional<search_result> shorter;              // of a list that was searched to its end
    for (std::size_t size = request.top;; size *= 8) { // longer lists until enough of one are no near copies
        const depth_first search(sets, clock, size);
        visited += search.visited();
        const bool ended = !clock.was_up();
        auto result = ended || !shorter ? without_near_copies(search.list(), sets, request) : *shorter;
        result.visited = visited;
        result.complete = ended;
        result.optimal = ended || shorter;
        if (result.best.size() == request.top || !search.list().full() || !ended) { return result; }
        shorter = std::move(result);
    }
}

} // namespace tensorloom::workloads
