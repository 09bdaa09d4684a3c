#include "platform/output_directory.h"
#include <system_error>
#include <tensorloom/models/arch/values/input_error.h>
#include <tensorloom/models/arch/files/atomic_file.h>

namespace tensorloom::testbench {

namespace {

// Those on the way to a directory that are not there yet, the innermost last.
std::vector<std::filesystem::path> missing_directories(const std::filesystem::path& path)
{
    std::vector<std::filesystem::path> missing;
    std::filesystem::path so_far;
    std::error_code error;
    for (const auto& part : path) {
        so_far /= part;
        if (!part.empty() && !std::filesystem::exists(so_far, error)) { missing.push_back(so_far); }
    }
    return missing;
}

} // namespace

output_directory::output_directory(const std::string& path, const std::vector<std::string>& more)
    : m_path(path), m_created(missing_directories(path))
{
    std::error_code error;
    std::filesystem::create_directories(m_path, error);
    if (!error && !std::filesystem::is_directory(m_path, error) && !error) {
        error = std::make_error_code(std::errc::not_a_directory);
    }
    if (error) {
        throw arch::input_error("--out is '" + path +
                                "', expected a directory that can be written: " + error.message());
    }
    try {
        for (const char* name : file_names) { arch::check_writable(file(name).string()); }
        for (const auto& name : more) { arch::check_writable(file(name).string()); }
    } catch (const arch::input_error& e) {
        throw arch::input_error(std::string("--out: ") + e.what());
    }
}

output_directory::~output_directory()
{
    std::error_code not_empty;
    for (auto made = m_created.rbegin(); made != m_created.rend() && std::filesystem::remove(*made, not_empty);
         ++made) {}
}

} // namespace tensorloom::testbench
