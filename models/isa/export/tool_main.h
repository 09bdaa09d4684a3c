#pragma once
#include <cerrno>
#include <cstring>
#include <exception>
#include <functional>
#include <iostream>
#include <string>
#include <vector>
#include <tensorloom/models/base/files/atomic_file.h>
#include <tensorloom/models/base/values/input_error.h>

namespace tensorloom::isa {

/// The main() of a tool that is not a testbench: `run` gets the arguments and may write to std::cout.
///
/// Returns the exit status: 0 done; 2 bad input, or a file or standard output that cannot be written; 3 internal
/// failure. The error is one line on standard error, after the tool's name.
inline int tool_main(const std::string& tool, int argc, char** argv,
                     const std::function<void(const std::vector<std::string>& arguments)>& run)
{
    const auto complain = [&](const std::string& text, int status) {
        std::cerr << tool << ": " << base::on_one_line(text) << "\n";
        return status;
    };
    base::remove_temporaries_on_signals();
    try {
        run({argv + 1, argv + argc});
        errno = 0;
        if (!std::cout.flush()) {
            throw base::input_error(std::string("standard output could not be written") +
                                    (errno != 0 ? std::string(": ") + std::strerror(errno) : ""));
        }
        return 0;
    } catch (const base::input_error& error) {
        return complain(error.what(), 2);
    } catch (const std::exception& error) {
        return complain(std::string("internal failure: ") + error.what(), 3);
    }
}

} // namespace tensorloom::isa
