#pragma once
#include <cstddef>
#include <string>

namespace tensorloom::arch {

/// All bytes of a file. Throws input_error when it cannot be read or is longer than `most` bytes.
std::string read_whole_file(const std::string& path, std::size_t most);

/// Makes these the bytes of a file: all of them, or the file stays as it was (atomic_file.h). Throws input_error when
/// that fails.
void write_whole_file(const std::string& path, const std::string& bytes);

} // namespace tensorloom::arch
