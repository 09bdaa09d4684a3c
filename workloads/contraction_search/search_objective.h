#pragma once
#include <cstdint>
#include <tensorloom/models/base/values/named_value.h>
#include <tensorloom/workloads/contraction_search/contraction_tree.h>

namespace tensorloom::workloads {

/// What the search minimises: a sum over the steps of a tree, which depends on the two sets of nodes alone.
enum class search_objective : std::uint8_t { macs, memory, traffic };
inline constexpr base::named_value search_objective_values[] = {
    {0, "macs", "fewest multiply-adds"},
    {1, "memory", "fewest elements of operands and results, over all steps"},
    {2, "traffic", "fewest elements to and from DRAM when the batch is processed in blocks"},
};

/// When a tensor has to go through DRAM: the blocked-traffic bound.
///
/// The batch is walked in blocks of samples. Nodes are read once and the result is written once. A result in between
/// stays on chip, at no cost, when it fits there as a whole; else it is written and read once when one sample's share
/// of it does not fit, or when it is kept for the weight gradients of a later phase. The batch is the first index of
/// node 0; what does not have it has no share.
struct traffic_rule {
    std::uint64_t on_chip_elements = 131072; ///< half of FETTA's unified memory in bfloat16
    bool kept = false;                       ///< forward pass of a training step
};

/// A cost by which trees are ordered, and one that decides between equal ones: macs, of the objective macs memory.
struct search_cost {
    std::uint64_t first = 0, second = 0; ///< the largest number when they would be larger

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

} // namespace tensorloom::workloads
