#include <tensorloom/models/activity/output_file.h>

#include <cerrno>
#include <charconv>
#include <cstring>
#include <filesystem>
#include <unistd.h>
#include <tensorloom/models/arch/input_error.h>

namespace tensorloom::activity {

output_file::output_file(const std::string& path)
    : m_path(path), m_temporary(path + ".tmp" + std::to_string(::getpid()))
{
    std::error_code error;
    const auto status = std::filesystem::status(path, error);
    if (std::filesystem::exists(status) && !std::filesystem::is_regular_file(status)) {
        throw arch::input_error("output '" + path + "' is not a regular file"); // renaming onto it would replace it
    }
    m_file = std::fopen(m_temporary.c_str(), "wb");
    if (m_file == nullptr) { fail("cannot be created"); }
    m_buffer.reserve(flush_size + 4096);
}

output_file::~output_file()
{
    if (m_file == nullptr) { return; }
    std::fclose(m_file);
    std::remove(m_temporary.c_str());
}

output_file& output_file::operator<<(std::uint64_t number)
{
    char text[24];
    const auto end = std::to_chars(text, text + sizeof text, number).ptr;
    return *this << std::string_view(text, static_cast<std::size_t>(end - text));
}

output_file& output_file::operator<<(double number)
{
    char text[32];
    const auto end = std::to_chars(text, text + sizeof text, number).ptr;
    return *this << std::string_view(text, static_cast<std::size_t>(end - text));
}

void output_file::commit()
{
    flush();
    std::FILE* file = m_file;
    m_file = nullptr;
    if (std::fclose(file) != 0 || std::rename(m_temporary.c_str(), m_path.c_str()) != 0) {
        const int error = errno;
        std::remove(m_temporary.c_str());
        errno = error;
        fail("cannot be written");
    }
}

void output_file::flush()
{
    if (std::fwrite(m_buffer.data(), 1, m_buffer.size(), m_file) != m_buffer.size()) { fail("cannot be written"); }
    m_buffer.clear();
}

void output_file::fail(const char* what) const
{
    throw arch::input_error("output '" + m_path + "' " + what + ": " + std::strerror(errno));
}

} // namespace tensorloom::activity
