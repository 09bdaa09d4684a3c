#pragma once
#include <map>
#include <tensorloom/workloads/contraction/einsum.h>
#include <tensorloom/workloads/tensor_network/network.h>

namespace tensorloom::workloads {

/// A step of a network as a contraction to plan for a device.
struct named_contraction {
    contraction problem;
    std::map<char, index_list> indices; ///< indices of a letter, the last fastest
};

/// The contraction of two tensors of named indices. Indices that are adjacent in all three tensors are merged into one
/// mode, and modes get letters. Throws base::input_error as parse_einsum(), and for more than 8 merged modes.
named_contraction lettered(const index_list& a, const index_list& b, const index_list& c, const index_sizes& sizes);

} // namespace tensorloom::workloads
