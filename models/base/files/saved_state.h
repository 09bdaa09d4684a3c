#pragma once
#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <iosfwd>
#include <string>
#include <string_view>
#include <utility>
#include <vector>
#include <tensorloom/models/base/files/sha256.h>
#include <tensorloom/models/base/values/byte_layout.h>
#include <tensorloom/models/base/values/config_fields.h>

namespace tensorloom::base {

// The state of a model, saved in a stream. Numbers are little-endian.
//
//     magic          8    "TL-STATE"
//     format         4    saved_state_format
//     kind          32    of the model: ASCII, padded with 0
//     configuration 32    SHA-256 of configuration_text()
//     content             pieces: their length (4; 1 to 65536) and bytes; a length of 0 (4) after the last
//     check         32    SHA-256 of everything before it
//
// A state marks its own end: several may follow each other in one stream.

inline constexpr std::uint32_t saved_state_format = 1;

/// The configuration in saved states: a line "name=value" for each field.
template <class Config> std::string configuration_text(const Config& config)
{
    std::string text;
    for (const auto& [name, value] : list(config)) { text += name + "=" + value + "\n"; }
    return text;
}

/// Writes a state. Stream failures are reported by finish().
class state_writer {
public:
    /// `kind`: at most 32 characters.
    state_writer(std::ostream& to, std::string_view kind, std::string_view configuration);

    template <class T> void put(T number)
    {
        std::array<std::uint8_t, sizeof(T)> bytes;
        store_le(bytes.data(), number);
        put_bytes(bytes.data(), bytes.size());
    }
    void put_bytes(const unsigned char* bytes, std::size_t count);

    /// Writes this number of bytes, most of which equal `background`: only pages with other bytes are written.
    /// `page(address, count)` returns those bytes, valid until the next call; nullptr: all are background.
    void put_sparse(std::uint64_t bytes, unsigned char background,
                    const std::function<const unsigned char*(std::uint64_t address, std::uint64_t count)>& page);

    /// Throws input_error when the stream has failed.
    void finish();

private:
    void emit(const unsigned char* bytes, std::size_t count);
    void emit_piece();

    std::ostream& m_to;
    sha256 m_hash;
    std::vector<unsigned char> m_piece;
};

/// Reads a state, which is completely read and checked before use. Everything here throws input_error: one line with
/// what was found and what was expected.
class state_reader {
public:
    /// Reads one state from the stream; it must be of this kind and configuration.
    state_reader(std::istream& from, std::string_view kind, std::string_view configuration);

    template <class T> T take() { return load_le<T>(take_bytes(sizeof(T))); }
    /// Valid as long as the reader.
    const unsigned char* take_bytes(std::size_t count);
    /// Reads a value written by put(), which must equal this.
    template <class T> void expect(T number, const char* what)
    {
        const T found = take<T>();
        if (found != number) { fail(what, std::to_string(found), std::to_string(number)); }
    }

    /// Reads the pages with other bytes than background, in ascending order; the last page may be shorter.
    struct sparse_page {
        std::uint64_t address;
        std::uint64_t count;
        const unsigned char* bytes;
    };
    std::vector<sparse_page> take_sparse(std::uint64_t bytes);

    /// Checks that everything has been read.
    void finish() const;

    [[noreturn]] static void fail(const std::string& what, const std::string& found, const std::string& expected);

private:
    void read_header(std::istream& from, std::string_view kind, std::string_view configuration);
    void read_content(std::istream& from);
    void read(std::istream& from, unsigned char* to, std::size_t count);

    sha256 m_hash;
    std::vector<unsigned char> m_content;
    std::size_t m_taken = 0;
};

} // namespace tensorloom::base
