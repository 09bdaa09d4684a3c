#pragma once
#include <string>
#include <string_view>

namespace tensorloom::arch {

/// What a user's input says, fit for one line of a complaint: in quotes, all but printable ASCII as '?', at most 60
/// characters.
std::string in_quotes(std::string_view text);

} // namespace tensorloom::arch
