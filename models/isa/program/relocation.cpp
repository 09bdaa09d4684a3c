#include <tensorloom/models/isa/program/relocation.h>
#include <algorithm>
#include <optional>
#include <tensorloom/models/isa/program/program.h>
#include <tensorloom/models/base/values/input_error.h>
#include <tensorloom/models/base/values/number_text.h>

namespace tensorloom::isa {
namespace {

constexpr const char* head = "/* symbol, byte offset, addend: what tl_program_bind takes */";
constexpr const char* tail = "{0, 0, 0},";

std::optional<std::uint64_t> bound_address(const relocation& place, std::uint64_t address)
{
    const std::uint64_t bound = address + static_cast<std::uint64_t>(place.addend);
    return (place.addend < 0 ? bound < address : bound >= address) ? std::optional(bound) : std::nullopt;
}

bool is_inside(const relocation& place, std::size_t program_bytes)
{
    return place.offset >= program_header::encoded_bytes &&
           std::uint64_t{place.offset} + sizeof(std::uint64_t) <= program_bytes;
}

bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }
bool is_digit(char c) { return c >= '0' && c <= '9'; }

std::optional<relocation> parse_place(std::string_view line)
{
    constexpr std::string_view before = "{\"", after = "},";
    if (line.size() < before.size() + after.size() || line.substr(0, before.size()) != before ||
        line.substr(line.size() - after.size()) != after) {
        return std::nullopt;
    }
    line.remove_prefix(before.size());
    line.remove_suffix(after.size());
    const auto parts = base::split(line, ',');
    if (parts.size() != 3 || parts[0].size() < 1 || parts[0].back() != '"' || parts[1].substr(0, 1) != " " ||
        parts[2].substr(0, 1) != " ") {
        return std::nullopt;
    }
    const auto symbol = parts[0].substr(0, parts[0].size() - 1);
    const auto offset = base::parse_unsigned(parts[1].substr(1), 32);
    const auto addend = base::parse_integer(parts[2].substr(1), 64);
    if (!is_symbol(symbol) || !offset || !addend) { return std::nullopt; }
    return relocation{std::string(symbol), static_cast<std::uint32_t>(*offset), static_cast<std::int64_t>(*addend)};
}

} // namespace

void bind_symbol(std::vector<std::uint8_t>& program, const relocation_table& table, std::string_view symbol,
                 std::uint64_t address)
{
    const auto fail = [&](const std::string& why) {
        throw base::input_error("symbol " + base::in_quotes(symbol) + ": " + why);
    };
    bool found = false;
    for (const auto& place : table) {
        if (place.symbol != symbol) { continue; }
        found = true;
        if (!is_inside(place, program.size())) {
            fail("found offset " + std::to_string(place.offset) + " in a program of " + std::to_string(program.size()) +
                 " bytes");
        }
        if (!bound_address(place, address)) {
            fail("found address " + base::hexadecimal(address) + " with addend " + std::to_string(place.addend) +
                 ", expected a sum of 64 bits");
        }
    }
    if (!found) { fail("the table has no such symbol"); }
    for (const auto& place : table) {
        if (place.symbol == symbol) { base::store_le(program.data() + place.offset, *bound_address(place, address)); }
    }
}

bool is_symbol(std::string_view text)
{
    const auto belongs = [](char c) { return is_letter(c) || is_digit(c); };
    return !text.empty() && is_letter(text.front()) && std::all_of(text.begin(), text.end(), belongs) && text != "none";
}

std::string relocation_text(const relocation_table& table)
{
    std::string text = std::string(head) + "\n";
    for (const auto& place : table) {
        text +=
            "{\"" + place.symbol + "\", " + std::to_string(place.offset) + ", " + std::to_string(place.addend) + "},\n";
    }
    return text + tail + "\n";
}

relocation_table parse_relocations(const std::string& text, const std::string& origin)
{
    relocation_table table;
    std::size_t number = 0;
    bool ended = false;
    for (const auto line : base::split(text, '\n')) {
        const auto fail = [&](const std::string& expected) {
            base::refuse(origin + ":" + std::to_string(number), base::in_quotes(line), expected);
        };
        ++number;
        if (number == 1 && line != head) { fail("a table of relocations"); }
        if (number == 1 || (ended && line.empty())) { continue; }
        if (ended) { fail("nothing after the last relocation"); }
        ended = line == tail;
        if (ended) { continue; }
        const auto place = parse_place(line);
        if (!place) { fail("{\"SYMBOL\", OFFSET, ADDEND},"); }
        table.push_back(*place);
    }
    if (!ended) { throw base::input_error(origin + ": found no last line " + std::string(tail)); }
    return table;
}

} // namespace tensorloom::isa
