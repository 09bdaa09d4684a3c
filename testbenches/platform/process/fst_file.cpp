#include "platform/process/fst_file.h"
#include <cerrno>
#include <cstdlib>
#include <filesystem>
#include <sstream>
#include <system_error>
#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>
#include <tensorloom/models/base/values/input_error.h>

namespace tensorloom::testbench {
namespace {

constexpr const char* converter = "vcd2fst";

// Runs the converter without its output; whether it ended well.
bool converted(std::string from, std::string to)
{
    std::string program = converter;
    char* arguments[] = {program.data(), from.data(), to.data(), nullptr};
    posix_spawn_file_actions_t quiet;
    posix_spawn_file_actions_init(&quiet);
    posix_spawn_file_actions_addopen(&quiet, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
    posix_spawn_file_actions_addopen(&quiet, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
    pid_t child = 0;
    const bool started = ::posix_spawnp(&child, converter, &quiet, nullptr, arguments, ::environ) == 0;
    posix_spawn_file_actions_destroy(&quiet);
    if (!started) { return false; }
    int status = 1;
    while (::waitpid(child, &status, 0) < 0 && errno == EINTR) {}
    return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

} // namespace

bool is_fst(const std::string& path) { return std::filesystem::path(path).extension() == ".fst"; }

void require_fst_converter(const std::string& path)
{
    if (!is_fst(path)) { return; }
    const char* folders = std::getenv("PATH");
    std::istringstream all(folders != nullptr ? folders : "");
    for (std::string folder; std::getline(all, folder, ':');) {
        if (::access((folder + "/" + converter).c_str(), X_OK) == 0) { return; }
    }
    throw base::input_error("--vcd is '" + path + "', found no " + converter +
                            " in PATH, which makes files in FST, expected GTKWave to be installed, or another ending");
}

bool convert_to_fst(const std::string& path)
{
    const std::string made = path + ".fst";
    std::error_code failed;
    if (converted(path, made)) {
        std::filesystem::rename(made, path, failed);
        if (!failed) { return true; }
    }
    std::filesystem::remove(made, failed);
    return false;
}

} // namespace tensorloom::testbench
