#pragma once
#include <algorithm>
#include <optional>
#include <string>
#include <string_view>
#include <tensorloom/models/base/values/config_fields.h>
#include <tensorloom/models/base/values/input_error.h>

namespace tensorloom::base {

/// Calls `set(name, text)` for each assignment of a text, "lanes=128 banks=32": NAME=VALUE, separated by blanks or line
/// breaks. Returns the first error, in one line.
template <class Set> std::optional<std::string> set_each(std::string_view text, const Set& set)
{
    constexpr const char* blanks = " \t\r\n";
    for (auto at = text.find_first_not_of(blanks); at != std::string_view::npos;) {
        const auto end = std::min(text.find_first_of(blanks, at), text.size());
        const auto word = text.substr(at, end - at);
        const auto equals = word.find('=');
        if (equals == std::string_view::npos) { return "found " + in_quotes(word) + ", expected NAME=VALUE"; }
        const std::optional<std::string> wrong = set(word.substr(0, equals), std::string(word.substr(equals + 1)));
        if (wrong) { return wrong; }
        at = text.find_first_not_of(blanks, end);
    }
    return std::nullopt;
}

/// Sets fields of a configuration from such a text. The last value of a name counts. Returns the first error; nothing
/// has changed then. validate(config) checks whether the fields fit each other.
template <class Config> std::optional<std::string> set_all(Config& config, std::string_view text)
{
    Config changed = config;
    const auto wrong =
        set_each(text, [&](std::string_view name, const std::string& value) { return set(changed, name, value); });
    if (!wrong) { config = changed; }
    return wrong;
}

} // namespace tensorloom::base
