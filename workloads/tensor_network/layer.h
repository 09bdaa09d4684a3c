#pragma once
#include <cstdint>
#include <string>
#include <vector>
#include <tensorloom/models/base/values/named_value.h>
#include <tensorloom/workloads/tensor_network/network.h>

namespace tensorloom::workloads {

/// How the matrix W of a linear layer is kept as a network of small cores. Source: FETTA, section II and figure 2.
enum class layer_format : std::uint8_t {
    tt,  ///< tensor train: a core per factor of rows and columns, in a chain
    ttm, ///< tensor train matrix: a core per pair of factors, in a chain
    tr,  ///< tensor ring: as tt, its ends joined
    ht,  ///< hierarchical Tucker: a leaf per pair of factors, joined by a binary tree of transfer tensors
    bt   ///< block term: in each block a factor per pair of factors, and one core between them
};
inline constexpr base::named_value layer_format_values[] = {
    {0, "tt", "tensor train"},        {1, "ttm", "tensor train matrix"}, {2, "tr", "tensor ring"},
    {3, "ht", "hierarchical Tucker"}, {4, "bt", "block term"},
};

/// Which factors come first in the chain of tt and in the ring of tr.
enum class core_order : std::uint8_t {
    mn, ///< those of the rows (outputs), then those of the columns (inputs)
    nm  ///< columns first, as CoMERA
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
///              split behind the first half, rounded up
///     bt       A_k[m_k, n_k, q_k], S[q_1, ...] in each block
///
/// Ranks, as a format wants them: tt, ttm: r_1 to r_L-1 (the ends have none); tr: r_0 to r_L-1; ht: l_1 to l_d, then t
/// of every transfer tensor but the root, in the order of the nodes; bt: q_1 to q_d.
struct tensorized_layer {
    layer_format format = layer_format::ttm;
    std::vector<std::uint64_t> rows;    ///< m1..., outputs
    std::vector<std::uint64_t> columns; ///< n1..., inputs; as many as rows but for tt and tr
    std::vector<std::uint64_t> ranks;
    std::uint64_t batch = 1;
    std::uint64_t blocks = 1;          ///< bt: terms that are added; else 1
    core_order order = core_order::mn; ///< of tt and tr
};

/// Ranks that a layer of this format has.
std::size_t rank_count(layer_format format, std::size_t rows, std::size_t columns);

/// Ranks as a user gives them: all of them, of tt and ttm also with the 1 at both ends, or one for all. Throws
/// base::input_error for another number of them.
std::vector<std::uint64_t> completed_ranks(const std::vector<std::uint64_t>& given, const tensorized_layer& layer);

/// Throws base::input_error, one line, for what is no layer: no factors, other numbers of rows and columns where a
/// format pairs them, ht of one pair, ranks that are not as many as the format has, anything of 0, blocks of a format
/// other than bt, a network that check_network() refuses.
void check_layer(const tensorized_layer& layer);

/// The cores of a layer, of bt those of one block.
std::vector<named_tensor> cores_of(const tensorized_layer& layer);
/// Of every index: b, m1..., n1..., and those of the ranks.
index_sizes sizes_of(const tensorized_layer& layer);

index_list input_indices(const tensorized_layer& layer);  ///< of X and dX: b, n1, ...
index_list output_indices(const tensorized_layer& layer); ///< of Y and dY: b, m1, ...
index_list matrix_indices(const tensorized_layer& layer); ///< of W: m1, ..., n1, ...

/// The networks of a training step, of bt those of one block (the blocks' results are added).
tensor_network forward_network(const tensorized_layer& layer);  ///< FP: X and the cores make Y
tensor_network backward_network(const tensorized_layer& layer); ///< BP: dY and the cores make dX
/// WG: X, dY and all cores but one make that one's gradient. Throws base::input_error for an unknown core.
tensor_network gradient_network(const tensorized_layer& layer, const std::string& core);
/// The cores alone make W.
tensor_network matrix_network(const tensorized_layer& layer);

/// A phase by name: "fp", "bp", or "wg:G1" of a core. Throws base::input_error.
tensor_network phase_network(const tensorized_layer& layer, const std::string& phase);

std::uint64_t row_count(const tensorized_layer& layer);    ///< M
std::uint64_t column_count(const tensorized_layer& layer); ///< N
std::uint64_t parameters(const tensorized_layer& layer);   ///< elements of all cores of all blocks
std::uint64_t dense_macs(const tensorized_layer& layer);   ///< of X W^T

} // namespace tensorloom::workloads
