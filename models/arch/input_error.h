#pragma once
#include <stdexcept>
#include <string>

namespace tensorloom::arch {

/// Something a user gave us is wrong: a file, an option, a technology, a job.
///
/// what() is one line that says which input, what was found and what was expected. Programs print it and leave with
/// status 2.
class input_error : public std::runtime_error {
public:
    explicit input_error(const std::string& line) : std::runtime_error(line) {}
};

} // namespace tensorloom::arch
