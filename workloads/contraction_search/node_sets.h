#pragma once
#include <array>
#include <cstdint>
#include <vector>
#include <tensorloom/workloads/contraction_search/contraction_tree.h>
#include <tensorloom/workloads/contraction_search/search_objective.h>

namespace tensorloom::workloads {

using node_set = std::uint32_t; ///< bit i: node i
constexpr node_set lowest(node_set s) { return s & (~s + 1); }
constexpr bool is_node(node_set s) { return (s & (s - 1)) == 0; } ///< one, or none

inline constexpr std::size_t most_searched_nodes = 20;   ///< 3^20 / 2 pairs of subsets
inline constexpr std::size_t most_searched_indices = 64; ///< bits of a set of indices

/// Products of the sizes of indices, up to the largest number; eight indices at a time.
class size_products {
public:
    size_products() = default;
    explicit size_products(const std::vector<std::uint64_t>& sizes); ///< at least 1 each

    /// A factor multiplied by the sizes of these indices.
    std::uint64_t of(std::uint64_t indices, std::uint64_t factor) const
    {
        bool above = false;
        for (const auto& product : m_product) {
            above |= __builtin_mul_overflow(factor, product[indices & (product.size() - 1)], &factor);
            indices >>= bits;
        }
        return above ? ~std::uint64_t{0} : factor;
    }

private:
    static constexpr std::size_t bits = 8;
    std::vector<std::array<std::uint64_t, std::size_t{1} << bits>> m_product; ///< by eight indices, then by set of them
};

/// A network as sets of nodes: the indices and size of the tensor of a set, and the cost of joining two sets.
///
///     legs(S)     = indices of nodes of S that a node outside of S or the result has
///     macs(S, T)  = product of the sizes of legs(S) and legs(T), each index once
class node_sets {
public:
    /// Throws base::input_error for more nodes or indices than a search supports.
    node_sets(const tensor_network& network, search_objective objective, const traffic_rule& rule);

    std::size_t nodes() const { return m_nodes; }
    node_set all() const { return static_cast<node_set>((std::uint64_t{1} << m_nodes) - 1); }

    std::uint64_t elements(node_set s) const { return m_tensors[s].elements; }
    std::uint64_t macs(node_set s, node_set t) const
    {
        return m_products.of(m_tensors[t].legs & ~m_tensors[s].legs, m_tensors[s].elements);
    }
    /// The cost of joining two disjoint sets.
    search_cost cost(node_set s, node_set t) const
    {
        if (m_objective == search_objective::traffic) { return traffic(s, t); }
        const auto memory = saturated_sum(saturated_sum(elements(s), elements(t)), elements(s | t));
        return m_objective == search_objective::memory ? search_cost{memory, macs(s, t)}
                                                       : search_cost{macs(s, t), memory};
    }
    /// A lower bound of the cost of the step that computes the tensor of a set, whatever its operands.
    search_cost least_cost_of(node_set s) const;
    /// A lower bound of the cost of all other steps of a tree that has this set, without those that compute the set.
    search_cost least_cost_around(node_set s) const;

private:
    struct tensor {
        std::uint64_t legs = 0, elements = 0;
    };
    search_cost traffic(node_set s, node_set t) const;
    std::uint64_t moved(node_set s) const; ///< elements of the tensor of a set that pass through DRAM

    std::size_t m_nodes;
    search_objective m_objective;
    traffic_rule m_rule;
    std::vector<std::uint64_t> m_sizes; ///< by index
    size_products m_products;
    std::vector<tensor> m_tensors; ///< by set
    std::uint64_t m_batch = 0;     ///< the index of the batch; 0: none
    std::uint64_t m_batch_size = 1;
};

/// A step of a tree: joins two sets; `a` has the lowest node of both.
struct joined_sets {
    node_set a = 0, b = 0;

    friend bool operator<(const joined_sets& x, const joined_sets& y) { return x.a != y.a ? x.a < y.a : x.b < y.b; }
    friend bool operator==(const joined_sets& x, const joined_sets& y) { return x.a == y.a && x.b == y.b; }
};

/// The same tree with operands before their step: those of `a` before those of `b`.
contraction_tree tree_of(std::vector<joined_sets> steps, std::size_t nodes);
/// The sets that a tree joins, in the order of its steps.
std::vector<joined_sets> sets_of(const contraction_tree& tree, std::size_t nodes);

/// Whether two trees differ only in steps whose MACs add up to less than `share` of those of the first tree.
bool near_copies(const node_sets& sets, std::vector<joined_sets> first, std::vector<joined_sets> second, double share);

} // namespace tensorloom::workloads
