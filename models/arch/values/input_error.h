#pragma once
#include <stdexcept>
#include <string>
#include <string_view>

namespace tensorloom::arch {

/// Something a user gave us is wrong: a file, an option, a technology, a job.
///
/// what() is one line that says which input, what was found and what was expected. Programs print it and leave with
/// status 2.
class input_error : public std::runtime_error {
public:
    explicit input_error(const std::string& line) : std::runtime_error(line) {}
};

/// What a user's input says, fit for one line of a complaint: in quotes, all but printable ASCII as '?', at most 60
/// characters.
inline std::string in_quotes(std::string_view text)
{
    constexpr std::size_t longest = 60;
    std::string line = "'";
    for (const char c : text.substr(0, longest)) {
        line += c >= ' ' && c <= '~' ? c : '?'; // char may be signed
    }
    return line + (text.size() > longest ? "...'" : "'");
}

} // namespace tensorloom::arch
