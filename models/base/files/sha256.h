#pragma once
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace tensorloom::base {

/// SHA-256, as printed by sha256sum; identifies files. Source: FIPS 180-4.
class sha256 {
public:
    static constexpr std::size_t digest_bytes = 32;
    using digest_type = std::array<unsigned char, digest_bytes>;

    void add(std::string_view bytes);
    digest_type digest(); ///< of all bytes added; ends the computation
    std::string hex();    ///< likewise, as 64 hexadecimal digits
    static std::string hex_of(const unsigned char* digest);

private:
    static constexpr std::size_t block_bytes = 64;

    void take_block(const unsigned char* block);

    std::array<std::uint32_t, 8> m_state{0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
                                         0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};
    std::array<unsigned char, block_bytes> m_block{}; // bytes of an incomplete block
    std::size_t m_filled = 0;
    std::uint64_t m_bytes = 0;
};

std::string sha256_of(std::string_view bytes);
/// Nothing when the path is not a regular file or cannot be read.
std::optional<std::string> sha256_of_file(const std::string& path);

} // namespace tensorloom::base
