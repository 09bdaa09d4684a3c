#include "platform/process/text.h"
#include <cmath>
#include <iomanip>
#include <sstream>

namespace tensorloom::testbench {

std::string number_text(double value, int digits)
{
    std::ostringstream text;
    text << std::setprecision(digits) << value;
    return text.str();
}

std::string quantity_text(double pico, const char* unit)
{
    static constexpr const char* prefixes[] = {"p", "n", "u", "m", "", "k", "M", "G", "T"};
    int p = 0;
    while (std::fabs(pico) >= 999.95 && p < 8) { // four digits round it to 1000
        pico /= 1000;
        ++p;
    }
    return number_text(pico) + " " + prefixes[p] + unit;
}

std::string grouped_text(std::uint64_t n)
{
    std::string digits = std::to_string(n);
    for (int at = static_cast<int>(digits.size()) - 3; at > 0; at -= 3) {
        digits.insert(static_cast<std::size_t>(at), ",");
    }
    return digits;
}

std::string counted(std::uint64_t n, const char* one, const char* many)
{
    return grouped_text(n) + " " + (n == 1 ? one : many);
}

bool ends_with(const std::string& text, const std::string& end)
{
    return text.size() >= end.size() && text.compare(text.size() - end.size(), end.size(), end) == 0;
}

} // namespace tensorloom::testbench
