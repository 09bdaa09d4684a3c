#include <tensorloom/models/base/files/atomic_file.h>
#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <filesystem>
#include <fcntl.h>
#include <fstream>
#include <optional>
#include <random>
#include <sys/file.h>
#include <system_error>
#include <unistd.h>
#include <utility>
#include <tensorloom/models/base/values/input_error.h>

namespace tensorloom::base {

namespace fs = std::filesystem;

namespace {

// Names of this process's temporaries, for signal handlers, which may neither lock nor allocate. Slots are added and
// never freed; the thread that takes a name out of a slot owns it.
struct temporary_place {
    std::atomic<char*> name{nullptr};
    temporary_place* next = nullptr;
};
std::atomic<temporary_place*> temporaries{nullptr};
static_assert(std::atomic<char*>::is_always_lock_free && std::atomic<temporary_place*>::is_always_lock_free);

} // namespace

// Registers a temporary file, or a directory to be removed if it is empty, for as long as the object lives.
class temporary_name {
public:
    explicit temporary_name(const std::string& path)
    {
        char* const name = new char[path.size() + 1];
        std::memcpy(name, path.c_str(), path.size() + 1);
        for (m_place = temporaries; m_place != nullptr; m_place = m_place->next) {
            char* nobody = nullptr;
            if (m_place->name.compare_exchange_strong(nobody, name)) { return; }
        }
        m_place = new temporary_place;
        m_place->name = name;
        m_place->next = temporaries;
        while (!temporaries.compare_exchange_weak(m_place->next, m_place)) {}
    }
    ~temporary_name() { delete[] m_place->name.exchange(nullptr); }
    temporary_name(const temporary_name&) = delete;
    temporary_name& operator=(const temporary_name&) = delete;

