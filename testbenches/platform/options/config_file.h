#pragma once
#include <optional>
#include <string>
#include <vector>

namespace tensorloom::testbench {

/// One `key: value` of a configuration file.
struct config_entry {
    std::string key;
    std::string origin;              ///< "FILE:LINE: KEY", used in errors
    bool sequence = false;           ///< written as a list
    std::vector<std::string> values; ///< one, or the items of the list, as written
};

/// Reads a YAML file of one flat mapping, at most 1 MiB. Keys keep their order.
///
/// An base::input_error names file, line and key: unreadable, not YAML, not one mapping, a repeated key, a value that
/// is empty, nested or not a scalar.
std::vector<config_entry> read_config(const std::string& path);

/// An input of a run: a file, or a text that ships with the project.
struct run_input {
    std::string option; ///< "--input"
    std::string name;   ///< as given
    std::string sha256; ///< of its content
};

/// The options and inputs in a summary.json.
struct recorded_run {
    std::string testbench;
    std::vector<config_entry> options; ///< configuration.options_given
    std::vector<run_input> inputs;     ///< configuration.inputs
};

/// Reads a summary.json of at most 64 MiB, with at most 4 MiB of options; none if the file is not JSON with a testbench
/// and its configuration. base::input_error: unreadable, too long, a summary without the options of its run.
std::optional<recorded_run> read_recorded_run(const std::string& path);

} // namespace tensorloom::testbench
