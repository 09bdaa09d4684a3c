#pragma once
#include <tensorloom/workloads/segmented/mmv_ram.h>
#include <tensorloom/workloads/segmented/problem.h>
#include <tensorloom/workloads/segmented/products.h>

namespace tensorloom::workloads {

/// MATPROD, MMV-RAM theorem 4.6: every product a[i][k] b[k][j] by EWMUL, then the sums over k; operands are 0 to 2^bits
/// - 1. Without bits the products are made by MUL. a and b row by row; so is the result. Integers only with bits.
/// Constants: prefix (matrix).
mmv_array matrix_product_by_sums(mmv_ram& ram, sum_unit unit, const mmv_array& a, const mmv_array& b,
                                 const product_shape& shape, std::optional<unsigned> bits);

/// GEMM with tiles of s x s of the right operand as weights, each streamed through by all rows of the left one.
///
/// Left operand row by row, of the device's format; right operand by tiles (tiles_of()). The result is a panel of rows
/// x s words per s columns, panel after panel (rows_of()): additions take whole panels.
mmv_array matrix_product_by_tiles(mmv_ram& ram, const mmv_array& a, const mmv_array& tiles, const product_shape& shape);

/// A right operand as tiles of s x s, row by row of tiles, edges filled with 0.
template <class T> std::vector<T> tiles_of(const std::vector<T>& b, const product_shape& shape, std::uint64_t side);

/// A result of panels, row by row.
template <class T> std::vector<T> rows_of(const std::vector<T>& panels, const product_shape& shape, std::uint64_t side);

} // namespace tensorloom::workloads
