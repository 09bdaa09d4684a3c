#pragma once
#include <functional>
#include <stdexcept>

/// SystemC's entry, with C linkage: a testbench defines it.
extern "C" int sc_main(int argc, char* argv[]);

namespace tensorloom::testbench {

/// Exit status of a testbench. A run that is interrupted by a signal ends by that signal (shown by a shell as 128 plus
/// its number: 130 after SIGINT) and leaves no temporary file.
enum exit_status {
    exit_right = 0,     ///< checked and right (or not checked, on request)
    exit_wrong = 1,     ///< the result is wrong
    exit_bad_input = 2, ///< one line on stderr: which input, what was found and expected; or what cannot be written
    exit_internal = 3   ///< anything else, one line on stderr
};

/// A device has reported that its result is wrong. what() is one line.
class wrong_result : public std::runtime_error {
public:
    using std::runtime_error::runtime_error;
};

/// The frame of a testbench: `int sc_main(int argc, char* argv[]) { return run_main(argc, argv, run); }`.
///
/// Turns wrong_result into status 1, base::input_error into status 2, a SystemC report or any other exception into
/// status 3. Logs SystemC's warnings on stderr. Nothing aborts. At the end stdout is flushed; when that fails (a full
/// disk), the status is 2, as of any output. Linking this also switches SystemC's banner off.
int run_main(int argc, char** argv, const std::function<int(int, char**)>& run);

/// Called outside of SystemC processes. Flushes like run_main and ends the program without destroying objects (a large
/// mesh takes seconds to destroy).
[[noreturn]] void leave(const char* program, int status);

} // namespace tensorloom::testbench
