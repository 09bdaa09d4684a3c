#pragma once
#include <cstdint>
#include <string>
#include <tensorloom/workloads/tensor.h>

namespace tensorloom::testbench {

/// A number with `digits` significant digits.
std::string number_text(double value, int digits = 4);

/// An SI-prefixed quantity: value 1234e6 in pico units and unit "J" give "1.234 mJ".
std::string quantity_text(double pico, const char* unit);

/// 1,234,567
std::string grouped_text(std::uint64_t n);

/// "1 row", "1,024 rows"
std::string counted(std::uint64_t n, const char* one, const char* many);

bool ends_with(const std::string& text, const std::string& end);

/// Texts of the items of a range, separated by `between`.
template <class Range, class Text>
std::string listed(const Range& range, const Text& text_of, const std::string& between = ", ")
{
    std::string all;
    bool first = true;
    for (const auto& item : range) {
        if (!first) { all += between; }
        first = false;
        all += text_of(item);
    }
    return all;
}

using workloads::shape_text;

} // namespace tensorloom::testbench
