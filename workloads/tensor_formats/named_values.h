#pragma once
#include <map>
#include <string>
#include <vector>
#include <tensorloom/workloads/contraction_search/contraction_tree.h>
#include <tensorloom/workloads/contraction_search/training_step.h>
#include <tensorloom/workloads/tensor_network/network.h>

namespace tensorloom::workloads {

/// The elements of a tensor of named indices in float64, in C order of these indices.
struct named_values {
    index_list indices;
    std::vector<double> data;
};

/// The same tensor with its indices in another order.
named_values permuted(const named_values& values, const index_list& order, const index_sizes& sizes);

/// The contraction of two tensors: sums over the indices of both that are not in the result. Every index of the result
/// is in an operand, and every index of one operand only is in the result. Eigen's order of summation.
named_values contracted(const named_values& a, const named_values& b, const index_list& result,
                        const index_sizes& sizes);

/// The result of a network along a tree. `nodes`: values in the order of the network's nodes.
named_values value_of(const tensor_network& network, const contraction_tree& tree,
                      const std::vector<named_values>& nodes);

/// Every tensor of a training step by its name. `given`: the nodes of the forward network in their order, then dY.
std::map<std::string, named_values> values_of(const training_step& step, const std::vector<named_values>& given);

} // namespace tensorloom::workloads
