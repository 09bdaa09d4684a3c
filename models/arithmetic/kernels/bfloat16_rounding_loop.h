#pragma once
#include <cstddef>
#include <cstdint>

// Once for all instruction sets: compilers make vectors of it.
// In an anonymous namespace on purpose: each translation unit must keep its own copy, compiled for its own machine.
namespace {

float rounded_to_bfloat16(float x)
{
    std::uint32_t from;
    __builtin_memcpy(&from, &x, sizeof from);
    const std::uint32_t nearest = (from + 0x7fffu + ((from >> 16) & 1u)) & 0xffff0000u;
    const std::uint32_t to = (from & 0x7fffffffu) > 0x7f800000u ? 0x7fc00000u : nearest;
    float rounded;
    __builtin_memcpy(&rounded, &to, sizeof rounded);
    return rounded;
}

inline void round_to_bfloat16(const float* __restrict from, float* __restrict to, std::size_t n, float small)
{
    for (std::size_t k = 0; k < n; ++k) {
        const float x = rounded_to_bfloat16(from[k]);
        to[k] = __builtin_fabsf(x) <= small ? 0.0f : x;
    }
}

} // namespace
