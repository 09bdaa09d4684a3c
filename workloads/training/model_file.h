#pragma once
#include <string>
#include <tensorloom/workloads/training/model.h>

namespace tensorloom::workloads {

/// Reads a model from a YAML text; `origin` is how complaints call it. What a file leaves out is as in
/// model_description. Throws base::input_error, one line: no YAML, an unknown key or one that stands there twice, a
/// value that is none, a model that check_model() refuses.
model_description parse_model(const std::string& text, const std::string& origin);

/// "digits-conv, digits-dense, ...".
std::string shipped_model_names();
bool is_shipped_model(const std::string& name);

/// A model that ships with the project by its name (shipped_model_names()), or one of a
/// file. Throws base::input_error.
model_description load_model(const std::string& name_or_path);

} // namespace tensorloom::workloads
