#pragma once
#include <cstdint>
#include <tensorloom/models/base/values/named_value.h>
#include <tensorloom/workloads/contraction_search/contraction_tree.h>

namespace tensorloom::workloads {

/// What the search minimises: a sum over the steps of a tree that depends only on the two sets of nodes of each step.
enum class search_objective : std::uint8_t { macs, memory, traffic };
inline constexpr base::named_value search_objective_values[] = {
    {0, "macs", "fewest multiply-adds"},
    {1, "memory", "fewest elements of operands and results, over all steps"},
    {2, "traffic", "fewest elements to and from DRAM when the batch is processed in blocks"},
};

/// The blocked-traffic bound: determines when a tensor passes through DRAM.
///
/// The batch is processed in blocks of samples. Nodes are read once and the result is written once. An intermediate
/// stays on chip at no cost if it fits there completely. Otherwise it is written and read once if the share of one
/// sample does not fit, or if it is kept for the weight gradients of a later phase. The batch is the first index of
/// node 0; a tensor without it has no such share.
struct traffic_rule {
    std::uint64_t on_chip_elements = 131072; ///< half of FETTA's unified memory in bfloat16
    bool kept = false;                       ///< forward pass of a training step
};

/// The cost that orders trees, and a second one for ties: macs; memory for the objective macs.
struct search_cost {
    std::uint64_t first = 0, second = 0; ///< saturated

    friend search_cost operator+(const search_cost& x, const search_cost& y)
    {
        return {saturated_sum(x.first, y.first), saturated_sum(x.second, y.second)};
    }
    friend bool operator<(const search_cost& x, const search_cost& y)
    {
        return x.first != y.first ? x.first < y.first : x.second < y.second;
    }
    friend bool operator==(const search_cost& x, const search_cost& y)
    {
        return x.first == y.first && x.second == y.second;
    }
};
inline constexpr search_cost no_cost{~std::uint64_t{0}, ~std::uint64_t{0}}; ///< above every other

} // namespace tensorloom::workloads
