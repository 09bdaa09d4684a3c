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

// Stage 1 of the contraction sequence search (CSSE): exact, over every pair of tensors in every order, including outer
// products. Source: FETTA, section IV and algorithm 1. The subset search is not in the paper, whose search does not
// scale beyond about eight nodes.

/// Parameters of a search.
struct search_request {
    search_objective objective = search_objective::macs;
    traffic_rule traffic;
    std::size_t top = 8; ///< sequences kept, K; the paper gives no number
    /// Trees that differ only in steps whose MACs add up to less than this share count once, as the cheaper one; 0:
    /// every tree counts.
    double near_copy_share = 0.01;
    double seconds = 0; ///< limit of wall time, after which the best so far is returned; 0: none
    /// Called from time to time with the progress of the search, 0 to 1.
    std::function<void(double fraction)> progress;
};

struct found_sequence {
    contraction_tree tree;
    search_cost cost; ///< by the objective
    std::uint64_t macs = 0;
};

struct search_result {
    std::vector<found_sequence> best; ///< by ascending cost; 1 to `top` sequences
    /// No better sequence is missing. False: time was up, or more trees that are not near copies may exist among those
    /// of higher cost.
    bool complete = true;
    /// No sequence of the network costs less than the first. False: time was up before all of them were compared.
    bool optimal = true;
    std::uint64_t visited = 0; ///< depth first: graphs; subsets: pairs of sets
};

/// Algorithm 1: depth first over sequences; each step joins any pair of the remaining tensors. A branch ends when its
/// cost reaches that of the worst candidate, once the candidate list is full. Different interleavings of one tree are
/// one candidate. 2,700 sequences of 6 nodes, 1.6 million of 8.
search_result search_depth_first(const tensor_network& network, const search_request& request);

/// Dynamic programming over sets of nodes: the cheapest tree of each set from the cheapest trees of its halves, at most
/// 3^N / 2 pairs; then the next best trees, one at a time, from the second, third, ... best of the halves (the lazy k
/// best derivations of L. Huang and D. Chiang, Better k-best parsing, IWPT 2005). Sets that cost more than a
/// known sequence (good_sequence.h), together with the least that the rest of their tree takes, are left out; the bound
/// grows until `top` sequences are within it. When time is up before that, the result is the known sequence.
search_result search_subsets(const tensor_network& network, const search_request& request);

/// Depth first, as in the paper, up to 6 nodes, where it is quick; else over subsets. Both find the same costs.
search_result search_sequences(const tensor_network& network, const search_request& request);

/// A tree with the fewest MACs, found over subsets, and its MACs. `seconds`: limit, after which it is the best found.
found_sequence optimal_sequence(const tensor_network& network, double seconds = 0);
inline std::uint64_t optimal_macs(const tensor_network& network) { return optimal_sequence(network).macs; }

/// A sequence by name: one of fixed_sequences(), or csse-macs, csse-memory, csse-traffic, the best by an objective
/// (with the request's limits). None if the network does not have it. Throws base::input_error for an unknown name.
std::optional<contraction_tree> named_sequence(const tensor_network& network, const std::string& name,
                                               const search_request& request = {});

/// The candidates of stage 2: the best `request.top` by MACs, by memory and by traffic; the best few by MACs for a
/// quarter, a 16th and a 64th of the batch (the first index of node 0), which have smaller products of cores; and
/// fixed_sequences(). Every tree is included once, whatever the order of its operands; no near copies within one list.
struct candidate_sequences {
    std::vector<contraction_tree> trees;
    bool complete = true;
    std::uint64_t visited = 0; ///< by all searches
};
candidate_sequences candidates_of(const tensor_network& network, const search_request& request);

/// Stage 2: the cost of a sequence on its target, lower is better; infinite if it cannot run there. An example is a
/// device's estimate of a whole step.
using sequence_cost = std::function<double(const tensor_network& network, const contraction_tree& tree)>;

struct ranked_sequence {
    contraction_tree tree;
    double cost = 0;
    bool exact = true; ///< false: the cost is a lower bound, which is not below the best cost
};
struct ranked_sequences {
    std::vector<ranked_sequence> best; ///< by ascending cost; at least one
    bool complete = true;              ///< false: time was up
};

/// Candidates by ascending cost; those of equal cost keep their order. Of near copies (`request.near_copy_share`) only
/// the cheapest is included.
///
/// `least`: a lower bound of the cost that is quicker to compute. Costs are then computed in the order of these bounds,
/// until no remaining bound is below the best cost. `request.seconds`, `request.progress`: for the whole ranking.
ranked_sequences ranked(const tensor_network& network, const std::vector<contraction_tree>& candidates,
                        const sequence_cost& cost, const search_request& request = {},
                        const sequence_cost& least = nullptr);

} // namespace tensorloom::workloads
