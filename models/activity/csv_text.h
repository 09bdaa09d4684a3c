#pragma once
#include <string>
#include <string_view>

namespace tensorloom::activity {

/// A cell of a CSV file (RFC 4180): quoted where it must be.
inline std::string csv_text(std::string_view text)
{
    if (text.find_first_of(",\"\r\n") == std::string_view::npos) { return std::string(text); }
    std::string quoted = "\"";
    for (const char c : text) { quoted += c == '"' ? std::string("\"\"") : std::string(1, c); }
    return quoted + "\"";
}

} // namespace tensorloom::activity
