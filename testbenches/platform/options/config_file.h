#pragma once
#include <optional>
#include <string>
#include <vector>

namespace tensorloom::testbench {

/// One `key: value` of a configuration file.
struct config_entry {
    std::string key;
    std::string origin;              ///< "FILE:LINE: KEY", how errors name it
    bool sequence = false;           ///< written as a list
    std::vector<std::string> values; ///< one, or the items of the list, as written
};

/// Reads a YAML file of one flat mapping, at most 1 MiB. Keys keep their order.
///
/// An base::input_error names file, line and key: unreadable, not YAML, not one mapping, a repeated key, a value that
/// is empty, nested or not a scalar.
std::vector<config_entry> read_config(const std::string& path);

/// What a run was made from: a file, or a text that ships with the project.
struct run_input {
    std::string option; ///< "--input"
    std::string name;   ///< as given
    std::string sha256; ///< of its content
};

/// What a summary.json says of how its run was asked for.
struct recorded_run {
    std::string testbench;
    std::vector<config_entry> options; ///< configuration.options_given
    std::vector<run_input> inputs;     ///< configuration.inputs
};

/// Reads a summary.json, 64 MiB with 4 of options at most; nothing when the file is no JSON with a testbench and its
/// configuration. An base::input_error: unreadable, too long, a summary that does not say how it can be repeated.
std::optional<recorded_run> read_recorded_run(const std::string& path);

} // namespace tensorloom::testbench
