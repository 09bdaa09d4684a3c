#include <tensorloom/models/arch/values/input_error.h>

namespace tensorloom::arch {

std::string in_quotes(std::string_view text)
{
    constexpr std::size_t longest = 60;
    std::string line = "'";
    for (const char c : text.substr(0, longest)) {
        line += c >= ' ' && c <= '~' ? c : '?'; // char may be signed
    }
    return line + (text.size() > longest ? "...'" : "'");
}

} // namespace tensorloom::arch
