#include "platform/report/report_table.h"

namespace tensorloom::testbench {

void report_table::line(const std::string& name, const std::string& text)
{
    constexpr int width = 22;
    m_out << "  " << std::left << std::setw(width) << name << (name.size() < width ? "" : " ") << text << "\n";
}

} // namespace tensorloom::testbench
