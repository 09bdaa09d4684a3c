#pragma once
#include <cstdint>
#include <cstdlib>

namespace tensorloom::test {

/// How much a random test does: `few` by default, `many` in the tests of the label rtl, which set TENSORLOOM_RTL_MANY.
inline std::uint64_t amount(std::uint64_t few, std::uint64_t many)
{
    return std::getenv("TENSORLOOM_RTL_MANY") != nullptr ? many : few;
}

} // namespace tensorloom::test
