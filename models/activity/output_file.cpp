#include <tensorloom/models/activity/output_file.h>

#include <cerrno>
#include <charconv>
#include <cstring>

namespace tensorloom::activity {

output_file::output_file(const std::string& path) : m_place(path)
{
    m_file = std::fopen(m_place.temporary().c_str(), "wb");
    if (m_file == nullptr) { m_place.fail(std::strerror(errno)); }
    m_buffer.reserve(flush_size + 4096);
}

output_file::~output_file()
{
    if (m_file != nullptr) { std::fclose(m_file); }
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
    if (std::fclose(file) != 0) { m_place.fail(std::strerror(errno)); }
    m_place.commit();
}

void output_file::flush()
{
    if (std::fwrite(m_buffer.data(), 1, m_buffer.size(), m_file) != m_buffer.size()) {
        m_place.fail(std::strerror(errno));
    }
    m_buffer.clear();
}

} // namespace tensorloom::activity
