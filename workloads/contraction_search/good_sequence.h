#pragma once
#include <vector>
#include <tensorloom/workloads/contraction_search/node_sets.h>

namespace tensorloom::workloads {

/// A sequence of low cost, found in milliseconds: an upper bound for the exact search, and its result if time is up.
/// The cheaper of two greedy sequences (the pair of least cost next; the pair whose result is smallest against its
/// operands), improved by exact searches of its parts of up to 8 tensors until none of them gets cheaper. At least 2
/// nodes. Source: the reconfiguration of subtrees in J. Gray and S. Kourtis, Hyper-optimized tensor network contraction
/// (Quantum 5, 410, 2021).
std::vector<joined_sets> good_sequence(const node_sets& sets);

/// The cost of a whole tree: the sum over its steps.
search_cost cost_of(const node_sets& sets, const std::vector<joined_sets>& steps);

} // namespace tensorloom::workloads
