#include <tensorloom/workloads/input_file.h>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <system_error>
#include <tensorloom/models/base/files/yaml_document.h>
#include <tensorloom/models/base/values/input_error.h>

namespace tensorloom::workloads {

std::uint64_t input_file_bytes(const std::string& path, const std::string& expected)
{
    namespace fs = std::filesystem;
    const auto refuse = [&](const std::string& found) {
        throw base::input_error(path + ": " + found + ", expected " + expected);
    };
    std::error_code error;
    const fs::file_status status = fs::status(path, error);
    if (status.type() == fs::file_type::not_found) { refuse("no such file"); }
    if (error) { refuse("cannot be read (" + error.message() + ")"); }
    if (fs::is_directory(status)) { refuse("is a directory"); }
    if (!fs::is_regular_file(status)) { refuse("is a device or a pipe"); }
    const std::uintmax_t bytes = fs::file_size(path, error);
    if (error) { refuse("cannot be read (" + error.message() + ")"); }
    if (bytes == 0) { refuse("is empty"); }
    return bytes;
}

std::string yaml_file_text(const std::string& path, const std::string& expected)
{
    const auto bytes = input_file_bytes(path, expected);
    if (bytes > base::largest_yaml_file) {
        throw base::input_error("'" + path + "' has " + std::to_string(bytes) + " bytes, expected at most 1 MiB");
    }
    std::ostringstream text;
    text << std::ifstream(path, std::ios::binary).rdbuf();
    return text.str();
}

std::string quoted(std::string_view text)
{
    constexpr std::size_t longest = 40;
    std::string result = "'";
    for (const char c : text.substr(0, longest)) { result += c >= ' ' && c <= '~' ? c : '?'; }
    return result + (text.size() > longest ? "...'" : "'");
}

} // namespace tensorloom::workloads
