#pragma once
#include <optional>
#include <tensorloom/workloads/csr_matrix.h>
#include <tensorloom/workloads/segmented/mmv_ram.h>
#include <tensorloom/workloads/segmented/problem.h>
#include <tensorloom/workloads/segmented/scans.h>

namespace tensorloom::workloads {

// Products of elements, of matrices, and of sparse matrices with vectors on an MMV-RAM.

// ---- elements, by sums of shifted copies; integers 0 to 2^bits - 1; MMV-RAM lemma 4.4, corollary 4.5 ----

/// Padded length of a sum of `terms` terms: s^ceil(log_s terms) (matrix unit), 2^ceil(log2 terms) (vector unit).
enum class sum_unit { matrix, vector };
std::uint64_t padded_terms(sum_unit unit, std::uint64_t terms, std::uint64_t side);

/// UNISUM: the sums of runs of `run` elements, a padded_terms(). Matrix unit: prefix sums of blocks, their last
/// elements, log_s run times. Vector unit: sums of 2, 4, .. elements; every run-th is kept. Constants: prefix (matrix).
mmv_array sums_of_runs(mmv_ram& ram, sum_unit unit, const mmv_array& x, std::uint64_t run);

/// EWMUL(a, b): z[i] = a[i] b[i].
mmv_array products_by_bits(mmv_ram& ram, sum_unit unit, const mmv_array& a, const mmv_array& b, unsigned bits);

/// EWMUL_SEG(a, b): the same by one segmented scan over all bits, as in the proof of corollary 4.5. Constants: prefix.
mmv_array products_by_segments(mmv_ram& ram, const mmv_array& a, const mmv_array& b, unsigned bits);

/// By the instruction MUL.
mmv_array products_by_mul(mmv_ram& ram, const mmv_array& a, const mmv_array& b);

// ---- matrices ----

/// MATPROD, MMV-RAM theorem 4.6: every product a[i][k] b[k][j] by EWMUL (integers 0 to 2^bits - 1) or, without bits, by
/// MUL, then the sums over k. a, b and the result are stored row by row. Constants: prefix (matrix).
mmv_array matrix_product_by_sums(mmv_ram& ram, sum_unit unit, const mmv_array& a, const mmv_array& b,
                                 const product_shape& shape, std::optional<unsigned> bits);

/// GEMM with tiles of s x s of the right operand as weights; all rows of the left operand pass each tile. The left
/// operand is stored row by row, in the device's format; the right operand by tiles (tiles_of()). The result has a
/// panel of rows x s words per s columns, panel after panel (rows_of()), so that additions take whole panels.
mmv_array matrix_product_by_tiles(mmv_ram& ram, const mmv_array& a, const mmv_array& tiles, const product_shape& shape);

/// A right operand as tiles of s x s, row by row of tiles, padded with 0.
template <class T> std::vector<T> tiles_of(const std::vector<T>& b, const product_shape& shape, std::uint64_t side);

/// A result of panels, rearranged row by row.
template <class T> std::vector<T> rows_of(const std::vector<T>& panels, const product_shape& shape, std::uint64_t side);

// ---- sparse matrix times vector ----

/// A sparse matrix in the scratchpad: row starts (rows + 1), columns, values.
struct spmv_operands {
    mmv_array row_starts;
    mmv_array column;
    mmv_array value;
    mmv_array x; ///< a word per column

    std::uint64_t rows() const { return row_starts.elements - 1; }
    mmv_array starts() const { return slice(row_starts, 0, rows()); }
    mmv_array ends() const { return slice(row_starts, 1, rows()); }
};
template <class T> spmv_operands load_spmv(mmv_ram& ram, const csr_matrix<T>& matrix, const std::vector<T>& x);

// z = A x, MMV-RAM theorem 4.7. Products value[e] x[column[e]] are computed by EWMUL if bits are given (`unit` sums
// them), else by MUL. A matrix without elements takes one step: z = 0. Constants (matrix unit): prefix, carry.

/// Scan of the products, its values before each row's end, their differences. Rows may be empty; their difference is 0.
/// In f64 the rounding error of a row depends on all rows before it. scan_unit::matrix sums products by bits on the
/// matrix unit, the others on the vector unit.
mmv_array spmv_by_scan(mmv_ram& ram, scan_unit unit, const spmv_operands& a, std::optional<unsigned> bits);

/// SCD of the products with flags at the row starts: the paper's algorithm 4 without the handling of empty rows in its
/// appendix A.3.3. Empty rows have no value in the result, so it is correct only without them. Ends a program.
mmv_array spmv_by_segmented_sum(mmv_ram& ram, const spmv_operands& a, std::optional<unsigned> bits);

/// Segmented scan of the products with flags at the row starts, its values at the row ends, 0 for empty rows. On the
/// matrix unit, by blocks, rounding errors depend on rows of the same blocks; on the vector unit not.
mmv_array spmv_by_segmented_scan(mmv_ram& ram, sum_unit unit, const spmv_operands& a, std::optional<unsigned> bits);

} // namespace tensorloom::workloads
