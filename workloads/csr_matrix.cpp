#include <tensorloom/workloads/csr_matrix.h>
#include <algorithm>
#include <cctype>
#include <charconv>
#include <cmath>
#include <fstream>
#include <limits>
#include <string_view>
#include <system_error>
#include <type_traits>
#include <tensorloom/models/base/values/input_error.h>
#include <tensorloom/workloads/element_rounding.h>
#include <tensorloom/workloads/input_file.h>

namespace tensorloom::workloads {

template <class T> std::uint64_t csr_matrix<T>::empty_rows() const
{
    std::uint64_t empty = 0;
    for (std::uint64_t r = 0; r < rows; ++r) { empty += row_starts[r] == row_starts[r + 1]; }
    return empty;
}

template <class T> std::optional<std::string> validate(const csr_matrix<T>& matrix)
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
template std::optional<std::string> validate(const csr_matrix<std::int64_t>&);
template std::optional<std::string> validate(const csr_matrix<double>&);

namespace {

using header = matrix_market_header;

constexpr std::uint64_t most_rows = std::uint64_t{1} << 26;

std::string lower_case(std::string_view text)
{
    std::string result(text);
    for (char& c : result) { c = static_cast<char>(std::tolower(static_cast<unsigned char>(c))); }
    return result;
}

std::string number(std::uint64_t n) { return std::to_string(n); }

// The lines of a file, one after the other, and complaints about the one at hand.
class line_reader {
public:
    explicit line_reader(const std::string& path) : m_path(path)
    {
        input_file_bytes(path, "a MatrixMarket file");
        m_file.open(path, std::ios::binary);
        if (!m_file) { throw base::input_error(path + ": cannot be opened, expected a MatrixMarket file"); }
    }

    std::uint64_t line() const { return m_line; }
    const std::vector<std::string_view>& tokens() const { return m_tokens; }
    std::string text() const { return quoted(m_text); }

    /// The next line, whatever is in it; false at the end of the file, which counts as a line of its own.
    bool next()
    {
        ++m_line;
        m_text.clear();
        m_tokens.clear();
        if (!std::getline(m_file, m_text) && m_text.empty()) { return false; }
        if (!m_text.empty() && m_text.back() == '\r') { m_text.pop_back(); }
        split();
        return true;
    }

    /// The next line that is not blank and no comment.
    bool next_with_data()
    {
        while (next()) {
            if (!m_tokens.empty() && m_tokens.front().front() != '%') { return true; }
        }
        return false;
    }

    [[noreturn]] void refuse(const std::string& found, const std::string& expected) const
    {
        base::refuse(m_path + ":" + number(m_line), found, expected);
    }

private:
    void split()
    {
        constexpr std::string_view space = " \t";
        std::string_view rest = m_text;
        for (;;) {
            const std::size_t begin = rest.find_first_not_of(space);
            if (begin == std::string_view::npos) { return; }
            rest.remove_prefix(begin);
            const std::size_t length = std::min(rest.find_first_of(space), rest.size());
            m_tokens.push_back(rest.substr(0, length));
            rest.remove_prefix(length);
        }
    }

