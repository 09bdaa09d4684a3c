#include <tensorloom/workloads/csr_matrix.h>

namespace tensorloom::workloads {

template <class T> std::uint64_t csr_matrix<T>::empty_rows() const
{
    std::uint64_t empty = 0;
    for (std::uint64_t r = 0; r < rows; ++r) { empty += row_starts[r] == row_starts[r + 1]; }
    return empty;
}

template <class T> std::optional<std::string> complaint(const csr_matrix<T>& matrix)
{
    const auto text = [](std::uint64_t n) { return std::to_string(n); };
    if (matrix.rows == 0 || matrix.columns == 0) {
        return text(matrix.rows) + " x " + text(matrix.columns) + " found, expected at least 1 x 1";
    }
    if (matrix.row_starts.size() != matrix.rows + 1) {
        return text(matrix.row_starts.size()) + " row starts found, expected " + text(matrix.rows + 1);
    }
    if (matrix.column.size() != matrix.value.size()) {
        return text(matrix.column.size()) + " columns found, expected one for each of " + text(matrix.value.size()) +
               " values";
    }
    if (matrix.row_starts.front() != 0 || matrix.row_starts.back() != matrix.value.size()) {
        return "row starts from " + text(matrix.row_starts.front()) + " to " + text(matrix.row_starts.back()) +
               " found, expected 0 to " + text(matrix.value.size());
    }
    for (std::uint64_t r = 0; r < matrix.rows; ++r) {
        if (matrix.row_starts[r + 1] < matrix.row_starts[r]) {
            return "row " + text(r) + " ends at " + text(matrix.row_starts[r + 1]) + ", expected at least its start " +
                   text(matrix.row_starts[r]);
        }
    }
    for (std::uint64_t e = 0; e < matrix.column.size(); ++e) {
        if (matrix.column[e] >= matrix.columns) {
            return "element " + text(e) + " in column " + text(matrix.column[e]) + ", expected below " +
                   text(matrix.columns);
        }
    }
    return std::nullopt;
}

template struct csr_matrix<std::int64_t>;
template struct csr_matrix<double>;
template std::optional<std::string> complaint(const csr_matrix<std::int64_t>&);
template std::optional<std::string> complaint(const csr_matrix<double>&);

} // namespace tensorloom::workloads
