#pragma once
#include <cstdint>
#include <string>
#include <vector>

namespace tensorloom::testbench {

/// The members of a zip file, as numpy.savez and numpy.savez_compressed write them.
///
/// Read     stored and deflated members; their CRC-32 is checked.
/// Error    (base::input_error, one line) no zip file, a truncated one, a member that is damaged, encrypted, packed by
///          another method or larger than 4 GiB (ZIP64), a file in several parts.
/// Source: APPNOTE.TXT, PKWARE, 6.3.
class zip_file {
public:
    /// `name`: in error messages; `bytes`: the file.
    zip_file(std::string name, std::string bytes);

    struct member {
        std::string name;
        std::uint16_t flags = 0, method = 0;
        std::uint32_t crc = 0, packed_bytes = 0, bytes = 0, at = 0; ///< `at`: of its local header

        std::string array_name() const; ///< as numpy.load has it: without .npy
    };
    const std::vector<member>& members() const { return m_members; } ///< in the order of the directory

    std::string unpacked(const member& which) const;

private:
    template <class Number> Number number_at(std::size_t at) const;
    void read_directory();
    [[noreturn]] void refuse(const std::string& found, const std::string& expected) const;

    std::string m_name;
    std::string m_bytes;
    std::vector<member> m_members;
};

} // namespace tensorloom::testbench
