#pragma once
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>

namespace tensorloom::arithmetic {

/// A number of 16 bits: the upper half of a float (8 bits of exponent, 7 of mantissa).
struct bfloat16 {
    std::uint16_t bits = 0;

    bfloat16() = default;
    /// To nearest, ties to even; NaN becomes the canonical quiet NaN 0x7fc0.
    explicit bfloat16(float x)
    {
        std::uint32_t from = 0;
        std::memcpy(&from, &x, sizeof from);
        bits =
            x == x ? static_cast<std::uint16_t>((from + 0x7fffu + ((from >> 16) & 1u)) >> 16) : std::uint16_t{0x7fc0};
    }
    /// A double rounded once, likewise.
    static bfloat16 from_double(double x)
    {
        auto low = static_cast<float>(x); // rounded to odd: what is rounded again is not a tie
        if (static_cast<double>(low) != x && x == x) {
            if (std::fabs(static_cast<double>(low)) > std::fabs(x)) { low = std::nextafter(low, 0.0F); }
            std::uint32_t odd = 0;
            std::memcpy(&odd, &low, sizeof odd);
            odd |= 1u;
            std::memcpy(&low, &odd, sizeof odd);
        }
        return bfloat16(low);
    }
    /// Exact.
    explicit operator float() const
    {
        const std::uint32_t from = static_cast<std::uint32_t>(bits) << 16;
        float x = 0;
        std::memcpy(&x, &from, sizeof x);
        return x;
    }
};

/// As widen_row() and narrow_row() for four numbers: for rows too short for a call.
inline void widen_four(const unsigned char* from, float* to)
{
    std::uint16_t bits[4];
    std::memcpy(bits, from, sizeof bits);
    const std::uint32_t wide[4] = {std::uint32_t{bits[0]} << 16, std::uint32_t{bits[1]} << 16,
                                   std::uint32_t{bits[2]} << 16, std::uint32_t{bits[3]} << 16};
    std::memcpy(to, wide, sizeof wide);
}
inline void narrow_four(const float* from, unsigned char* to)
{
    const std::uint16_t bits[4] = {bfloat16(from[0]).bits, bfloat16(from[1]).bits, bfloat16(from[2]).bits,
                                   bfloat16(from[3]).bits};
    std::memcpy(to, bits, sizeof bits);
}

/// Widens a row of n bfloat16s in memory (host byte order, any alignment) to the equal floats.
void widen_row(const unsigned char* from, std::size_t n, float* to);
/// Rounds floats to bfloat16s in memory, like bfloat16(float). The rows do not overlap.
void narrow_row(const float* from, std::size_t n, unsigned char* to);

// Two layers of `rows` rows, each of `row` bfloat16s, whose rows alternate in memory. As floats one layer follows the
// other, row after row. The functions process `blocks` such pairs, contiguous on both sides; a layer has at most
// most_in_layer numbers.
inline constexpr std::size_t most_in_layer = 1024; // 64 rows of 16
void widen_layers(const unsigned char* from, std::size_t row, std::size_t rows, std::size_t blocks, float* to);
void narrow_layers(const float* from, std::size_t row, std::size_t rows, std::size_t blocks, unsigned char* to);

} // namespace tensorloom::arithmetic
