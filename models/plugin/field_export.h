#pragma once
#include <string>
#include <tensorloom/models/base/values/config_fields.h>

namespace tensorloom::plugin {

/// The fields of a kind as a Markdown table: name, member of the configuration struct, unit, values, default, meaning.
/// Throws base::input_error for a kind that is not one of module_kinds().
std::string field_table(const std::string& kind);

/// The same as plain text in columns: name, default, values, meaning.
std::string field_list(const std::string& kind);

} // namespace tensorloom::plugin
