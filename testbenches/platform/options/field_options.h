#pragma once
#include <string>
#include <nlohmann/json_fwd.hpp>
#include <tensorloom/models/base/values/config_fields.h>
#include "platform/options/options.h"

namespace tensorloom::testbench {

/// Adds an option for a field of a configuration, whose value is the default. `default_in_words`: instead of it.
void add_field(option_table& table, const base::config_field& field, const std::string& default_in_words = {});
/// The same for each of these fields.
void add_fields(option_table& table, const base::config_fields& fields);

/// Gives a field the value of its option; without a value given it stays as it is. Throws base::input_error.
void read_field(const option_values& values, const base::config_field& field);
void read_fields(const option_values& values, const base::config_fields& fields);

/// What fields are, as a summary has it.
nlohmann::ordered_json json_of(const base::config_fields& fields);

} // namespace tensorloom::testbench
