#pragma once
#include <cstdint>
#include <tensorloom/workloads/mmv/machine.h>
#include <tensorloom/workloads/tensor_unit/cost.h>
#include <tensorloom/workloads/tensor_unit/result.h>
#include <tensorloom/workloads/tensor_unit/values.h>

namespace tensorloom::workloads {

/// Theorem 6 (Seidel): distances between all vertices of a connected undirected graph, as numbers of edges. Edges are a
/// symmetric n x n matrix of 0 and 1 with a diagonal of 0.
///
/// h = max(1, ceil(log2 n)) levels: A2 = (A A + A > 0) without its diagonal, distances T of A2, then 2T - (T A < T
/// deg). Edges of A stay in A2: the paper's A2 has paths of two edges alone, which is wrong. 2h products. n need not be
/// a multiple of q. Formats: int64, int32, f64. Throws arch::input_error when the matrix is no such graph.
tensor_unit_result shortest_distances(mmv_machine& machine, call_shape shape, const tensor_unit_values& edges,
                                      std::uint64_t vertices);

/// The same with products on the scalar unit.
tensor_unit_result shortest_distances_scalar(mmv_machine& machine, const tensor_unit_values& edges,
                                             std::uint64_t vertices);

} // namespace tensorloom::workloads
