#pragma once
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace tensorloom::base {

/// The hash by which files are told apart, as sha256sum prints it. Source: FIPS 180-4.
class sha256 {
public:
    static constexpr std::size_t digest_bytes = 32;
    using digest_type = std::array<unsigned char, digest_bytes>;

    void add(std::string_view bytes);
    digest_type digest(); ///< of all bytes added; ends the hash
    std::string hex();    ///< the same in 64 digits
    static std::string hex_of(const unsigned char* digest);

private:
    static constexpr std::size_t block_bytes = 64;

    void take_block(const unsigned char* block);

    std::array<std::uint32_t, 8> m_state{0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
                                         0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};
    std::array<unsigned char, block_bytes> m_block{}; // the bytes that do not fill one
    std::size_t m_filled = 0;
    std::uint64_t m_bytes = 0;
};

std::string sha256_of(std::string_view bytes);
/// Nothing for what is no regular file, or cannot be read.
std::optional<std::string> sha256_of_file(const std::string& path);

} // namespace tensorloom::base