    std::string name() const
    {
        const char* const name = m_place->name;
        return name != nullptr ? name : "";
    }

private:
    temporary_place* m_place;
};

struct file_transaction::finished_file {
    std::string path;
    std::string target;
    std::string temporary;
    std::unique_ptr<temporary_name> registered;
};

namespace {

std::vector<file_transaction*> open_transactions; // the innermost last

[[noreturn]] void refuse(const std::string& path, const std::string& found)
{
    throw input_error(path + ": cannot be written: " + found + ", expected a file that can be created");
}

std::string last_error() { return std::generic_category().message(errno); }

// An unused name in the same folder; its length does not depend on that of the target.
std::string temporary_beside(const fs::path& target, const std::string& ending)
{
    std::random_device entropy;
    for (;;) {
        const fs::path candidate = target.parent_path() / (".tensorloom-" + std::to_string(entropy()) + ending);
        if (!fs::exists(fs::symlink_status(candidate))) { return candidate.string(); }
    }
}

// The path with symbolic links resolved.
fs::path resolved(const std::string& path)
{
    std::error_code error;
    if (!fs::is_symlink(fs::symlink_status(path, error))) { return path; }
    const fs::path target = fs::canonical(path, error);
    if (error) { refuse(path, "it is a dangling symbolic link"); }
    return target;
}

// Handles an external signal that ends the program: SA_RESETHAND has restored the default action, which follows when
// this returns.
extern "C" void remove_temporaries_and_end(int signal)
{
    remove_temporaries();
    raise(signal);
}

void probe_creation(const std::string& path, const fs::path& probe)
{
    const temporary_name registered(probe.string());
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
    const fs::path target = resolved(path);
    std::error_code error;
    const fs::file_status status = fs::status(target, error);
    if (fs::is_directory(status)) { refuse(path, "it is a directory"); }
    if (!target.has_filename()) { refuse(path, "it names a directory"); }
    const fs::path folder = target.has_parent_path() ? target.parent_path() : fs::path(".");
    if (!fs::is_directory(folder, error)) {
        const bool missing = !error || error == std::errc::no_such_file_or_directory;
        refuse(path, missing ? "there is no directory " + folder.string() : error.message());
    }
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
    m_target = resolved(path).string();
    m_temporary = temporary_beside(m_target, ending);
    m_registered = std::make_unique<temporary_name>(m_temporary);
}

atomic_file::~atomic_file()
{
    std::error_code ignored;
    if (!m_temporary.empty()) { fs::remove(m_temporary, ignored); }
}

namespace {

void replace(const std::string& path, const std::string& target, const std::string& temporary)
{
    std::error_code error;
    fs::rename(temporary, target, error);
    if (error) { refuse(path, error.message()); }
}

} // namespace

void atomic_file::commit_at_once() { replace(m_path, m_target, m_temporary); }

void atomic_file::commit()
{
    if (open_transactions.empty()) { return commit_at_once(); }
    open_transactions.back()->m_finished.push_back({m_path, m_target, std::move(m_temporary), std::move(m_registered)});
    m_temporary.clear();
}

void atomic_file::fail(const std::string& why) const { refuse(m_path, why); }

file_transaction::file_transaction() { open_transactions.push_back(this); }

file_transaction::~file_transaction()
{
    open_transactions.pop_back();
    std::error_code ignored;
    for (const auto& file : m_finished) { fs::remove(file.temporary, ignored); }
}

void file_transaction::commit()
{
    sigset_t all;
    sigset_t before;
    sigfillset(&all);
    pthread_sigmask(SIG_BLOCK, &all, &before);
    const auto finished = std::move(m_finished);
    std::optional<input_error> failure;
    std::error_code ignored;
    for (const auto& file : finished) {
        try {
            if (!failure) { replace(file.path, file.target, file.temporary); }
        } catch (const input_error& e) {
            failure = e;
        }
        if (failure) { fs::remove(file.temporary, ignored); }
    }
    pthread_sigmask(SIG_SETMASK, &before, nullptr);
    if (failure) { throw *failure; }
}

created_directory::created_directory(const std::string& path) : created_directory()
{ // the object is complete: its destructor runs also when this fails
    fs::path so_far;
    std::error_code error;
    for (const auto& part : fs::path(path)) {
        so_far /= part;
        if (!part.empty() && fs::create_directory(so_far, error)) {
            m_created.push_back(std::make_unique<temporary_name>(so_far.string()));
        }
    }
    fs::create_directories(path);
}

created_directory::~created_directory()
{
    std::error_code not_empty;
    for (auto made = m_created.rbegin(); made != m_created.rend() && fs::remove((*made)->name(), not_empty); ++made) {}
}

directory_lock::directory_lock(const std::string& path) : m_descriptor(open(path.c_str(), O_RDONLY | O_CLOEXEC))
{
    if (m_descriptor >= 0 && flock(m_descriptor, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK) {
        close(m_descriptor);
        throw input_error("'" + path + "' is being written by another run, expected another directory");
    }
}

directory_lock::~directory_lock()
{
    if (m_descriptor >= 0) { close(m_descriptor); }
}

void remove_temporaries() noexcept
{
    for (temporary_place* place = temporaries; place != nullptr; place = place->next) {
        char* const name = place->name.exchange(nullptr);
        if (name != nullptr && unlink(name) != 0 && errno == EISDIR) { place->name = name; }
    }
    for (bool removed = true; removed;) { // a directory can be removed once those in it are
        removed = false;
        for (temporary_place* place = temporaries; place != nullptr; place = place->next) {
            char* const name = place->name.exchange(nullptr);
            if (name == nullptr) { continue; }
            if (rmdir(name) == 0) {
                removed = true;
            } else if (errno == ENOTEMPTY) {
                place->name = name;
            }
        }
    }
}

void remove_temporaries_on_signals()
{
    constexpr int ending[] = {SIGHUP, SIGINT, SIGQUIT, SIGPIPE, SIGTERM, SIGXCPU};
    struct sigaction action = {};
    action.sa_handler = remove_temporaries_and_end;
    action.sa_flags = static_cast<int>(SA_RESETHAND);
    sigemptyset(&action.sa_mask);
    for (const int signal : ending) { sigaddset(&action.sa_mask, signal); }
    for (const int signal : ending) {
        struct sigaction before = {};
        if (sigaction(signal, nullptr, &before) == 0 && before.sa_handler == SIG_DFL) {
            sigaction(signal, &action, nullptr);
        }
    }
    struct sigaction ignore = {};
    ignore.sa_handler = SIG_IGN;
    sigemptyset(&ignore.sa_mask);
    sigaction(SIGXFSZ, &ignore, nullptr);
}

std::string read_whole_file(const std::string& path, std::size_t most)
{
    std::error_code ignored;
    const auto status = fs::status(path, ignored);
    if (fs::is_fifo(status) || fs::is_socket(status)) { // opening would wait for a writer
        throw input_error(path + ": found a pipe, expected a file");
    }
    errno = 0; // of the open or the read that fails
    std::ifstream file(path, std::ios::binary);
    std::string bytes;
    char piece[4096];
    while (file.read(piece, sizeof piece) || file.gcount() > 0) {
        bytes.append(piece, static_cast<std::size_t>(file.gcount()));
        if (bytes.size() > most) {
            throw input_error(path + ": found a longer file, expected at most " + std::to_string(most) + " bytes");
        }
    }
    if (!file.eof()) {
        const auto reason = errno == 0 ? "" : " (" + std::generic_category().message(errno) + ")";
        throw input_error(path + ": cannot be read" + reason + ", expected a file");
    }
    return bytes;
}

namespace {

void write(const atomic_file& file, const std::string& bytes)
{
    std::ofstream to(file.temporary(), std::ios::binary);
    to << bytes;
    to.close();
    if (!to) { file.fail("write error"); }
}

} // namespace

void write_whole_file(const std::string& path, const std::string& bytes)
{
    atomic_file file(path);
    write(file, bytes);
    file.commit();
}

void write_whole_file_at_once(const std::string& path, const std::string& bytes)
{
    atomic_file file(path);
    write(file, bytes);
    file.commit_at_once();
}

} // namespace tensorloom::base
