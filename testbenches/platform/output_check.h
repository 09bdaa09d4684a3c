#pragma once
#include <filesystem>
#include <string>

namespace tensorloom::testbench {

/// Makes sure, before the run, that a file can be written at its end: an input_error names the option (or "FILE") otherwise. What is
/// there already must be a regular file: a device or a pipe would be replaced by one.
/// An existing file keeps its content; one that was not there is not left behind.
void require_writable(const std::string& option, const std::filesystem::path& path);

/// An input_error when the output would overwrite the input, also through another name or a link.
void require_distinct(const std::string& output_option, const std::filesystem::path& output,
                      const std::string& input_option, const std::filesystem::path& input);

} // namespace tensorloom::testbench
