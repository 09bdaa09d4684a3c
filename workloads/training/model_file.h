#pragma once
#include <string>
#include <tensorloom/workloads/training/model.h>

namespace tensorloom::workloads {

/// Reads a model from a YAML text; `origin`: its name in error messages. Missing keys have the defaults of
/// model_description. Throws base::input_error, one line: invalid YAML, an unknown or repeated key, an invalid value, a
/// model that check_model() rejects.
model_description parse_model(const std::string& text, const std::string& origin);

/// "digits-conv, digits-dense, ...".
std::string shipped_model_names();
bool is_shipped_model(const std::string& name);
/// A model itself rather than its name: a YAML map in braces, so JSON, too.
bool is_model_text(const std::string& text);

/// A model by the name of one that ships with the project (shipped_model_names()), from its text, which messages call
/// "model", or from a file. Throws base::input_error.
model_description load_model(const std::string& name_or_path);

} // namespace tensorloom::workloads
