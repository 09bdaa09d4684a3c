#include "platform/output_check.h"
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>
#include <tensorloom/models/arch/input_error.h>

namespace tensorloom::testbench {

namespace fs = std::filesystem;

void require_writable(const std::string& option, const fs::path& path)
{
    std::error_code ignored;
    const fs::file_status found = fs::status(path, ignored);
    const bool was_there = fs::exists(found);
    if (was_there && !fs::is_regular_file(found) && !fs::is_directory(found)) {
        throw arch::input_error(option + " is '" + path.string() + "', expected a regular file that can be written");
    }
    // O_NONBLOCK: a named pipe without a reader is refused instead of waited for.
    const int file = ::open(path.c_str(), O_WRONLY | O_NONBLOCK | O_CLOEXEC | (was_there ? 0 : O_CREAT | O_EXCL), 0666);
    if (file < 0) {
        throw arch::input_error(option + " is '" + path.string() +
                                "', expected a file that can be written: " + std::strerror(errno));
    }
    ::close(file);
    if (!was_there) { ::unlink(path.c_str()); }
}

void require_distinct(const std::string& output_option, const fs::path& output, const std::string& input_option,
                      const fs::path& input)
{
    std::error_code error;
    if (fs::equivalent(output, input, error) && !error) {
        throw arch::input_error(output_option + " is '" + output.string() + "', expected another file than that of " +
                                input_option);
    }
}

} // namespace tensorloom::testbench
