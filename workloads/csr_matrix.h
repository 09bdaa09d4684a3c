#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace tensorloom::workloads {

/// A sparse matrix in compressed rows. Row r has the elements row_starts[r] to row_starts[r+1]-1; a row may have none.
/// T: int64_t or double.
template <class T> struct csr_matrix {
    std::uint64_t rows = 0;
    std::uint64_t columns = 0;
    std::vector<std::uint64_t> row_starts; ///< rows + 1, from 0, never falling
    std::vector<std::uint64_t> column;     ///< of each element, below `columns`
    std::vector<T> value;                  ///< of each element

    std::uint64_t nonzeros() const { return value.size(); } ///< elements that are stored; a stored 0 counts
    std::uint64_t empty_rows() const;
};

/// The first thing wrong with a matrix: what was found and what was expected; nothing when it is well formed.
template <class T> std::optional<std::string> validate(const csr_matrix<T>& matrix);

// ---- files with a matrix, in the exchange format MatrixMarket ----

/// What the first lines of a file say.
struct matrix_market_header {
    enum class field_kind { real, integer, pattern };
    enum class symmetry_kind { general, symmetric, skew_symmetric };

    bool coordinate = true; ///< else array: every element, column by column
    field_kind field = field_kind::real;
    symmetry_kind symmetry = symmetry_kind::general;
    std::uint64_t rows = 0;
    std::uint64_t columns = 0;
    std::uint64_t entries = 0; ///< lines with an element that the file must have
};

/// A file with a matrix.
template <class T> struct matrix_market_file {
    matrix_market_header header;
    csr_matrix<T> matrix; ///< whole: what symmetry stands for is written out. Columns ascend within a row
};

/// Reads a MatrixMarket file: coordinate or array; real, double, integer or pattern (whose elements are 1); general,
/// symmetric or skew-symmetric. T: int64_t (refuses numbers that are not whole) or double.
///
/// Lines end in LF or CR LF; lines that start with % and blank lines may stand anywhere after the first line. Elements
/// that a coordinate file states as 0 are kept; of an array file, those are left out. An element that is stated twice
/// is refused: some programs add them, others take the last.
/// Memory grows with what the file has, not with what it says it has, but for 8 bytes per row: at most 2^26 rows and
/// columns. Throws base::input_error, "FILE:LINE: found .., expected ..". Complex and hermitian matrices are refused.
template <class T> matrix_market_file<T> load_matrix_market(const std::string& path);

/// The first lines alone, with the same checks.
matrix_market_header read_matrix_market_header(const std::string& path);

} // namespace tensorloom::workloads
