#pragma once
#include <stdexcept>
#include <string>
#include <string_view>

namespace tensorloom::base {

/// Converts the text to one line: line breaks and tabs become blanks, other control characters '?'; trailing blanks are
/// removed.
inline std::string on_one_line(std::string text)
{
    for (char& c : text) {
        const auto code = static_cast<unsigned char>(c);
        if (c == '\n' || c == '\r' || c == '\t') {
            c = ' ';
        } else if (code < 0x20 || code == 0x7f) {
            c = '?';
        }
    }
    text.resize(text.find_last_not_of(' ') + 1);
    return text;
}

/// User input is invalid: a file, an option, a technology, a job.
///
/// what() is one line, whatever the name of a file or an argument contains. It states the input, what was found and
/// what was expected. Programs print it and exit with status 2.
class input_error : public std::runtime_error {
public:
    explicit input_error(const std::string& text) : std::runtime_error(on_one_line(text)) {}
};

/// Throws input_error of what was found where: "SUBJECT: found FOUND, expected EXPECTED".
[[noreturn]] inline void refuse(const std::string& subject, const std::string& found, const std::string& expected)
{
    throw input_error(subject + ": found " + found + ", expected " + expected);
}

/// Text of user input for an error message: in quotes, non-printable and non-ASCII characters as '?', at most 60
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

/// Returns the result of an action; prefixes its errors with `subject`: "--ranks: ...".
template <class Action> auto complaining_of(const std::string& subject, const Action& action)
{
    try {
        return action();
    } catch (const input_error& error) {
        throw input_error(subject + ": " + error.what());
    }
}

} // namespace tensorloom::base
