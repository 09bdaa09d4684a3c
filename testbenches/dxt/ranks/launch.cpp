#include "dxt/ranks/launch.h"
#include <array>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <stdexcept>
#include <string>
#include <vector>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>
#include <tensorloom/models/base/values/input_error.h>
#include "platform/process/main.h"
#include "platform/process/progress.h"

namespace tensorloom::testbench {
namespace {

constexpr int no_mpirun = 127; // as a shell says it

// What Open MPI asks for on one machine, unless the user has set it; other launchers ignore it.
void set_launcher_defaults(bool shows_progress)
{
    const bool is_root = ::geteuid() == 0;
    for (const char* allowed : {"OMPI_ALLOW_RUN_AS_ROOT", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM"}) {
        if (is_root) { ::setenv(allowed, "1", 0); }
    }
    ::setenv("OMPI_MCA_rmaps_base_oversubscribe", "1", 0);     // more ranks than cores
    ::setenv("OMPI_MCA_hwloc_base_binding_policy", "none", 0); // --threads, other load
    if (shows_progress) { ::setenv(progress_variable, "1", 1); }
}

[[noreturn]] void become_mpirun(const std::vector<std::string>& command, int errors)
{
    ::prctl(PR_SET_PDEATHSIG, SIGTERM); // ends with its parent
    ::dup2(errors, STDERR_FILENO);
    ::close(errors);
    std::vector<char*> arguments;
    for (const auto& word : command) { arguments.push_back(const_cast<char*>(word.c_str())); }
    arguments.push_back(nullptr);
    ::execvp(arguments[0], arguments.data());
    ::_exit(no_mpirun);
}

// Takes what the ranks and mpirun write on stderr: progress, errors of ranks; not what mpirun adds to them.
class rank_messages {
public:
    rank_messages(const char* program, bool quiet) : m_program(program), m_progress(quiet) {}
    bool shows_progress() const { return m_progress.active(); }
    void read_all(int from)
    {
        FILE* lines = ::fdopen(from, "r");
        char* text = nullptr;
        std::size_t capacity = 0;
        for (ssize_t length; (length = ::getline(&text, &capacity, lines)) > 0;) {
            take(std::string(text, static_cast<std::size_t>(length)));
        }
        std::free(text);
        std::fclose(lines);
        m_progress.erase();
    }
    bool any() const { return m_any; }

private:
    void take(const std::string& line)
    {
        const std::string start = std::string(rank_program) + ": ";
        if (line[0] == '@') {
            const std::size_t blank = line.find(' '), end = line.find('\n');
            if (blank == std::string::npos) { return m_progress.erase(); }
            m_progress.show(std::strtod(line.c_str() + 1, nullptr), line.substr(blank + 1, end - blank - 1));
        } else if (line.rfind(start, 0) == 0) {
            m_progress.erase();
            std::fprintf(stderr, "%s: %s", m_program, line.c_str() + start.size());
            m_any = true;
        }
    }

    const char* m_program;
    progress m_progress;
    bool m_any = false;
};

std::string program_beside_this_one()
{
    std::error_code error;
    const auto self = std::filesystem::read_symlink("/proc/self/exe", error);
    const auto program = self.parent_path() / rank_program;
    if (error || !std::filesystem::exists(program)) {
        throw base::input_error(
            "--ranks: this build has no MPI, expected scripts/setup --mpi and then cmake -D TENSORLOOM_MPI=ON");
    }
    return program.string();
}

int status_of(int wait_status)
{
    return WIFEXITED(wait_status) ? WEXITSTATUS(wait_status) : 128 + WTERMSIG(wait_status);
}

} // namespace

int launch_ranks(const dxt_options& options, int argc, char** argv)
{
    std::vector<std::string> command{"mpirun", "-n", std::to_string(options.ranks.count), program_beside_this_one()};
    command.insert(command.end(), argv + 1, argv + argc);
    rank_messages messages("dxt", options.common.quiet);
    set_launcher_defaults(messages.shows_progress());
    std::array<int, 2> errors{};
    std::fflush(stdout);
    if (::pipe(errors.data()) != 0) { throw std::runtime_error("cannot create the pipe to mpirun"); }
    const pid_t child = ::fork();
    if (child == 0) {
        ::close(errors[0]);
        become_mpirun(command, errors[1]);
    }
    ::close(errors[1]);
    if (child < 0) { throw std::runtime_error("cannot create the process of mpirun"); }
    messages.read_all(errors[0]);
    int ended = 0;
    while (::waitpid(child, &ended, 0) < 0 && errno == EINTR) {}
    const int status = status_of(ended);
    if (status == no_mpirun) {
        throw base::input_error("--ranks: no mpirun found, expected scripts/setup --mpi to install it");
    }
    if (status <= exit_bad_input || messages.any()) { return std::min<int>(status, exit_internal); }
    const std::string resume = options.ranks.checkpoint ? "; --resume continues after the last complete stage in " +
                                                              base::in_quotes(*options.ranks.checkpoint)
                                                        : "";
    throw std::runtime_error("a rank ended early (status " + std::to_string(status) + " of mpirun)" + resume);
}

} // namespace tensorloom::testbench
