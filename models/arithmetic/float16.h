#pragma once
#include <cstdint>
#include <cstring>

namespace tensorloom::arithmetic {

/// A number of 16 bits, IEEE 754 binary16: 5 bits of exponent, 10 of mantissa; subnormal numbers below 2^-14.
struct float16 {
    std::uint16_t bits = 0;

    float16() = default;
    /// To nearest, ties to even; from 65520 on an infinity; NaN becomes the canonical quiet NaN 0x7e00.
    explicit float16(float x)
    {
        std::uint32_t from = 0;
        std::memcpy(&from, &x, sizeof from);
        const std::uint32_t sign = from >> 16 & 0x8000u;
        const std::uint32_t magnitude = from & 0x7fffffffu;
        if (x != x) {
            bits = 0x7e00;
        } else if (magnitude >= 0x477ff000u) {
            bits = static_cast<std::uint16_t>(sign | 0x7c00u);
        } else if (magnitude >= 0x38800000u) { // 2^-14
            bits =
                static_cast<std::uint16_t>(sign | ((magnitude - 0x38000000u + 0xfffu + (magnitude >> 13 & 1u)) >> 13));
        } else { // a sum from 1/2 to 1 is a multiple of 2^-24, as a subnormal number is
            float distance = 0;
            std::memcpy(&distance, &magnitude, sizeof distance);
            distance += 0.5f;
            std::uint32_t sum = 0;
            std::memcpy(&sum, &distance, sizeof sum);
            bits = static_cast<std::uint16_t>(sign | (sum - 0x3f000000u));
        }
    }
    /// Exact.
    explicit operator float() const
    {
        const std::uint32_t exponent = bits >> 10 & 0x1fu;
        const std::uint32_t fraction = bits & 0x3ffu;
        const std::uint32_t sign = static_cast<std::uint32_t>(bits & 0x8000u) << 16;
        std::uint32_t magnitude = (exponent + 112) << 23 | fraction << 13;
        if (exponent == 0) {
            const float subnormal = static_cast<float>(fraction) * 0x1p-24f;
            std::memcpy(&magnitude, &subnormal, sizeof magnitude);
        } else if (exponent == 31) {
            magnitude = 0x7f800000u | fraction << 13;
        }
        const std::uint32_t from = sign | magnitude;
        float x = 0;
        std::memcpy(&x, &from, sizeof x);
        return x;
    }
};

} // namespace tensorloom::arithmetic
