#pragma once
#include <cstdint>
#include <vector>
#include <tensorloom/workloads/tensor.h>
#include <tensorloom/workloads/tensor_formats/named_values.h>
#include <tensorloom/workloads/tensor_network/layer.h>

namespace tensorloom::workloads {

/// The cores of a layer: for each block those of cores_of(layer), in their order.
struct layer_values {
    std::vector<std::vector<named_values>> blocks;
};

/// Random cores whose matrix W has elements of mean 0 and this variance; 1 / N gives Y the variance of X. Elements of
/// cores are uniform with one variance v. W sums, over all ranks, products of one element of each of K cores, so its
/// variance is blocks x (product of the ranks) x v^K. The same on every machine.
layer_values random_cores(const tensorized_layer& layer, double variance, std::uint64_t seed);

/// W, M x N: the sum of all blocks.
tensor<double> dense_matrix(const tensorized_layer& layer, const layer_values& values);

/// Throws base::input_error unless the matrix is M x N of this layer and finite.
void check_matrix(const tensor<double>& matrix, const tensorized_layer& layer);

/// Y, B x M, from X, B x N, and the cores, along the sequence of fewest MACs.
tensor<double> forward(const tensorized_layer& layer, const layer_values& values, const tensor<double>& x);

} // namespace tensorloom::workloads
