#pragma once
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
/// An arch::input_error names file, line and key: unreadable, not YAML, not one mapping, a repeated key, a value that
/// is empty, nested or not a scalar.
std::vector<config_entry> read_config(const std::string& path);

} // namespace tensorloom::testbench
