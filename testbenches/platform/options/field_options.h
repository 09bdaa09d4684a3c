#pragma once
#include <string>
#include <nlohmann/json_fwd.hpp>
#include <tensorloom/models/base/values/config_fields.h>
#include "platform/options/options.h"

namespace tensorloom::testbench {

/// The same fields, of which the one called `field` is the option `name`; its own name is a synonym.
base::config_fields with_option_name(base::config_fields fields, const char* field, const char* name);

/// Adds an option for a field of a configuration; its default is the field's value, or `default_in_words`.
void add_field(option_table& table, const base::config_field& field, const std::string& default_in_words = {});
/// The same for each of these fields.
void add_fields(option_table& table, const base::config_fields& fields);

/// Sets a field to the value of its option; without a value the field does not change. Throws base::input_error.
void read_field(const option_values& values, const base::config_field& field);
void read_fields(const option_values& values, const base::config_fields& fields);

/// Fields as JSON for a summary.
nlohmann::ordered_json json_of(const base::config_fields& fields);

} // namespace tensorloom::testbench
