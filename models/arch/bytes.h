#pragma once
#include <cstddef>
#include <cstdint>
#include <type_traits>

namespace tensorloom::arch {

/// Programs, commands and descriptors in memory are little-endian byte strings, whatever the host is.
template <class T> void store_le(std::uint8_t* at, T value)
{
    static_assert(std::is_integral_v<T>, "integers only");
    for (std::size_t i = 0; i < sizeof(T); ++i) {
        at[i] = static_cast<std::uint8_t>(static_cast<std::make_unsigned_t<T>>(value) >> (8 * i));
    }
}

template <class T> T load_le(const std::uint8_t* at)
{
    static_assert(std::is_integral_v<T>, "integers only");
    std::make_unsigned_t<T> value = 0;
    for (std::size_t i = 0; i < sizeof(T); ++i) {
        value = static_cast<std::make_unsigned_t<T>>(value | (static_cast<std::make_unsigned_t<T>>(at[i]) << (8 * i)));
    }
    return static_cast<T>(value);
}

} // namespace tensorloom::arch
