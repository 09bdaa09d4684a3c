#pragma once
#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace tensorloom::workloads {

using index_list = std::vector<std::string>;
using index_sizes = std::map<std::string, std::uint64_t>;

/// A tensor with named modes; tensors that share an index are contracted over it.
struct named_tensor {
    std::string name;
    index_list indices; ///< in C order, the last fastest; empty: a scalar
};

/// A tensor network: the sum of the products of all its tensors over every index not in the result (FETTA, section II).
struct tensor_network {
    std::vector<named_tensor> nodes; ///< node 0 of a layer is X or dY, whose first index is the batch
    index_list out;                  ///< indices of the result in C order
    index_sizes sizes;               ///< of exactly the indices of the network
};

/// Product of the sizes of these indices, 1 if there are none; saturates at the largest number.
std::uint64_t elements_of(const index_list& indices, const index_sizes& sizes);

bool has_index(const index_list& indices, const std::string& index);

/// Throws base::input_error, one line, for a network that cannot be contracted two tensors at a time: no node; a node
/// without a name or with a duplicate one; an index twice in a tensor (a diagonal), without a size, or in one node only
/// (a sum over one operand); an index of the result that no node has; a size without an index, 0 or above 2^31 - 1;
/// tensors of more than 2^63 elements.
void check_network(const tensor_network& network);

/// Merges indices that are adjacent, in this order, in every tensor that has one of them, the result included. A merged
/// index is called "n1n2". Commands have few indices, but UCF-TR's X has nine modes. A contraction is a network of two
/// tensors.
tensor_network merged_neighbours(const tensor_network& network);

} // namespace tensorloom::workloads
