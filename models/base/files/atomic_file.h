#pragma once
#include <cstddef>
#include <memory>
#include <string>

namespace tensorloom::base {

// Files are there whole or not at all: everything is written under another name beside the file, which then takes its
// place.

/// Throws input_error when a file could not be created or replaced there: a folder that is missing or may not be
/// written, a directory, a device, a file that is write-protected. Leaves the folder and an existing file as they were.
void check_writable(const std::string& path);

/// True when both paths lead to one file, or would if it were created.
bool same_file(const std::string& a, const std::string& b);

class temporary_name;

/// A file on its way to its place. A link is followed. Without commit() nothing is left behind, and an older file stays
/// as it was.
class atomic_file {
public:
    /// Checks as check_writable() does. `ending`: of the temporary name, for writers that insist on one.
    explicit atomic_file(const std::string& path, const std::string& ending = ".partial");
    ~atomic_file();
    atomic_file(const atomic_file&) = delete;
    atomic_file& operator=(const atomic_file&) = delete;

    /// Where to write; closed before commit().
    const std::string& temporary() const { return m_temporary; }

    /// Puts the file into its place. Throws input_error when that fails.
    void commit();

    /// An input_error that says that this file cannot be written, and why.
    [[noreturn]] void fail(const std::string& why) const;

private:
    std::string m_path;
    std::string m_target; // behind links
    std::string m_temporary;
    std::unique_ptr<temporary_name> m_registered; // for remove_temporaries()
};

/// Removes the temporaries of all files on their way. Safe in a handler of signals; the program ends after it.
void remove_temporaries() noexcept;

/// For main() alone, before there are files: a library leaves signals to its user. Signals from outside that end the
/// program (SIGHUP, SIGINT, SIGQUIT, SIGPIPE, SIGTERM, SIGXCPU), unless they are ignored or handled already, remove the
/// temporaries first and then end it as ever. SIGXFSZ is ignored: a file that outgrows the limit is a write error.
void remove_temporaries_on_signals();

/// All bytes of a file. Throws input_error when it is a pipe, cannot be read or is longer than `most` bytes.
std::string read_whole_file(const std::string& path, std::size_t most);

/// Makes these the bytes of a file: all of them, or the file stays as it was. Throws input_error when
/// that fails.
void write_whole_file(const std::string& path, const std::string& bytes);

} // namespace tensorloom::base
