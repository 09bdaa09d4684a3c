#pragma once
#include <algorithm>
#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>
#include <tensorloom/models/base/values/config_fields.h>
#include <tensorloom/models/base/values/input_error.h>

namespace tensorloom::base {

/// Sets fields from a text, "lanes=128 banks=32": NAME=VALUE, separated by blanks or line breaks, in the order of their
/// table, because the range of a field may depend on fields before it. The last value of a name counts. `fields` is
/// called anew for each. Returns the first error, in one line; fields before it in the table have changed then.
inline std::optional<std::string> set_lines(const std::function<config_fields()>& fields, std::string_view text)
{
    struct assignment {
        std::size_t place;
        std::string_view name;
        std::string value;
    };
    constexpr const char* blanks = " \t\r\n";
    const auto table = fields();
    std::vector<assignment> given;
    for (auto at = text.find_first_not_of(blanks); at != std::string_view::npos;) {
        const auto end = std::min(text.find_first_of(blanks, at), text.size());
        const auto word = text.substr(at, end - at);
        const auto equals = word.find('=');
        if (equals == std::string_view::npos) { return "found " + in_quotes(word) + ", expected NAME=VALUE"; }
        const auto name = word.substr(0, equals);
        given.push_back({place_in(table, name), name, std::string(word.substr(equals + 1))});
        at = text.find_first_not_of(blanks, end);
    }
    std::stable_sort(given.begin(), given.end(), [](const auto& a, const auto& b) { return a.place < b.place; });
    for (const auto& one : given) {
        if (auto wrong = set(fields(), one.name, one.value)) { return wrong; }
    }
    return std::nullopt;
}

/// Likewise for a configuration. Nothing has changed after an error. validate(config) checks whether the fields fit
/// each other.
template <class Config> std::optional<std::string> set_all(Config& config, std::string_view text)
{
    Config changed = config;
    const auto wrong = set_lines([&] { return fields_of(changed); }, text);
    if (!wrong) { config = changed; }
    return wrong;
}

} // namespace tensorloom::base
