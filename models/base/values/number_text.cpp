#include <tensorloom/models/base/values/number_text.h>

namespace tensorloom::base {

std::optional<std::uint64_t> parse_integer(std::string_view text, unsigned bits)
{
    const bool negative = !text.empty() && text.front() == '-';
    if (negative) { text.remove_prefix(1); }
    const bool hex = text.size() > 2 && text[0] == '0' && text[1] == 'x';
    if (hex) { text.remove_prefix(2); }
    std::uint64_t size = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), size, hex ? 16 : 10);
    if (error != std::errc{} || end != text.data() + text.size()) { return std::nullopt; }
    const std::uint64_t most = bits == 64 ? UINT64_MAX : (std::uint64_t{1} << bits) - 1;
    if (size > (negative ? most / 2 + 1 : most)) { return std::nullopt; }
    return negative ? (0 - size) & most : size;
}

std::optional<std::uint64_t> parse_unsigned(std::string_view text, unsigned bits)
{
    return text.substr(0, 1) == "-" ? std::nullopt : parse_integer(text, bits);
}

std::string hexadecimal(std::uint64_t value)
{
    char digits[16];
    const auto result = std::to_chars(digits, digits + sizeof digits, value, 16);
    return "0x" + std::string(digits, result.ptr);
}

std::string shortest_text(double value)
{
    char text[32];
    return std::string(text, std::to_chars(text, text + sizeof text, value).ptr);
}

std::vector<std::string_view> split(std::string_view text, char separator)
{
    std::vector<std::string_view> parts;
    for (;;) {
        const auto end = text.find(separator);
        parts.push_back(text.substr(0, end));
        if (end == std::string_view::npos) { return parts; }
        text.remove_prefix(end + 1);
    }
}

} // namespace tensorloom::base
