#pragma once
#include <cstdint>
#include <cstdio>
#include <string>
#include <string_view>
#include <tensorloom/models/base/files/atomic_file.h>

namespace tensorloom::activity {

/// A text file that is written completely or not at all (base/files/atomic_file.h). All failures are base::input_error.
///
/// Numbers have as many digits as needed to read the same number back (17 at most), independent of the locale.
///
/// Example
///
///     activity::output_file file("out/table.csv");
///     file << "step,power_mW\n" << 0u << "," << 1.5 << "\n";
///     file.commit();
class output_file {
public:
    explicit output_file(const std::string& path);
    ~output_file();
    output_file(const output_file&) = delete;
    output_file& operator=(const output_file&) = delete;

    output_file& operator<<(std::string_view text)
    {
        m_buffer += text;
        if (m_buffer.size() >= flush_size) { flush(); }
        return *this;
    }
    output_file& operator<<(const char* text) { return *this << std::string_view(text); }
    output_file& operator<<(std::uint64_t number);
    output_file& operator<<(std::uint32_t number) { return *this << std::uint64_t{number}; }
    output_file& operator<<(double number);

    void commit();

private:
    static constexpr std::size_t flush_size = 1 << 16;

    void flush();

    base::atomic_file m_place;
    std::FILE* m_file = nullptr;
    std::string m_buffer;
};

/// A cell of a CSV file (RFC 4180), quoted where necessary.
inline std::string csv_text(std::string_view text)
{
    if (text.find_first_of(",\"\r\n") == std::string_view::npos) { return std::string(text); }
    std::string quoted = "\"";
    for (const char c : text) { quoted += c == '"' ? std::string("\"\"") : std::string(1, c); }
    return quoted + "\"";
}

} // namespace tensorloom::activity