    const std::string& m_path;
    std::ifstream m_file;
    std::uint64_t m_line = 0;
    std::string m_text;
    std::vector<std::string_view> m_tokens; // of m_text
};

// A whole token as a number; from_chars takes no plus sign.
template <class Number> bool parse(std::string_view token, Number& to)
{
    if (token.size() > 1 && token.front() == '+' && token[1] != '-') { token.remove_prefix(1); }
    const auto [end, error] = std::from_chars(token.data(), token.data() + token.size(), to);
    return error == std::errc() && end == token.data() + token.size();
}

void read_banner(line_reader& lines, header& h)
{
    static constexpr const char* expected =
        "%%MatrixMarket matrix, coordinate or array, real, integer or pattern, general, symmetric or "
        "skew-symmetric";
    lines.next();
    const auto& tokens = lines.tokens();
    if (tokens.empty() || lower_case(tokens[0]) != "%%matrixmarket" || tokens.size() != 5) {
        lines.refuse(lines.text(), expected);
    }
    const auto unknown = [&](std::size_t i, const char* known) { lines.refuse(quoted(tokens[i]), known); };

    if (lower_case(tokens[1]) != "matrix") { unknown(1, "matrix"); }

    const std::string layout = lower_case(tokens[2]);
    if (layout != "coordinate" && layout != "array") { unknown(2, "coordinate or array"); }
    h.coordinate = layout == "coordinate";

    const std::string field = lower_case(tokens[3]);
    if (field == "real" || field == "double") {
        h.field = header::field_kind::real;
    } else if (field == "integer") {
        h.field = header::field_kind::integer;
    } else if (field == "pattern" && h.coordinate) {
        h.field = header::field_kind::pattern;
    } else {
        unknown(3, h.coordinate ? "real, integer or pattern" : "real or integer");
    }

    const std::string symmetry = lower_case(tokens[4]);
    if (symmetry == "general") {
        h.symmetry = header::symmetry_kind::general;
    } else if (symmetry == "symmetric") {
        h.symmetry = header::symmetry_kind::symmetric;
    } else if (symmetry == "skew-symmetric" && h.field != header::field_kind::pattern) {
        h.symmetry = header::symmetry_kind::skew_symmetric;
    } else {
        unknown(4, h.field == header::field_kind::pattern ? "general or symmetric"
                                                          : "general, symmetric or skew-symmetric");
    }
}

void read_sizes(line_reader& lines, header& h)
{
    const char* expected = h.coordinate ? "the sizes: rows, columns and elements" : "the sizes: rows and columns";
    if (!lines.next_with_data()) { lines.refuse("the end of the file", expected); }
    const auto& tokens = lines.tokens();
    if (tokens.size() != (h.coordinate ? 3 : 2)) { lines.refuse(lines.text(), expected); }
    std::uint64_t* const sizes[] = {&h.rows, &h.columns, &h.entries};
    for (std::size_t i = 0; i < tokens.size(); ++i) {
        if (!parse(tokens[i], *sizes[i])) { lines.refuse(quoted(tokens[i]), "a whole number not below 0"); }
    }
    for (const std::uint64_t size : {h.rows, h.columns}) {
        if (size < 1 || size > most_rows) {
            lines.refuse(number(h.rows) + " x " + number(h.columns), "1 to " + number(most_rows) + " rows and columns");
        }
    }
    const bool general = h.symmetry == header::symmetry_kind::general;
    const bool diagonal = h.symmetry != header::symmetry_kind::skew_symmetric;
    if (!general && h.rows != h.columns) {
        lines.refuse(number(h.rows) + " x " + number(h.columns), "a square matrix, as it is symmetric");
    }
    const std::uint64_t places = general    ? h.rows * h.columns
                                 : diagonal ? h.rows * (h.rows + 1) / 2
                                            : h.rows * (h.rows - 1) / 2;
    if (!h.coordinate) { h.entries = places; }
    if (h.entries > places) {
        lines.refuse(number(h.entries) + " elements",
                     "at most " + number(places) + ", the places of " + number(h.rows) + " x " + number(h.columns));
    }
}

template <class T> struct entry {
    std::uint64_t row, column;
    T value;
    std::uint64_t line;
};

template <class T> T read_value(const line_reader& lines, std::string_view token, header::field_kind field)
{
    if (field == header::field_kind::integer || std::is_integral_v<T>) {
        std::int64_t whole = 0;
        if (parse(token, whole)) {
            if (!std::is_integral_v<T> && !is_exact_double(whole)) {
                lines.refuse(quoted(token), "a whole number that f64 holds exactly");
            }
            return static_cast<T>(whole);
        }
    }
    if (field == header::field_kind::integer) { lines.refuse(quoted(token), "a whole number of 64 bits"); }
    double value = 0;
    if (!parse(token, value) || !std::isfinite(value)) { lines.refuse(quoted(token), "a finite number"); }
    constexpr double whole_limit = 9007199254740992.0; // 2^53: beyond it a double stands for several whole numbers
    if (std::is_integral_v<T> && (value != std::floor(value) || std::abs(value) > whole_limit)) {
        lines.refuse(quoted(token), "a whole number, as the matrix is to be one of integers");
    }
    return static_cast<T>(value);
}

std::uint64_t read_index(const line_reader& lines, std::string_view token, const char* what, std::uint64_t most)
{
    std::uint64_t index = 0;
    if (!parse(token, index) || index < 1 || index > most) {
        lines.refuse(std::string(what) + " " + quoted(token), "1 to " + number(most));
    }
    return index - 1;
}

// The elements that the file states, in its order.
template <class T> class entry_reader {
public:
    entry_reader(line_reader& lines, const header& h) : m_lines(lines), m_header(h) {}

    std::vector<entry<T>> read()
    {
        std::vector<entry<T>> entries;
        for (std::uint64_t k = 0; k < m_header.entries; ++k) {
            if (!m_lines.next_with_data()) {
                m_lines.refuse("the end of the file after " + number(k) + " elements",
                               number(m_header.entries) + " elements");
            }
            add(entries, m_header.coordinate ? coordinate() : next_of_array());
        }
        if (m_lines.next_with_data()) {
            m_lines.refuse(m_lines.text(), "the end of the file after " + number(m_header.entries) + " elements");
        }
        return entries;
    }

private:
    entry<T> coordinate()
    {
        const auto& tokens = m_lines.tokens();
        const bool pattern = m_header.field == header::field_kind::pattern;
        if (tokens.size() != (pattern ? 2 : 3)) {
            m_lines.refuse(m_lines.text(), pattern ? "a row and a column" : "a row, a column and a value");
        }
        entry<T> e{};
        e.row = read_index(m_lines, tokens[0], "row", m_header.rows);
        e.column = read_index(m_lines, tokens[1], "column", m_header.columns);
        e.value = pattern ? T{1} : read_value<T>(m_lines, tokens[2], m_header.field);
        if (m_header.symmetry != header::symmetry_kind::general) {
            const bool skew = m_header.symmetry == header::symmetry_kind::skew_symmetric;
            if (e.column > e.row || (skew && e.column == e.row)) {
                m_lines.refuse("an element in row " + std::string(tokens[0]) + ", column " + std::string(tokens[1]),
                               skew ? "one below the diagonal, as the matrix is skew-symmetric"
                                    : "one on or below the diagonal, as the matrix is symmetric");
            }
        }
        return e;
    }

    // Column by column; of symmetric matrices from the diagonal down, of skew-symmetric ones from below it.
    entry<T> next_of_array()
    {
        if (m_lines.tokens().size() != 1) { m_lines.refuse(m_lines.text(), "a value"); }
        if (m_row == m_header.rows || m_first) {
            m_column += m_first ? 0 : 1;
            m_row = m_header.symmetry == header::symmetry_kind::general     ? 0
                    : m_header.symmetry == header::symmetry_kind::symmetric ? m_column
                                                                            : m_column + 1;
            m_first = false;
        }
        return {m_row++, m_column, read_value<T>(m_lines, m_lines.tokens()[0], m_header.field), 0};
    }

    void add(std::vector<entry<T>>& entries, entry<T> e)
    {
        e.line = m_lines.line();
        if (!m_header.coordinate && e.value == 0) { return; }
        entries.push_back(e);
        if (m_header.symmetry == header::symmetry_kind::general || e.row == e.column) { return; }
        std::swap(e.row, e.column);
        if (m_header.symmetry == header::symmetry_kind::skew_symmetric) {
            if (std::is_integral_v<T> && e.value == std::numeric_limits<T>::min()) {
                m_lines.refuse(m_lines.text(), "a value whose negative has 64 bits, too");
            }
            e.value = -e.value;
        }
        entries.push_back(e);
    }

    line_reader& m_lines;
    const header& m_header;
    bool m_first = true;
    std::uint64_t m_row = 0, m_column = 0;
};

template <class T> csr_matrix<T> compressed(const std::string& path, const header& h, std::vector<entry<T>>& entries)
{
    std::sort(entries.begin(), entries.end(), [](const entry<T>& a, const entry<T>& b) {
        return a.row != b.row ? a.row < b.row : a.column != b.column ? a.column < b.column : a.line < b.line;
    });
    csr_matrix<T> m;
    m.rows = h.rows;
    m.columns = h.columns;
    m.row_starts.assign(h.rows + 1, 0);
    m.column.reserve(entries.size());
    m.value.reserve(entries.size());
    const entry<T>* before = nullptr;
    for (const entry<T>& e : entries) {
        if (before != nullptr && before->row == e.row && before->column == e.column) {
            throw base::input_error(path + ":" + number(e.line) + ": found row " + number(e.row + 1) + ", column " +
                                    number(e.column + 1) + " again, expected it in line " + number(before->line) +
                                    " alone");
        }
        before = &e;
        ++m.row_starts[e.row + 1];
        m.column.push_back(e.column);
        m.value.push_back(e.value);
    }
    for (std::uint64_t r = 0; r < h.rows; ++r) { m.row_starts[r + 1] += m.row_starts[r]; }
    return m;
}

} // namespace

matrix_market_header read_matrix_market_header(const std::string& path)
{
    line_reader lines(path);
    header h;
    read_banner(lines, h);
    read_sizes(lines, h);
    return h;
}

template <class T> matrix_market_file<T> load_matrix_market(const std::string& path)
{
    line_reader lines(path);
    matrix_market_file<T> file;
    read_banner(lines, file.header);
    read_sizes(lines, file.header);
    auto entries = entry_reader<T>(lines, file.header).read();
    file.matrix = compressed(path, file.header, entries);
    return file;
}

template matrix_market_file<std::int64_t> load_matrix_market(const std::string&);
template matrix_market_file<double> load_matrix_market(const std::string&);

} // namespace tensorloom::workloads
