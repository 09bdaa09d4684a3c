#pragma once
#include <cstdint>
#include <string>
#include <string_view>

namespace tensorloom::workloads {

/// Bytes of a file that a user named. Throws base::input_error when it is not there, cannot be read, is empty, or is
/// not a regular file; `expected` says what should be there: "a .npy file".
std::uint64_t input_file_bytes(const std::string& path, const std::string& expected);

/// Text from a file that may hold anything, fit for one line: in quotes, at most 40 characters, ? for those that do not
/// print.
std::string quoted(std::string_view text);

} // namespace tensorloom::workloads
