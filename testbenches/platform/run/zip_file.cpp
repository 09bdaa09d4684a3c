#include "platform/run/zip_file.h"
#include <algorithm>
#include <limits>
#include <string_view>
#include <boost/crc.hpp>
#include <boost/iostreams/device/array.hpp>
#include <boost/iostreams/filter/zlib.hpp>
#include <boost/iostreams/filtering_stream.hpp>
#include <tensorloom/models/base/values/byte_layout.h>
#include <tensorloom/models/base/values/input_error.h>
#include "platform/process/text.h"

namespace tensorloom::testbench {
namespace {

// Records of the format: their signatures, and their bytes without names and comments.
constexpr std::string_view end_mark = "PK\5\6", entry_mark = "PK\1\2", local_mark = "PK\3\4";
constexpr std::size_t end_bytes = 22, entry_bytes = 46, local_bytes = 30;
constexpr std::size_t longest_comment = 65535;
constexpr std::uint32_t in_zip64 = std::numeric_limits<std::uint32_t>::max();
enum class packing : std::uint16_t { stored = 0, deflated = 8 };

// The unpacked bytes, or `most` + 1 of them if there are more.
std::string inflated(std::string_view packed, std::size_t most)
{
    namespace io = boost::iostreams;
    io::zlib_params raw;
    raw.noheader = true;
    io::filtering_istream stream;
    stream.push(io::zlib_decompressor(raw));
    stream.push(io::array_source(packed.data(), packed.size()));
    stream.exceptions(std::ios::badbit);
    std::string whole;
    constexpr std::size_t piece = std::size_t{1} << 20;
    while (whole.size() <= most) {
        const std::size_t filled = whole.size();
        whole.resize(filled + std::min(piece, most + 1 - filled));
        stream.read(whole.data() + filled, static_cast<std::streamsize>(whole.size() - filled));
        const auto got = static_cast<std::size_t>(stream.gcount());
        whole.resize(filled + got);
        if (got == 0) { break; }
    }
    return whole;
}

} // namespace

std::string zip_file::member::array_name() const
{
    const std::string ending = ".npy";
    return ends_with(name, ending) ? name.substr(0, name.size() - ending.size()) : name;
}

zip_file::zip_file(std::string name, std::string bytes) : m_name(std::move(name)), m_bytes(std::move(bytes))
{
    read_directory();
}

void zip_file::refuse(const std::string& found, const std::string& expected) const
{
    base::refuse(m_name, found, expected);
}

template <class Number> Number zip_file::number_at(std::size_t at) const
{
    return base::load_le<Number>(reinterpret_cast<const unsigned char*>(m_bytes.data()) + at);
}

// The record at the end of the file, which only a comment follows, has the place of the directory, which has those of
// the members.
void zip_file::read_directory()
{
    const std::string_view all = m_bytes;
    if (all.substr(0, 2) != local_mark.substr(0, 2)) {
        refuse("no zip file: it begins with " + base::in_quotes(all.substr(0, 4)),
               "an .npz file, as numpy.savez writes");
    }
    const std::size_t searched = std::min(all.size(), end_bytes + longest_comment);
    const auto found = all.substr(all.size() - searched).rfind(end_mark);
    const std::size_t end = found == std::string_view::npos ? all.size() : all.size() - searched + found;
    if (end + end_bytes > all.size()) {
        refuse("a truncated zip file of " + std::to_string(all.size()) + " bytes, without the directory at its end",
               "a complete one");
    }
    const std::size_t count = number_at<std::uint16_t>(end + 10), size = number_at<std::uint32_t>(end + 12);
    std::size_t at = number_at<std::uint32_t>(end + 16);
    if (number_at<std::uint16_t>(end + 4) != 0 || number_at<std::uint16_t>(end + 8) != count || at == in_zip64) {
        refuse("a zip file in several parts or of more than 4 GiB", "an .npz file, as numpy.savez writes");
    }
    if (at + size > end) { refuse("a damaged zip file: its directory is out of place", "a complete one"); }
    for (std::size_t m = 0; m < count; ++m) {
        if (at + entry_bytes > end || all.substr(at, 4) != entry_mark) {
            refuse("a damaged zip file: " + std::to_string(m) + " members in its directory",
                   std::to_string(count) + ", as it says");
        }
        member of;
        of.flags = number_at<std::uint16_t>(at + 8);
        of.method = number_at<std::uint16_t>(at + 10);
        of.crc = number_at<std::uint32_t>(at + 16);
        of.packed_bytes = number_at<std::uint32_t>(at + 20);
        of.bytes = number_at<std::uint32_t>(at + 24);
        of.at = number_at<std::uint32_t>(at + 42);
        const std::size_t name_bytes = number_at<std::uint16_t>(at + 28);
        of.name = all.substr(at + entry_bytes, name_bytes);
        m_members.push_back(std::move(of));
        at += entry_bytes + name_bytes + number_at<std::uint16_t>(at + 30) + number_at<std::uint16_t>(at + 32);
    }
}

std::string zip_file::unpacked(const member& which) const
{
    const auto wrong = [&](const std::string& found, const std::string& expected) {
        base::refuse(m_name + ": " + base::in_quotes(which.name), found, expected);
    };
    const std::string_view all = m_bytes;
    if ((which.flags & 1u) != 0) { wrong("an encrypted array", "one without a password"); }
    if (which.packed_bytes == in_zip64 || which.bytes == in_zip64) { wrong("more than 4 GiB", "at most 4 GiB"); }
    const bool has_header = which.at + local_bytes <= all.size() && all.substr(which.at, 4) == local_mark;
    const std::size_t first = !has_header ? all.size()
                                          : which.at + local_bytes + number_at<std::uint16_t>(which.at + 26) +
                                                number_at<std::uint16_t>(which.at + 28);
    if (first + which.packed_bytes > all.size()) { wrong("a truncated or damaged array", "a complete one"); }
    const auto packed = all.substr(first, which.packed_bytes);
    std::string whole;
    switch (static_cast<packing>(which.method)) {
    case packing::stored: whole = packed; break;
    case packing::deflated: try { whole = inflated(packed, which.bytes);
        } catch (const std::ios_base::failure&) {
            wrong("damaged data", "those that were packed");
        }
        break;
    default: wrong("packing method " + std::to_string(which.method), "0 (stored) or 8 (deflated)");
    }
    boost::crc_32_type crc;
    crc.process_bytes(whole.data(), whole.size());
    if (whole.size() != which.bytes || crc.checksum() != which.crc) {
        wrong("damaged data (" + std::to_string(whole.size()) + " bytes)",
              "the " + std::to_string(which.bytes) + " bytes that were packed, with their CRC");
    }
    return whole;
}

} // namespace tensorloom::testbench
