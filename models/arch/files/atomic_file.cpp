#include <tensorloom/models/arch/files/atomic_file.h>
#include <cerrno>
#include <filesystem>
#include <fstream>
#include <random>
#include <system_error>
#include <tensorloom/models/arch/values/input_error.h>

namespace tensorloom::arch {

namespace fs = std::filesystem;

namespace {

[[noreturn]] void refuse(const std::string& path, const std::string& found)
{
    throw input_error(path + ": cannot be written: " + found + ", expected a file that can be created");
}

std::string last_error() { return std::generic_category().message(errno); }

// A name in the same folder that nobody else uses; its length does not depend on that of the target.
std::string temporary_beside(const fs::path& target, const std::string& ending)
{
    std::random_device entropy;
    for (;;) {
        const fs::path candidate = target.parent_path() / (".tensorloom-" + std::to_string(entropy()) + ending);
        if (!fs::exists(fs::symlink_status(candidate))) { return candidate.string(); }
    }
}

// The file behind the path: a link stands for what it leads to.
fs::path behind_links(const std::string& path)
{
    std::error_code error;
    if (!fs::is_symlink(fs::symlink_status(path, error))) { return path; }
    const fs::path target = fs::canonical(path, error);
    if (error) { refuse(path, "it is a link that leads nowhere"); }
    return target;
}

void probe_creation(const std::string& path, const fs::path& probe)
{
    errno = 0;
    const bool created = std::ofstream(probe, std::ios::binary | std::ios::app).good();
    const std::string reason = last_error();
    std::error_code ignored;
    fs::remove(probe, ignored);
    if (!created) { refuse(path, reason); }
}

} // namespace

void check_writable(const std::string& path)
{
    if (path.empty()) { refuse("''", "the path is empty"); }
    const fs::path target = behind_links(path);
    std::error_code error;
    const fs::file_status status = fs::status(target, error);
    if (fs::is_directory(status)) { refuse(path, "it is a directory"); }
    if (!target.has_filename()) { refuse(path, "it names a directory"); }
    const fs::path folder = target.has_parent_path() ? target.parent_path() : fs::path(".");
    if (!fs::is_directory(folder, error)) { refuse(path, "there is no directory " + folder.string()); }
    if (!fs::exists(status)) { return probe_creation(path, target); }

    if (!fs::is_regular_file(status)) { refuse(path, "it is a device or a pipe"); }
    errno = 0;
    if (!std::ofstream(target, std::ios::binary | std::ios::app)) { refuse(path, last_error()); }
    probe_creation(path, temporary_beside(target, ".partial")); // replacing needs a new file in the folder
}

bool same_file(const std::string& a, const std::string& b)
{
    std::error_code error;
    if (fs::equivalent(a, b, error)) { return true; }
    const fs::path canonical_a = fs::weakly_canonical(fs::absolute(a, error), error);
    const fs::path canonical_b = fs::weakly_canonical(fs::absolute(b, error), error);
    return !canonical_a.empty() && canonical_a == canonical_b;
}

atomic_file::atomic_file(const std::string& path, const std::string& ending) : m_path(path)
{
    check_writable(path);
    m_target = behind_links(path).string();
    m_temporary = temporary_beside(m_target, ending);
}

atomic_file::~atomic_file()
{
    std::error_code ignored;
    fs::remove(m_temporary, ignored);
}

void atomic_file::commit()
{
    std::error_code error;
    fs::rename(m_temporary, m_target, error);
    if (error) { fail(error.message()); }
}

void atomic_file::fail(const std::string& why) const { refuse(m_path, why); }

} // namespace tensorloom::arch
