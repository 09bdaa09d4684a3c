#pragma once
#include <cstdint>
#include <string>
#include <vector>
#include <tensorloom/workloads/tensor_network/network.h>

namespace tensorloom::workloads {

/// The order in which a network is contracted, two tensors at a time: a binary tree over its nodes. Source: FETTA,
/// section IV (a "contraction sequence").
///
/// Tensors have numbers: nodes 0 to N-1, the result of step i is N+i. Operands come before the step that takes them.
struct contraction_tree {
    struct step {
        std::uint32_t a = 0, b = 0;

        friend bool operator==(const step& x, const step& y) { return x.a == y.a && x.b == y.b; }
    };
    std::vector<step> steps; ///< N-1; the last makes the result

    friend bool operator==(const contraction_tree& x, const contraction_tree& y) { return x.steps == y.steps; }
};

/// Throws base::input_error unless every tensor but the last is used exactly once, after the step that computes it.
void check_tree(const tensor_network& network, const contraction_tree& tree);

/// Indices of every tensor by its number. A result has the indices of its operands that another tensor or the network's
/// result still needs. All tensors have the same order of indices, so that neighbours stay adjacent: those of node 0,
/// those of network.out, others in the order of the nodes; the last result has the order of network.out.
std::vector<index_list> indices_of(const tensor_network& network, const contraction_tree& tree);

/// "X", "G4", ...; results are T1, T2, ...
std::string tensor_name(const tensor_network& network, std::uint32_t tensor);

/// A step as one product of matrices: an index of both operands and the result is batch, one of only both operands is
/// contracted.
struct step_extents {
    std::uint64_t batch = 1, a_free = 1, b_free = 1, contracted = 1;

    /// The product of the sizes of all indices of both operands, saturated.
    std::uint64_t macs() const;
};
step_extents extents_of(const index_list& a, const index_list& b, const index_list& c, const index_sizes& sizes);

/// Costs of a tree, saturated.
struct tree_costs {
    std::uint64_t macs = 0;
    std::uint64_t memory = 0;       ///< elements of both operands and the result, of every step
    std::uint64_t intermediate = 0; ///< elements of all results but the last
    std::uint64_t peak = 0;         ///< of the largest of these
};
tree_costs costs_of(const tensor_network& network, const contraction_tree& tree);

/// "((X.G4).G3).(G1.G2)"
std::string tree_text(const tensor_network& network, const contraction_tree& tree);

/// a + b, or the largest number.
inline std::uint64_t saturated_sum(std::uint64_t a, std::uint64_t b) { return a > ~b ? ~std::uint64_t{0} : a + b; }

} // namespace tensorloom::workloads
