#include "compare_measured/measured_cases.h"
#include <algorithm>
#include <charconv>
#include <sstream>
#include <tensorloom/models/base/values/input_error.h>
#include "platform/process/text.h"

namespace tensorloom::testbench {
namespace {

constexpr std::size_t most_rows = 1000; // each has a platform of its own

std::vector<std::string> fields_of(const std::string& line)
{
    std::vector<std::string> fields;
    std::istringstream in(line);
    for (std::string field; std::getline(in, field, ',');) { fields.push_back(field); }
    if (!line.empty() && line.back() == ',') { fields.emplace_back(); }
    return fields;
}

} // namespace

std::uint64_t measured_row::number(std::size_t column, std::uint64_t least, std::uint64_t most) const
{
    const std::string& text = m_fields[column];
    std::uint64_t value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc() || end != text.data() + text.size() || value < least || value > most) {
        base::refuse((*m_columns)[column], base::in_quotes(text),
                     "an integer from " + std::to_string(least) + " to " + std::to_string(most));
    }
    return value;
}

double measured_row::real(std::size_t column, double least, double most) const
{
    const std::string& text = m_fields[column];
    double value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc() || end != text.data() + text.size() || !(value >= least && value <= most)) {
        base::refuse((*m_columns)[column], base::in_quotes(text),
                     "a number from " + number_text(least) + " to " + number_text(most));
    }
    return value;
}

std::vector<measured_row> read_measured_rows(const std::string& text, const std::string& file,
                                             const std::vector<std::string>& columns)
{
    std::vector<measured_row> rows;
    std::istringstream in(text);
    bool named = false;
    std::size_t number = 0;
    for (std::string line; std::getline(in, line);) {
        ++number;
        if (!line.empty() && line.back() == '\r') { line.pop_back(); }
        if (line.empty() || line.front() == '#') { continue; }
        auto fields = fields_of(line);
        const std::string place = file + ":" + std::to_string(number);
        const auto control =
            std::find_if(line.begin(), line.end(), [](unsigned char c) { return c < ' ' || c == 0x7f; });
        if (control != line.end()) {
            base::refuse(place, "the character " + std::to_string(static_cast<unsigned char>(*control)),
                         "text without control characters");
        }
        if (rows.size() == most_rows) {
            base::refuse(place, "a row more", "at most " + std::to_string(most_rows) + " rows");
        }
        if (!named) {
            if (fields != columns) {
                base::refuse(place, base::in_quotes(line),
                             "the columns " + listed(columns, [](const auto& c) { return c; }));
            }
            named = true;
            continue;
        }
        if (fields.size() != columns.size()) {
            base::refuse(place, std::to_string(fields.size()) + " fields", std::to_string(columns.size()));
        }
        rows.emplace_back(file, number, columns, std::move(fields));
    }
    if (rows.empty()) { base::refuse(file, named ? "no rows" : "no columns", "names of columns, and rows"); }
    return rows;
}

} // namespace tensorloom::testbench
