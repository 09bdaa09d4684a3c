#include <tensorloom/models/base/files/saved_state.h>
#include <algorithm>
#include <cstring>
#include <istream>
#include <ostream>
#include <tensorloom/models/base/values/input_error.h>

namespace tensorloom::base {
namespace {

constexpr std::string_view magic = "TL-STATE";
constexpr std::size_t kind_bytes = 32;
constexpr std::size_t most_in_piece = 65536;
constexpr std::uint64_t page_bytes = 4096;
constexpr std::uint64_t no_more_pages = UINT64_MAX;

const unsigned char* bytes_of(std::string_view text) { return reinterpret_cast<const unsigned char*>(text.data()); }
std::string_view text_of(const unsigned char* bytes, std::size_t count)
{
    return {reinterpret_cast<const char*>(bytes), count};
}

std::string filled_up(std::string_view kind)
{
    std::string name(kind.substr(0, kind_bytes));
    name.resize(kind_bytes, '\0');
    return name;
}

sha256::digest_type hash_of(std::string_view text)
{
    sha256 hash;
    hash.add(text);
    return hash.digest();
}

bool is_background(const unsigned char* bytes, std::uint64_t count, unsigned char background)
{
    return bytes[0] == background && std::memcmp(bytes, bytes + 1, count - 1) == 0;
}

} // namespace

// ---- writing ----

state_writer::state_writer(std::ostream& to, std::string_view kind, std::string_view configuration) : m_to(to)
{
    emit(bytes_of(magic), magic.size());
    std::uint8_t format[4];
    store_le(format, saved_state_format);
    emit(format, sizeof format);
    emit(bytes_of(filled_up(kind)), kind_bytes);
    const auto hash = hash_of(configuration);
    emit(hash.data(), hash.size());
}

void state_writer::emit(const unsigned char* bytes, std::size_t count)
{
    m_hash.add(text_of(bytes, count));
    m_to.write(reinterpret_cast<const char*>(bytes), static_cast<std::streamsize>(count));
}

void state_writer::emit_piece()
{
    std::uint8_t count[4];
    store_le(count, static_cast<std::uint32_t>(m_piece.size()));
    emit(count, sizeof count);
    emit(m_piece.data(), m_piece.size());
    m_piece.clear();
}

void state_writer::put_bytes(const unsigned char* bytes, std::size_t count)
{
    while (count > 0) {
        const std::size_t now = std::min(count, most_in_piece - m_piece.size());
        m_piece.insert(m_piece.end(), bytes, bytes + now);
        bytes += now;
        count -= now;
        if (m_piece.size() == most_in_piece) { emit_piece(); }
    }
}

void state_writer::put_sparse(std::uint64_t bytes, unsigned char background,
                              const std::function<const unsigned char*(std::uint64_t, std::uint64_t)>& page)
{
    for (std::uint64_t address = 0; address < bytes; address += page_bytes) {
        const std::uint64_t count = std::min(page_bytes, bytes - address);
        const unsigned char* const found = page(address, count);
        if (found == nullptr || is_background(found, count, background)) { continue; }
        put(address);
        put_bytes(found, count);
    }
    put(no_more_pages);
}

void state_writer::finish()
{
    if (!m_piece.empty()) { emit_piece(); }
    emit_piece(); // an empty piece marks the end
    const auto hash = m_hash.digest();
    m_to.write(reinterpret_cast<const char*>(hash.data()), static_cast<std::streamsize>(hash.size()));
    if (!m_to.flush()) { throw input_error("saved state: the stream cannot be written"); }
}

// ---- reading ----

void state_reader::fail(const std::string& what, const std::string& found, const std::string& expected)
{
    throw input_error("saved state: " + what + " is " + found + ", expected " + expected);
}

state_reader::state_reader(std::istream& from, std::string_view kind, std::string_view configuration)
{
    read_header(from, kind, configuration);
    read_content(from);
}

void state_reader::read(std::istream& from, unsigned char* to, std::size_t count)
{
    from.read(reinterpret_cast<char*>(to), static_cast<std::streamsize>(count));
    const auto got = static_cast<std::size_t>(from.gcount());
    if (got != count) {
        throw input_error("saved state: it is truncated: " + std::to_string(got) + " bytes are left, expected " +
                          std::to_string(count));
    }
    m_hash.add(text_of(to, count));
}

void state_reader::read_header(std::istream& from, std::string_view kind, std::string_view configuration)
{
    unsigned char bytes[kind_bytes];
    read(from, bytes, magic.size());
    const auto name = [&](std::size_t size) { return in_quotes(text_of(bytes, size)); };
    if (text_of(bytes, magic.size()) != magic) {
        fail("its magic", name(magic.size()), in_quotes(magic) + ", the start of a state saved by TensorLoom");
    }
    read(from, bytes, 4);
    const auto format = load_le<std::uint32_t>(bytes);
    if (format != saved_state_format) {
        fail("its format", std::to_string(format), std::to_string(saved_state_format));
    }
    read(from, bytes, kind_bytes);
    if (text_of(bytes, kind_bytes) != filled_up(kind)) {
        const auto* const end = std::find(bytes, bytes + kind_bytes, '\0');
        fail("its kind", name(static_cast<std::size_t>(end - bytes)), in_quotes(kind));
    }
    read(from, bytes, sha256::digest_bytes);
    const auto expected = hash_of(configuration);
    if (!std::equal(expected.begin(), expected.end(), bytes)) {
        fail("the SHA-256 of its configuration", sha256::hex_of(bytes),
             sha256::hex_of(expected.data()) + ": it belongs to another configuration");
    }
}

void state_reader::read_content(std::istream& from)
{
    while (true) {
        unsigned char bytes[4];
        read(from, bytes, sizeof bytes);
        const auto count = load_le<std::uint32_t>(bytes);
        if (count == 0) { break; }
        if (count > most_in_piece) {
            fail("a piece of its content", std::to_string(count) + " bytes", "1 to " + std::to_string(most_in_piece));
        }
        m_content.resize(m_content.size() + count);
        read(from, m_content.data() + m_content.size() - count, count);
    }
    const auto computed = m_hash.digest();
    unsigned char check[sha256::digest_bytes];
    read(from, check, sizeof check);
    if (!std::equal(computed.begin(), computed.end(), check)) {
        fail("the SHA-256 of what was read", sha256::hex_of(computed.data()),
             sha256::hex_of(check) + ", the value at its end: it is damaged");
    }
}

const unsigned char* state_reader::take_bytes(std::size_t count)
{
    const std::size_t left = m_content.size() - m_taken;
    if (count > left) { fail("what is left of its content", std::to_string(left) + " bytes", std::to_string(count)); }
    m_taken += count;
    return m_content.data() + m_taken - count;
}

std::vector<state_reader::sparse_page> state_reader::take_sparse(std::uint64_t bytes)
{
    std::vector<sparse_page> pages;
    std::uint64_t next = 0;
    while (true) {
        const auto address = take<std::uint64_t>();
        if (address == no_more_pages) { return pages; }
        if (address < next || address >= bytes || address % page_bytes != 0) {
            fail("the address of a page", std::to_string(address),
                 "a multiple of " + std::to_string(page_bytes) + " from " + std::to_string(next) + " to below " +
                     std::to_string(bytes));
        }
        const std::uint64_t count = std::min(page_bytes, bytes - address);
        pages.push_back({address, count, take_bytes(count)});
        next = address + page_bytes;
    }
}

void state_reader::finish() const
{
    if (m_taken != m_content.size()) {
        fail("its content", std::to_string(m_content.size()) + " bytes", std::to_string(m_taken));
    }
}

} // namespace tensorloom::base
