#pragma once
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>
#include <tensorloom/workloads/contraction_search/contraction_tree.h>
#include <tensorloom/workloads/contraction_search/node_sets.h>
#include <tensorloom/workloads/contraction_search/search_objective.h>
#include <tensorloom/workloads/tensor_network/network.h>

namespace tensorloom::workloads {

// The contraction sequence search (CSSE), stage 1: exact, over every pair of tensors in every order, outer products
// included. Source: FETTA, section IV and algorithm 1; the subset search is not in the paper, which has no way through
// networks of more than about eight nodes.

/// What is asked of a search.
struct search_request {
    search_objective objective = search_objective::macs;
    traffic_rule traffic;
    std::size_t top = 8; ///< sequences kept, K; the paper gives no number
    /// Trees that differ only in steps of together less than this share of the MACs count once, as the cheaper one;
    /// 0: every tree counts.
    double near_copy_share = 0.01;
    double seconds = 0; ///< of wall time, then what was found so far; 0: without limit
    /// Hears how far the search is, 0 to 1, now and then.
    std::function<void(double fraction)> progress;
};

struct found_sequence {
    contraction_tree tree;
    search_cost cost; ///< by the objective
    std::uint64_t macs = 0;
};

struct search_result {
    std::vector<found_sequence> best; ///< ascending; at most as many as asked for, one at least
    /// Nothing better is left out. False: time was up, or there may be more trees that are no near copies among those
    /// of higher cost.
    bool complete = true;
    std::uint64_t visited = 0; ///< depth first: graphs; subsets: pairs of sets
};

/// Algorithm 1: depth first over sequences, each step any pair of the tensors that are there. A branch is left when its
/// cost reaches that of the worst of the candidate list, once that is full. Different interleavings of one tree are one
/// candidate. 2,700 sequences of 6 nodes, 1.6 million of 8.
search_result search_depth_first(const tensor_network& network, const search_request& request);

/// Dynamic programming over sets of nodes: the cheapest tree of each set from the cheapest of its halves, 3^N / 2
/// pairs; then the next best ones, one at a time, from the second, third, ... best of halves (the lazy k best
/// derivations of L. Huang and D. Chiang, Better k-best parsing, IWPT 2005).
search_result search_subsets(const tensor_network& network, const search_request& request);

/// The paper's way where it is quick, up to 6 nodes; else over subsets. Both find the same costs.
search_result search_sequences(const tensor_network& network, const search_request& request);

/// A tree of the fewest MACs, over subsets, and how many they are.
found_sequence optimal_sequence(const tensor_network& network);
inline std::uint64_t optimal_macs(const tensor_network& network) { return optimal_sequence(network).macs; }

/// A sequence by name: one of fixed_sequences(), or csse-macs, csse-memory, csse-traffic, the best by an objective
/// (with the request's limits). Nothing where the network has none. Throws base::input_error for an unknown name.
std::optional<contraction_tree> named_sequence(const tensor_network& network, const std::string& name,
                                               const search_request& request = {});

/// What stage 2 chooses from: the best by MACs, by memory and by traffic, each `request.top`; the best few by MACs of a
/// quarter, a 16th and a 64th of the batch (the first index of node 0), whose tensors of cores alone are smaller; and
/// fixed_sequences(). Every tree once, whatever the order of its operands; no near copies within one list.
struct candidate_sequences {
    std::vector<contraction_tree> trees;
    bool complete = true;
    std::uint64_t visited = 0; ///< by all searches
};
candidate_sequences candidates_of(const tensor_network& network, const search_request& request);

/// Stage 2: what a sequence costs where it is to run, lower is better; infinite where it cannot run. A device's
/// estimate of a whole step is one.
using sequence_cost = std::function<double(const tensor_network& network, const contraction_tree& tree)>;

struct ranked_sequence {
    contraction_tree tree;
    double cost = 0;
    bool exact = true; ///< false: its cost is what it takes at least, which is no less than that of the best
};
struct ranked_sequences {
    std::vector<ranked_sequence> best; ///< ascending; one at least
    bool complete = true;              ///< false: time was up
};

/// Candidates by their cost, ascending; those of equal cost in the order in which they came. Of near copies
/// (`request.near_copy_share`) the cheapest is there.
///
/// `least`: what a sequence costs at least, found out more quickly. Costs are then asked for in the order of these, and
/// no longer when what is left takes at least as much as the best. `request.seconds`, `request.progress`: of all of it.
ranked_sequences ranked(const tensor_network& network, const std::vector<contraction_tree>& candidates,
                        const sequence_cost& cost, const search_request& request = {},
                        const sequence_cost& least = nullptr);

} // namespace tensorloom::workloads
