#pragma once
#include <cstdint>

namespace tensorloom::arch {

/// a / b, rounded up; a + b below 2^64.
constexpr std::uint64_t quotient_up(std::uint64_t a, std::uint64_t b) { return (a + b - 1) / b; }

/// a / positive, rounded towards minus infinity.
constexpr std::int64_t quotient_down(std::int64_t a, std::int64_t positive)
{
    return a / positive - (a % positive < 0 ? 1 : 0);
}

} // namespace tensorloom::arch
