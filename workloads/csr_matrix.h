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
template <class T> std::optional<std::string> complaint(const csr_matrix<T>& matrix);

} // namespace tensorloom::workloads
