#pragma once
#include <map>
#include <tensorloom/workloads/contraction/einsum.h>
#include <tensorloom/workloads/tensor_network/network.h>

namespace tensorloom::workloads {

/// A step of a network as a contraction that a device is planned for.
struct named_contraction {
    contraction problem;
    std::map<char, index_list> indices; ///< that a letter stands for, the last fastest
};

/// The contraction of two tensors of named indices. Indices that stay neighbours in all three tensors are one mode, and
/// modes get letters. Throws base::input_error: what parse_einsum() refuses, more than 8 modes of a tensor that are
/// left among them.
named_contraction lettered(const index_list& a, const index_list& b, const index_list& c, const index_sizes& sizes);

} // namespace tensorloom::workloads
