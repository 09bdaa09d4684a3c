#include "platform/output_directory.h"
#include <system_error>
#include <tensorloom/models/arch/input_error.h>
#include <tensorloom/models/arch/replaced_file.h>

namespace tensorloom::testbench {

output_directory::output_directory(const std::string& path, const std::vector<std::string>& more) : m_path(path)
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

} // namespace tensorloom::testbench
