#pragma once
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace tensorloom::testbench {

/// A row of a file of measurements.
class measured_row {
public:
    measured_row(const std::string& file, std::size_t line, const std::vector<std::string>& columns,
                 std::vector<std::string> fields)
        : m_file(&file), m_line(line), m_columns(&columns), m_fields(std::move(fields))
    {}

    std::size_t line() const { return m_line; } ///< from 1
    const std::string& text(std::size_t column) const { return m_fields[column]; }
    /// Throws base::input_error that names the column, not the place, for anything but an integer from `least` to
    /// `most`.
    std::uint64_t number(std::size_t column, std::uint64_t least, std::uint64_t most) const;
    /// Likewise, a finite number.
    double real(std::size_t column, double least, double most) const;
    /// "FILE:LINE", for errors.
    std::string place() const { return *m_file + ":" + std::to_string(m_line); }

private:
    const std::string* m_file;
    std::size_t m_line;
    const std::vector<std::string>* m_columns;
    std::vector<std::string> m_fields;
};

/// Reads comma-separated rows: lines that begin with # are comments, the first other line names the columns. `file` is
/// its name in errors; it and `columns` must outlive the rows. Throws base::input_error for other columns, a row with
/// more or fewer fields or control
/// characters, a file without rows, and one of more than 1000.
std::vector<measured_row> read_measured_rows(const std::string& text, const std::string& file,
                                             const std::vector<std::string>& columns);

} // namespace tensorloom::testbench
