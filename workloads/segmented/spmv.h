#pragma once
#include <optional>
#include <tensorloom/workloads/csr_matrix.h>
#include <tensorloom/workloads/segmented/mmv_ram.h>
#include <tensorloom/workloads/segmented/products.h>

namespace tensorloom::workloads {

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

// z = A x, MMV-RAM theorem 4.7. Products value[e] x[column[e]] are made by EWMUL when bits are given (`unit` sums
// them), else by MUL. A matrix without elements takes one step: z = 0. Constants: prefix, carry where the matrix unit
// works.

/// Scan of the products, its values before each row's end, their differences. Rows may be empty: a row that ends where
/// the one before it does has the difference 0. In f64 what a row loses depends on all rows before it.
mmv_array spmv_by_scan(mmv_ram& ram, const spmv_operands& a, std::optional<unsigned> bits);

/// SCD of the products with flags at the row starts, as printed (algorithm 4). Rows that are empty have no value: the
/// result is right only when there is none. Ends a program.
mmv_array spmv_by_segmented_sum(mmv_ram& ram, const spmv_operands& a, std::optional<unsigned> bits);

/// Segmented scan of the products with flags at the row starts, its values at the row ends, 0 for rows that are empty.
/// On the matrix unit by blocks (a row loses no more than its neighbours' block sums make it), on the vector unit alone
/// rows never mix.
mmv_array spmv_by_segmented_scan(mmv_ram& ram, sum_unit unit, const spmv_operands& a, std::optional<unsigned> bits);

} // namespace tensorloom::workloads
