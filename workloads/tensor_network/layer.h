#pragma once
#include <cstdint>
#include <string>
#include <vector>
#include <tensorloom/models/base/values/named_value.h>
#include <tensorloom/workloads/tensor_network/network.h>

namespace tensorloom::workloads {

/// Representation of the matrix W of a linear layer as a network of small cores. Source: FETTA, section II, Fig. 2.
enum class layer_format : std::uint8_t {
    tt,  ///< tensor train: a core per factor of rows and columns, in a chain
    ttm, ///< tensor train matrix: a core per pair of factors, in a chain
    tr,  ///< tensor ring: as tt, with its ends joined
    ht,  ///< hierarchical Tucker: a leaf per pair of factors, joined by a binary tree of transfer tensors
    bt   ///< block term: per block a factor for each pair of factors, and one core that joins them
};
inline constexpr base::named_value layer_format_values[] = {
    {0, "tt", "tensor train"},        {1, "ttm", "tensor train matrix"}, {2, "tr", "tensor ring"},
    {3, "ht", "hierarchical Tucker"}, {4, "bt", "block term"},
};

/// Order of the factors in the chain of tt and in the ring of tr.
enum class core_order : std::uint8_t {
    mn, ///< rows (outputs) first, then columns (inputs)
    nm  ///< columns (inputs) first, as in CoMERA
};
inline constexpr base::named_value core_order_values[] = {
    {0, "mn", "rows (outputs) first"},
    {1, "nm", "columns (inputs) first"},
};

/// A linear layer Y[b,M] = sum over N of X[b,N] W[M,N] whose W is a tensor network.
///
/// M and N are products of factors m1..., n1..., the first factor most significant. Cores of a chain of L:
///
///     tt, tr   G_k[r_k-1, p_k, r_k]         L = rows + columns, p in the order of `order`
///     ttm      G_k[r_k-1, m_k, n_k, r_k]    L = rows = columns
///     ht       U_k[m_k, n_k, l_k], B[t, left, right] of a node of the tree, B[left, right] of its root; {lo..hi} is
///              split after the first half, rounded up
///     bt       A_k[m_k, n_k, q_k], S[q_1, ...] in each block
///
/// Number and order of ranks: tt, ttm: r_1 to r_L-1 (the ends have none); tr: r_0 to r_L-1; ht: l_1 to l_d, then t of
/// every transfer tensor but the root, in the order of the nodes; bt: q_1 to q_d.
struct tensorized_layer {
    layer_format format = layer_format::ttm;
    std::vector<std::uint64_t> rows;    ///< m1..., outputs
    std::vector<std::uint64_t> columns; ///< n1..., inputs; as many as rows except in tt and tr
    std::vector<std::uint64_t> ranks;
    std::uint64_t batch = 1;
    std::uint64_t blocks = 1;          ///< bt: number of added terms; else 1
    core_order order = core_order::mn; ///< tt and tr
};

/// Number of ranks of a layer of this format.
std::size_t rank_count(layer_format format, std::size_t rows, std::size_t columns);

/// Completes the ranks of user input: all of them, for tt and ttm also with the 1 at both ends, or one for all. Throws
/// base::input_error for another number of ranks.
std::vector<std::uint64_t> completed_ranks(const std::vector<std::uint64_t>& given, const tensorized_layer& layer);

/// Throws base::input_error, one line, for an invalid layer: no factors, different numbers of rows and columns where a
/// format pairs them, ht of one pair, a wrong number of ranks, any value of 0, blocks in a format other than bt, a
/// network that check_network() refuses.
void check_layer(const tensorized_layer& layer);

/// The cores of a layer; bt: of one block.
std::vector<named_tensor> cores_of(const tensorized_layer& layer);
/// Sizes of all indices: b, m1..., n1..., and those of the ranks.
index_sizes sizes_of(const tensorized_layer& layer);

index_list input_indices(const tensorized_layer& layer);  ///< of X and dX: b, n1, ...
index_list output_indices(const tensorized_layer& layer); ///< of Y and dY: b, m1, ...
index_list matrix_indices(const tensorized_layer& layer); ///< of W: m1, ..., n1, ...

/// The networks of a training step; bt: of one block (the results of the blocks are added).
tensor_network forward_network(const tensorized_layer& layer);  ///< FP: Y from X and the cores
tensor_network backward_network(const tensorized_layer& layer); ///< BP: dX from dY and the cores
/// WG: the gradient of a core from X, dY and all other cores. Throws base::input_error for an unknown core.
tensor_network gradient_network(const tensorized_layer& layer, const std::string& core);
/// W from the cores.
tensor_network matrix_network(const tensorized_layer& layer);

/// The network of a phase: "fp", "bp", or "wg:G1" for a core. Throws base::input_error.
tensor_network phase_network(const tensorized_layer& layer, const std::string& phase);

std::uint64_t row_count(const tensorized_layer& layer);    ///< M
std::uint64_t column_count(const tensorized_layer& layer); ///< N
std::uint64_t parameters(const tensorized_layer& layer);   ///< elements of all cores of all blocks
std::uint64_t dense_macs(const tensorized_layer& layer);   ///< of X W^T

} // namespace tensorloom::workloads
