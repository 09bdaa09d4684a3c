#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace tensorloom::workloads {

/// A sparse matrix in compressed rows: row r has elements row_starts[r] to row_starts[r+1]-1. T: int64_t or double.
template <class T> struct csr_matrix {
    std::uint64_t rows = 0;
    std::uint64_t columns = 0;
    std::vector<std::uint64_t> row_starts; ///< rows + 1 values, not decreasing, the first is 0
    std::vector<std::uint64_t> column;     ///< of each element, below `columns`
    std::vector<T> value;                  ///< of each element

    std::uint64_t nonzeros() const { return value.size(); } ///< stored elements, including stored zeros
    std::uint64_t empty_rows() const;
};

/// The first error in a matrix (found, expected); nothing if it is well formed.
template <class T> std::optional<std::string> validate(const csr_matrix<T>& matrix);

// ---- files in the exchange format MatrixMarket ----

/// Contents of the header lines.
struct matrix_market_header {
    enum class field_kind { real, integer, pattern };
    enum class symmetry_kind { general, symmetric, skew_symmetric };

    bool coordinate = true; ///< false: array, with every element, column by column
    field_kind field = field_kind::real;
    symmetry_kind symmetry = symmetry_kind::general;
    std::uint64_t rows = 0;
    std::uint64_t columns = 0;
    std::uint64_t entries = 0; ///< number of element lines
};

template <class T> struct matrix_market_file {
    matrix_market_header header;
    csr_matrix<T> matrix; ///< complete: elements implied by symmetry are included; columns ascend within a row
};

/// Reads a MatrixMarket file: coordinate or array; real, double, integer or pattern (elements are 1); general,
/// symmetric or skew-symmetric. T: int64_t (integer values only) or double. Lines end in LF or CR LF. Lines that start
/// with % and blank lines are allowed anywhere after the first line. Zero elements are kept from a coordinate file and
/// dropped from an array file. Duplicate elements are an error, because programs disagree: some add them, others take
/// the last. Memory is proportional to the file's contents, not to its declared sizes, except for 8 bytes per row: at
/// most 2^26 rows and columns. Throws base::input_error, "FILE:LINE: found .., expected ..", also for complex and
/// hermitian matrices.
template <class T> matrix_market_file<T> load_matrix_market(const std::string& path);

/// Reads and checks the header lines only.
matrix_market_header read_matrix_market_header(const std::string& path);

} // namespace tensorloom::workloads
