#pragma once
#include <cstddef>
#include <iomanip>
#include <ostream>
#include <string>
#include <utility>
#include <vector>
#include "platform/process/text.h"

namespace tensorloom::testbench {

/// The table printed at the end of a run: a name and a text per line.
class report_table {
public:
    explicit report_table(std::ostream& out) : m_out(out) {}
    void line(const std::string& name, const std::string& text);

private:
    std::ostream& m_out;
};

/// Prints rows of right-aligned cells after a name, indented like the lines of a report. Widths: in characters.
class cell_table {
public:
    cell_table(std::ostream& out, int name_width, std::vector<int> widths)
        : m_out(out), m_name_width(name_width), m_widths(std::move(widths))
    {}
    void print(const std::string& name, const std::vector<std::string>& cells)
    {
        m_out << "    " << std::left << std::setw(m_name_width) << name << std::right;
        for (std::size_t c = 0; c < cells.size(); ++c) { m_out << std::setw(m_widths[c]) << cells[c]; }
        m_out << "\n";
    }

private:
    std::ostream& m_out;
    int m_name_width;
    std::vector<int> m_widths;
};

} // namespace tensorloom::testbench
