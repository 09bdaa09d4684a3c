#pragma once
#include <cstdint>
#include <string>
#include <string_view>

namespace tensorloom::workloads {

/// Size of a file in bytes. Throws base::input_error if it is missing, unreadable, empty or not a regular file;
/// `expected` names the expected content: "a .npy file".
std::uint64_t input_file_bytes(const std::string& path, const std::string& expected);

/// The text of a YAML file. Throws base::input_error: as input_file_bytes(), and for a file of more than 1 MiB.
std::string yaml_file_text(const std::string& path, const std::string& expected);

/// Text from an arbitrary file, made printable for a message: in quotes, at most 40 characters, ? for unprintable ones.
std::string quoted(std::string_view text);

} // namespace tensorloom::workloads
