#pragma once
#include <cstdint>
#include <tensorloom/workloads/mmv/program_builder.h>
#include <tensorloom/workloads/tensor_unit/result.h>

namespace tensorloom::workloads {

// Reachability and distances in graphs.

/// Theorem 5: reachability between n vertices by paths of at least one edge; edges are an n x n matrix of 0 and 1.
///
/// Per block of q vertices k: the diagonal block, its row and its column of blocks on the scalar unit; then one call
/// per block column j with the staged rows of all blocks i != k, and X = min(X + product, 1). The paper prints OR where
/// its text needs the sum. n need not be a multiple of q. Formats: int64, int32, f64, f32.
tensor_unit_result transitive_closure(mmv_session& session, const tensor_unit_terms& terms,
                                      const tensor_unit_values& edges, std::uint64_t vertices);

/// The same by one instruction of the scalar unit: 2 n^3 operations.
tensor_unit_result transitive_closure_scalar(mmv_session& session, const tensor_unit_values& edges,
                                             std::uint64_t vertices);

/// Theorem 6 (Seidel): distances in edges between all vertices of a connected undirected graph. Edges are a symmetric n
/// x n matrix of 0 and 1 with a diagonal of 0.
///
/// h = max(1, ceil(log2 n)) levels: A2 = (A A + A > 0) without its diagonal, distances T of A2, then 2T - (T A < T
/// deg). A2 keeps the edges of A: the paper's A2 has only paths of two edges, which is wrong. 2h products. n need not
/// be a multiple of q. Formats: int64, int32, f64, f32 (to 4097 vertices). Throws base::input_error for a matrix that
/// is not such a graph.
tensor_unit_result shortest_distances(mmv_session& session, call_shape shape, const tensor_unit_values& edges,
                                      std::uint64_t vertices);

/// The same with Strassen's products (theorem 1), n = q 2^k or at most q, down to leaves of `cutoff` vertices. Formats:
/// int64, int32, f64; sums of blocks of f32 would not be exact.
tensor_unit_result shortest_distances_by_strassen(mmv_session& session, call_shape shape,
                                                  const tensor_unit_values& edges, std::uint64_t vertices,
                                                  std::uint64_t cutoff);

/// The same with products on the scalar unit.
tensor_unit_result shortest_distances_scalar(mmv_session& session, const tensor_unit_values& edges,
                                             std::uint64_t vertices);

// ---- searches: a breadth-first search from every vertex over lists of its neighbours ----
//
// The host searches; the device is charged the operations (CHARGE), loads the edges and loads and stores the result.
// Operations, with E edges as elements of the matrix: n^2 to read the matrix and E to append to the lists; from every
// vertex n to clear the marks, 1 per edge that is followed, and 2 per vertex that is reached (its mark or distance, and
// its place in the queue). Nothing counts as a move, so every charge table charges the same.

/// When the search from a vertex ends.
enum class search_end {
    lists_read, ///< the list of every vertex that was reached has been read
    all_reached ///< all vertices are reached, or lists_read; 1 operation more per vertex reached, to count them
};

tensor_unit_result transitive_closure_search(mmv_session& session, search_end end, const tensor_unit_values& edges,
                                             std::uint64_t vertices);
tensor_unit_result shortest_distances_search(mmv_session& session, search_end end, const tensor_unit_values& edges,
                                             std::uint64_t vertices);

/// Transitive closure with 64 flags in a word (Warshall), also on the host: row i of the flags gets an OR with row k
/// where flag k of row i is set. Operations: n^2 + E to read the matrix and set flags, n (n - 1) to test flags,
/// ceil(n / 64) for every OR of rows, n^2 to read the result. No moves.
tensor_unit_result transitive_closure_words(mmv_session& session, const tensor_unit_values& edges,
                                            std::uint64_t vertices);

} // namespace tensorloom::workloads
