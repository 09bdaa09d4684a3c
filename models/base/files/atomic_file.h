#pragma once
#include <cstddef>
#include <memory>
#include <string>
#include <vector>

namespace tensorloom::base {

// Files that are written completely or not at all: the contents go to a temporary file in the same folder, which then
// replaces the file.

class temporary_name;

/// Throws input_error when a file cannot be created or replaced there: the folder is missing or read-only, or the path
/// is a directory, a device or a write-protected file. Leaves the folder and an existing file unchanged.
void check_writable(const std::string& path);

/// True when both paths lead to one file, or would if it were created.
bool same_file(const std::string& a, const std::string& b);

/// A file being written. Symbolic links are followed. Without commit() no temporary remains, and an existing file stays
/// unchanged.
class atomic_file {
public:
    /// Checks as check_writable() does. `ending`: of the temporary's name, for writers that require one.
    explicit atomic_file(const std::string& path, const std::string& ending = ".partial");
    ~atomic_file();
    atomic_file(const atomic_file&) = delete;
    atomic_file& operator=(const atomic_file&) = delete;

    /// The path of the temporary; close it before commit().
    const std::string& temporary() const { return m_temporary; }

    /// Replaces the file by the temporary; while a file_transaction is open, leaves this to it. Throws input_error on
    /// failure.
    void commit();
    /// Replaces the file now, also while a file_transaction is open: for a file that stays whatever comes later.
    void commit_at_once();

    /// An input_error that this file cannot be written, with the reason.
    [[noreturn]] void fail(const std::string& why) const;

private:
    std::string m_path;
    std::string m_target; // with links resolved
    std::string m_temporary;
    std::unique_ptr<temporary_name> m_registered; // for remove_temporaries()
};

/// Files of this process that replace their targets together or not at all: while the object lives, every
/// atomic_file::commit() keeps its finished temporary. Of nested ones the innermost has the files.
class file_transaction {
public:
    file_transaction();
    /// Removes the temporaries of files that commit() has not replaced.
    ~file_transaction();
    file_transaction(const file_transaction&) = delete;
    file_transaction& operator=(const file_transaction&) = delete;

    /// Replaces all files, in the order of their commits; signals wait meanwhile. Throws input_error when a file cannot
    /// be replaced; those before it have been.
    void commit();

private:
    friend class atomic_file;
    struct finished_file;

    std::vector<finished_file> m_finished;
};

/// A directory that exists afterwards, with those above it. Those that were created are removed with the object, or
/// on a signal, if nothing was written into them.
class created_directory {
public:
    /// Throws std::filesystem::filesystem_error.
    explicit created_directory(const std::string& path);
    ~created_directory();
    created_directory(const created_directory&) = delete;
    created_directory& operator=(const created_directory&) = delete;

private:
    created_directory() = default;

    std::vector<std::unique_ptr<temporary_name>> m_created; // the innermost last
};

/// An exclusive lock of a directory among processes, released with the object or at the end of the process. Has no
/// effect on file systems without locks.
class directory_lock {
public:
    /// Throws input_error when another process or object holds it.
    explicit directory_lock(const std::string& path);
    ~directory_lock();
    directory_lock(const directory_lock&) = delete;
    directory_lock& operator=(const directory_lock&) = delete;

private:
    int m_descriptor;
};

/// Removes the temporaries of all files being written, and created directories without content. May be called in a
/// signal handler; the program must end afterwards.
void remove_temporaries() noexcept;

/// For main() alone, before any file is written: libraries leave signals to their users. External signals that end the
/// program (SIGHUP, SIGINT, SIGQUIT, SIGPIPE, SIGTERM, SIGXCPU) and are neither ignored nor handled remove the
/// temporaries first and then end it as usual. SIGXFSZ is ignored: exceeding the file size limit is a write error.
void remove_temporaries_on_signals();

/// All bytes of a file. Throws input_error when it is a pipe, cannot be read or is longer than `most` bytes.
std::string read_whole_file(const std::string& path, std::size_t most);

/// Replaces the contents of a file completely, or leaves it unchanged and throws input_error.
void write_whole_file(const std::string& path, const std::string& bytes);
/// Likewise at once, also while a file_transaction is open.
void write_whole_file_at_once(const std::string& path, const std::string& bytes);

} // namespace tensorloom::base
