#include <tensorloom/models/base/files/sha256.h>
#include <filesystem>
#include <fstream>
#include <vector>

namespace tensorloom::base {
namespace {

constexpr std::uint32_t round_constants[64] = {
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
    0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
    0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
    0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
    0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
    0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
    0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
    0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2};

constexpr std::uint32_t rotated(std::uint32_t x, unsigned by) { return x >> by | x << (32 - by); }

} // namespace

void sha256::take_block(const unsigned char* block)
{
    std::uint32_t w[64];
    for (std::size_t i = 0; i < 16; ++i) {
        w[i] = 0;
        for (std::size_t b = 0; b < 4; ++b) { w[i] = w[i] << 8 | block[4 * i + b]; }
    }
    for (std::size_t i = 16; i < 64; ++i) {
        const std::uint32_t a = w[i - 15], b = w[i - 2];
        w[i] = w[i - 16] + (rotated(a, 7) ^ rotated(a, 18) ^ a >> 3) + w[i - 7] +
               (rotated(b, 17) ^ rotated(b, 19) ^ b >> 10);
    }
    auto [a, b, c, d, e, f, g, h] = m_state;
    for (std::size_t i = 0; i < 64; ++i) {
        const std::uint32_t first =
            h + (rotated(e, 6) ^ rotated(e, 11) ^ rotated(e, 25)) + ((e & f) ^ (~e & g)) + round_constants[i] + w[i];
        const std::uint32_t second = (rotated(a, 2) ^ rotated(a, 13) ^ rotated(a, 22)) + ((a & b) ^ (a & c) ^ (b & c));
        h = g;
        g = f;
        f = e;
        e = d + first;
        d = c;
        c = b;
        b = a;
        a = first + second;
    }
    const std::uint32_t after[8] = {a, b, c, d, e, f, g, h};
    for (std::size_t i = 0; i < 8; ++i) { m_state[i] += after[i]; }
}

void sha256::add(std::string_view bytes)
{
    m_bytes += bytes.size();
    for (const char byte : bytes) {
        m_block[m_filled++] = static_cast<unsigned char>(byte);
        if (m_filled == block_bytes) {
            take_block(m_block.data());
            m_filled = 0;
        }
    }
}

sha256::digest_type sha256::digest()
{
    const std::uint64_t bits = m_bytes * 8;
    std::string end(1, '\x80');
    end.append((2 * block_bytes - 9 - m_filled) % block_bytes, '\0');
    for (unsigned shift = 64; shift != 0; shift -= 8) { end += static_cast<char>(bits >> (shift - 8) & 0xff); }
    add(end);
    digest_type bytes{};
    for (std::size_t i = 0; i < digest_bytes; ++i) {
        bytes[i] = static_cast<unsigned char>(m_state[i / 4] >> (24 - 8 * (i % 4)));
    }
    return bytes;
}

std::string sha256::hex_of(const unsigned char* digest)
{
    std::string digits;
    for (std::size_t i = 0; i < 2 * digest_bytes; ++i) {
        digits += "0123456789abcdef"[digest[i / 2] >> (i % 2 == 0 ? 4 : 0) & 15];
    }
    return digits;
}

std::string sha256::hex() { return hex_of(digest().data()); }

std::string sha256_of(std::string_view bytes)
{
    sha256 hash;
    hash.add(bytes);
    return hash.hex();
}

std::optional<std::string> sha256_of_file(const std::string& path)
{
    std::error_code error;
    if (!std::filesystem::is_regular_file(path, error)) { return std::nullopt; }
    std::ifstream file(path, std::ios::binary);
    sha256 hash;
    std::vector<char> piece(1u << 16);
    while (file.read(piece.data(), static_cast<std::streamsize>(piece.size())) || file.gcount() > 0) {
        hash.add({piece.data(), static_cast<std::size_t>(file.gcount())});
    }
    if (!file.eof()) { return std::nullopt; }
    return hash.hex();
}

} // namespace tensorloom::base
