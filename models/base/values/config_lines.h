#pragma once
#include <algorithm>
#include <optional>
#include <string>
#include <string_view>
#include <tensorloom/models/base/values/config_fields.h>
#include <tensorloom/models/base/values/input_error.h>

namespace tensorloom::base {

/// Gives fields of a configuration values from a text, "lanes=128 banks=32": NAME=VALUE, with blanks or line breaks
/// between them. The last of a name counts. What is wrong first, in a line; then nothing has changed. That the fields
/// fit each other, validate(config) tells.
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
