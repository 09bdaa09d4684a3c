#pragma once
#include <cstdint>

namespace tensorloom::workloads {

/// SplitMix64: different numbers give numbers that have nothing in common, the same on every machine.
constexpr std::uint64_t scrambled(std::uint64_t x)
{
    x += 0x9e3779b97f4a7c15;
    x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9;
    x = (x ^ x >> 27) * 0x94d049bb133111eb;
    return x ^ x >> 31;
}

} // namespace tensorloom::workloads
