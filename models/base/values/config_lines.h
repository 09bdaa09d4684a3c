#pragma once
#include <algorithm>
#include <optional>
#include <string>
#include <string_view>
#include <tensorloom/models/base/values/config_fields.h>
#include <tensorloom/models/base/values/input_error.h>

namespace tensorloom::base {

/// Sets fields of a configuration from a text, "lanes=128 banks=32": NAME=VALUE, separated by blanks or line breaks.
/// The last value of a name counts. Returns the first error, in one line; nothing has changed then. validate(config)
/// checks whether the fields fit each other.
template <class Config> std::optional<std::string> set_all(Config& config, std::string_view text)
{
    constexpr const char* blanks = " \t\r\n";
    Config changed = config;
    for (auto at = text.find_first_not_of(blanks); at != std::string_view::npos;) {
        const auto end = std::min(text.find_first_of(blanks, at), text.size());
        const auto word = text.substr(at, end - at);
        const auto equals = word.find('=');
        if (equals == std::string_view::npos) { return "found " + in_quotes(word) + ", expected NAME=VALUE"; }
        if (auto wrong = set(changed, word.substr(0, equals), std::string(word.substr(equals + 1)))) { return wrong; }
        at = text.find_first_not_of(blanks, end);
    }
    config = changed;
    return std::nullopt;
}

} // namespace tensorloom::base
